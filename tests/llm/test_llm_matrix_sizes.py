"""The shared matrix, sizes: bombs, bodies and streams without end are cut, in little memory and at once."""

from __future__ import annotations

import time
import tracemalloc
import zlib
from functools import cache
from struct import pack

import pytest
from stub import PATIENCE, Answer, Stub
from wires import FORMS, Ollama

pytestmark = pytest.mark.slow

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
MIB = 1 << 20
# What a run may need beside the server: the 32 MiB that are read, and the text of the excerpt.
MEMORY = 80 * MIB


def zeros(blocks: int, *, gzip: bool = True, before: bytes = b"") -> bytes:
    """Compress ``before`` and ``blocks`` MiB of blanks, without having them: a flushed block is the same each time."""
    blank = b" " * MIB
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = compressor.compress(before) + compressor.flush(zlib.Z_FULL_FLUSH)
    block = compressor.compress(blank) + compressor.flush(zlib.Z_FULL_FLUSH)
    again = compressor.compress(blank) + compressor.flush(zlib.Z_FULL_FLUSH)
    assert block == again
    data = start + block * blocks + b"\x03\x00"
    if not gzip:
        return data
    check = zlib.crc32(before)
    for _ in range(blocks):
        check = zlib.crc32(blank, check)
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" + data + pack("<II", check, (len(before) + blocks * MIB) & 0xFFFFFFFF)


@cache
def bomb() -> bytes:
    return zeros(1024)


def test_the_bomb_is_one():
    """It is made as smaller ones are, and those unpack."""
    assert zlib.decompress(zeros(9), 31) == b" " * 9 * MIB
    assert zlib.decompress(zeros(2, before=b"abc"), 31) == b"abc" + b" " * 2 * MIB
    assert bomb().endswith(pack("<I", 1 << 30))
    assert len(bomb()) < 2 * MIB


@pytest.fixture
def measured(asked):
    """Give ``measured(wire, url) -> error``: asks within the memory and the time that there are."""

    def run(wire, url: str, options: str = "{}") -> dict:
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            began = time.monotonic()
            seen = asked(wire, url, options)
            assert time.monotonic() - began < PATIENCE / 2
            assert tracemalloc.get_traced_memory()[1] - before < MEMORY
        finally:
            tracemalloc.stop()
        return seen["error"]

    return run


def too_large(error: dict) -> None:
    assert (error["reason"], error["kind"]) == ("invalid_response", "terminal")
    assert "32 MiB" in error["message"]
    assert len(error["message"]) < 500


@wires
@pytest.mark.parametrize("kind", ["application/json", "stream"])
def test_a_bomb_of_a_gibibyte(measured, wire, kind):
    kind = wire.stream_type if kind == "stream" else kind
    with Stub(Answer(200, bomb(), {"content-encoding": "gzip", "content-type": kind})) as stub:
        too_large(measured(wire, stub.url))
        assert len(stub.requests) == 1


@wires
def test_a_bomb_in_a_refusal(measured, wire):
    """What counts of a refusal is its status, and the start of what it says."""
    with Stub(Answer(503, bomb(), {"content-encoding": "gzip", "content-type": "text/plain"})) as stub:
        error = measured(wire, stub.url)
    assert (error["reason"], error["status"]) == ("server_error", 503)


@wires
def test_a_bomb_behind_the_start_of_a_stream(measured, wire):
    """A stream that goes over into blanks, in one event or as comments."""
    start = b"".join(wire.events(["Hel", "lo"])[:2]) + (b"" if isinstance(wire, Ollama) else b": ")
    body = zeros(1024, before=start)
    with Stub(Answer(200, body, {"content-encoding": "gzip", "content-type": wire.stream_type})) as stub:
        too_large(measured(wire, stub.url))


@pytest.mark.parametrize("encoding", ["deflate", "x-gzip", "GZIP", "gzip, gzip", "identity, gzip"])
def test_bombs_of_other_encodings(measured, encoding):
    data = zeros(1024, gzip=False) if encoding == "deflate" else bomb()
    with Stub(Answer(200, data, {"content-encoding": encoding, "content-type": "application/json"})) as stub:
        assert measured(FORMS[1], stub.url)["reason"] == "invalid_response"


LARGE = b'{"filler": "' + b"x" * 50_000_000 + b'"}'


@wires
@pytest.mark.parametrize("chunked", [0, 60_000], ids=["length", "chunked"])
def test_a_body_of_50_mb(measured, wire, chunked):
    """The server cannot even send it: the connection is closed when the limit is reached."""
    with Stub(Answer(200, LARGE, {"content-type": "text/plain"}, chunked=chunked)) as stub:
        too_large(measured(wire, stub.url))
        assert stub.all_closed()
        assert 0 < stub.sent < 50_000_000


@wires
def test_a_refusal_of_50_mb(measured, wire):
    with Stub(Answer(400, b"maximum context length, " + LARGE)) as stub:
        error = measured(wire, stub.url)
        assert stub.all_closed()
        assert stub.sent < 25_000_000
    assert (error["reason"], error["status"]) == ("context_overflow", 400)
    assert len(error["message"]) < 2500


@wires
def test_a_stream_of_50_mb(measured, wire):
    """A stream may be long, but not without end: it counts against the same limit."""
    event = max(wire.events(["y" * 60_000]), key=len)
    with Stub(wire.streamed([event] * (50_000_000 // len(event)))) as stub:
        too_large(measured(wire, stub.url))
        assert stub.all_closed()
        assert stub.sent < 50_000_000


@wires
def test_a_line_of_50_mb(measured, wire):
    with Stub(wire.streamed([b"data: ", LARGE])) as stub:
        too_large(measured(wire, stub.url))


@wires
def test_a_large_event_arrives_whole(asked, wire):
    """1 MB in one event is no fault; the text is that of the whole form."""
    text = "é" * 500_000
    seen = []
    for answer in (wire.whole(text), wire.stream(text), wire.streamed(wire.events([text]), chunked=40_000)):
        with Stub(answer) as stub:
            seen.append(asked(wire, stub.url)["response"]["text"])
    assert seen == [text] * 3
