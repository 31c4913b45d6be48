"""Content encodings: however the bytes are cut, the data comes out, in pieces that are never large."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.llm.content_encoding import Decoder, UndecodableData


def bare(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


WAYS = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": (" X-GZip ", gzip.compress),
    "members": ("gzip", lambda data: gzip.compress(data[:5]) + gzip.compress(data[5:])),
    "zlib": ("deflate", zlib.compress),
    "bare": ("Deflate", bare),
    "identity": ("identity", bytes),
    "unknown": ("br", bytes),
    "with identity": ("identity, gzip", gzip.compress),
}


def decoded(encoding: str, data: bytes, size: int) -> list[bytes]:
    decoder = Decoder(encoding)
    pieces = [piece for at in range(0, len(data), size) for piece in decoder.pieces(data[at : at + size])]
    return [*pieces, decoder.rest()]


@pytest.mark.parametrize(("encoding", "encode"), WAYS.values(), ids=WAYS)
@given(data=st.binary(max_size=200), size=st.integers(1, 50))
def test_every_way_of_cutting(encoding, encode, data, size) -> None:
    assert b"".join(decoded(encoding, encode(data), size)) == data


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_pieces_are_small(encoding) -> None:
    data = bytes(5_000_000)
    pieces = decoded(encoding, WAYS["gzip" if encoding == "gzip" else "bare"][1](data), 65536)
    assert max(map(len, pieces)) <= 256 * 1024
    assert b"".join(pieces) == data


@pytest.mark.parametrize(
    "data",
    [b"not gzip", b"\x1f\x8bnot gzip", gzip.compress(b"abc" * 99, mtime=0)[:20] + b"\0" * 30],
    ids=["text", "magic", "cut"],
)
def test_what_is_no_gzip(data) -> None:
    with pytest.raises(UndecodableData):
        decoded("gzip", data, 3)


def test_encodings_in_each_other_are_refused() -> None:
    with pytest.raises(UndecodableData, match="more than one content encoding"):
        Decoder("gzip, gzip")


def test_what_follows_the_last_member_is_no_data() -> None:
    assert b"".join(decoded("gzip", gzip.compress(b"abc") + b"\0\0\0", 4)) == b"abc"
