"""The shared matrix, streams: errors inside, cuts, early ends and deadlines, for every wire (S20, llm 7, 8.4)."""

from __future__ import annotations

import json

import pytest
from stub import Answer, Stub, Talk
from wires import FORMS, Anthropic, Gemini, Ollama

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)


def without_end(wire, *pieces: str) -> list[bytes]:
    """The events up to the text: no stop reason, no final event."""
    events = wire.events(list(pieces))
    keep = {Anthropic: -2, Gemini: -1, Ollama: -1}.get(type(wire), -3)
    return events[:keep]


IN_STREAM = [
    ("overloaded_error", "server_error", "provider_5xx"),
    ("rate_limit_error", "rate_limit", "rate_limited"),
    ("authentication_error", "auth_failure", "auth"),
]


@wires
@pytest.mark.parametrize("partial", [None, "Hel"], ids=["first", "later"])
@pytest.mark.parametrize(("kind", "reason", "envelope"), IN_STREAM)
def test_an_error_inside_the_stream(stacked, wire, partial, kind, reason, envelope):
    before = [] if partial is None else without_end(wire, partial)
    with Stub(wire.streamed([*before, wire.stream_error("sorry", kind)])) as stub:
        seen = stacked(wire, stub.url)
    error = seen["error"]
    assert (error["reason"], seen["status"], error.get("partial")) == (reason, envelope, partial)
    assert (error["source"], "sorry" in error["message"]) == ("provider_stream", True)
    assert error["message"].startswith(f"{wire.name} stream error [")
    assert len(stub.requests) == (1 if envelope == "auth" else 3)


def cut(wire, events: list[bytes], at: int) -> Answer:
    """The stream with a length that never comes, closed after ``at`` bytes of it."""
    answer = wire.streamed(events)
    answer.cut_after = at
    return answer


@wires
def test_a_cut_in_the_middle_of_an_event(stacked, wire):
    events = without_end(wire, "Hel")
    more = wire.events(["Hel", "lo"])
    with Stub(cut(wire, more, len(b"".join(events)) + 20)) as stub:
        seen = stacked(wire, stub.url)
    error = seen["error"]
    assert (seen["status"], error["reason"], error["partial"], error["phase"]) == (
        "network", "network_error", "Hel", "streaming"
    )  # fmt: skip
    assert len(stub.requests) == 3


@wires
def test_a_cut_inside_a_character(stacked, wire):
    raw = b"".join(without_end(wire, "Hel", "🙂"))
    with Stub(cut(wire, wire.events(["Hel", "🙂"]), raw.index("🙂".encode()) + 2)) as stub:
        seen = stacked(wire, stub.url, "default_llm_caller()")
    assert (seen["status"], seen["error"]["partial"]) == ("network", "Hel")


@wires
def test_a_cut_before_the_first_byte(stacked, wire):
    with Stub(cut(wire, wire.events(["x"]), 0)) as stub:
        seen = stacked(wire, stub.url, "default_llm_caller()")
    assert (seen["status"], seen["error"].get("partial")) == ("network", None)
    assert seen["error"]["phase"] == "awaiting_first_chunk"


@wires
def test_a_clean_end_without_the_final_event(stacked, wire):
    with Stub(wire.streamed(without_end(wire, "Hel", "lo"))) as stub:
        seen = stacked(wire, stub.url)
    assert (seen["status"], seen["error"]["partial"], len(stub.requests)) == ("network", "Hello", 3)
    if isinstance(wire, Ollama):
        assert seen["error"]["message"].startswith("ollama stream error: unexpected EOF before done=true")


@wires
@pytest.mark.parametrize("framing", ["length", "chunked", "until closed"])
@pytest.mark.parametrize("how", ["closed", "reset"])
@pytest.mark.parametrize("form", ["stream", "whole"])
def test_a_reset_or_a_cut_in_every_framing(stacked, wire, framing, how, form):
    """However the server frames its body, half of it is never taken for the whole."""
    data = wire.begun() if form == "stream" else wire.whole("Hello").body[:-9]
    kind = wire.stream_type if form == "stream" else "application/json; charset=utf-8"
    if form == "whole" and framing == "until closed" and how == "closed":
        return  # nothing tells that there should be more: the JSON is broken

    def script(talk: Talk) -> None:
        length = {"length": {"content-length": 9999}, "chunked": {"transfer-encoding": "chunked"}}.get(framing, {})
        talk.head(200, **{"content-type": kind, **length})
        talk.send(b"%x\r\n%b\r\n" % (len(data), data) if framing == "chunked" else data)
        if how == "reset":
            talk.reset()

    with Stub(Answer(script=script)) as stub:
        seen = stacked(wire, stub)
        assert len(stub.requests) == 3
        assert stub.all_closed()
    error = seen["error"]
    assert (seen["status"], seen["retries"], error["reason"], seen["text"]) == ("network", 2, "network_error", None)
    if form == "stream" and how == "closed":
        assert (error["phase"], error["partial"]) == ("streaming", "Hel")


@wires
def test_an_end_after_the_stop_reason_is_complete(asked, wire):
    events = wire.events(["Hel", "lo"])
    shorter = {Anthropic: -1, Gemini: None, Ollama: None}.get(type(wire), -2)
    with Stub(wire.streamed(events[:shorter])) as stub:
        response = asked(wire, stub.url)["response"]
    assert response["text"] == "Hello"


@wires
def test_rubbish_inside_the_stream(stacked, wire):
    rubbish = b"{broken\n" if isinstance(wire, Ollama) else b"data: {broken\n\n"
    with Stub(wire.streamed([*without_end(wire, "Hel"), rubbish])) as stub:
        seen = stacked(wire, stub.url)
    assert (seen["status"], seen["error"]["reason"], len(stub.requests)) == ("provider_error", "invalid_response", 1)


@wires
def test_odd_shapes_inside_the_stream_do_no_harm(asked, wire):
    """Fields of the wrong type are passed over, whatever the wire."""
    names = ("choices", "candidates", "message", "delta", "content_block", "content", "parts", "usage", "usageMetadata")
    odd = [{name: value} for name in names for value in (None, 7, "x", [], [None], {}, [{"delta": 3}])]
    odd += [{"type": kind, "index": 0} for kind in ("message_start", "content_block_delta", "message_delta")]
    frames = [_frame(wire, event) for event in odd]
    with Stub(wire.streamed([*frames, *wire.events(["ok"])])) as stub:
        seen = asked(wire, stub.url)
    assert seen["response"]["text"].endswith("ok")


def _frame(wire, event: dict) -> bytes:
    text = json.dumps(event)
    return (text + "\n" if isinstance(wire, Ollama) else f"data: {text}\n\n").encode()


def test_at_its_deadline_a_request_has_no_socket_any_more():
    """The bound of the fault matrix is 100 ms; here it is the next turn of the loop."""
    import asyncio

    from harnpy.llm.connection import Connection
    from harnpy.llm.transport import Outgoing, Transport, TransportFailure
    from harnpy.runtime.clock import Clock

    clock = Clock()
    clock.mock(0)
    made: list[Connection] = []

    async def ask(url: str) -> list[int]:
        transport = Transport({}, clock)
        take = transport._direct.connections.take

        async def kept(*arguments: object, **options: object) -> Connection:
            made.append(await take(*arguments, **options))
            return made[-1]

        transport._direct.connections.take = kept
        with pytest.raises(TransportFailure, match="deadline passed"):
            await transport.exchange(Outgoing(url, {}, b"", 120_000), lambda head: None)
        await asyncio.sleep(0)
        return [connection._writer.get_extra_info("socket").fileno() for connection in made]

    with Stub(Answer(silent=120_000)) as stub:
        stub.advance = clock.advance
        assert asyncio.run(ask(stub.url)) == [-1]


STREAM = """
fn main(harness: Harness) {
  let got = []
  let failed = nil
  try {
    for chunk in harness.llm.stream_call("hi", nil, {provider: "NAME", model: "m"}) { got = got + [chunk] }
  } catch (e) {
    failed = e
  }
  println(json_stringify({chunks: got, error: failed}))
}
"""


@pytest.fixture
def streamed(run_harn):
    def run(wire, answer: Answer) -> dict:
        with Stub(answer) as stub:
            ran = run_harn(STREAM.replace("NAME", wire.name), env=wire.environment(stub.url))
        assert (ran.code, ran.err, len(stub.requests)) == (0, "", 1)
        return json.loads(ran.out)

    return run


@wires
def test_stream_call_hands_out_pieces(streamed, wire):
    seen = streamed(wire, wire.stream("Hé", "llo ", "🙂"))
    assert [chunk["delta"] for chunk in seen["chunks"]] == ["Hé", "llo ", "🙂", ""]
    last = seen["chunks"][-1]
    assert (last["partial"], seen["error"]) == ("Héllo 🙂", None)
    assert last["stop_reason"].lower() in ("stop", "end_turn")
    assert [chunk["stop_reason"] for chunk in seen["chunks"][:-1]] == [None] * 3


@wires
def test_stream_call_of_a_whole_reply(streamed, wire):
    assert [chunk["delta"] for chunk in streamed(wire, wire.whole("all at once"))["chunks"]] == ["all at once", ""]


@wires
@pytest.mark.parametrize("how", ["error", "cut", "end", "status"])
def test_stream_call_throws_and_never_tries_again(streamed, wire, how):
    begun = without_end(wire, "Hel")
    answers = {
        "error": wire.streamed([*begun, wire.stream_error("busy", "overloaded_error")]),
        "cut": cut(wire, wire.events(["Hel", "lo"]), len(b"".join(begun)) + 10),
        "end": wire.streamed(begun),
        "status": wire.failing(503, "busy"),
    }
    seen = streamed(wire, answers[how])
    error = seen["error"]
    assert (error["source"], error["kind"]) == ("provider_stream", "transient")
    if how == "status":
        assert (seen["chunks"], error["phase"], error["status"]) == ([], "awaiting_first_chunk", 503)
    else:
        assert [chunk["delta"] for chunk in seen["chunks"]] == ["Hel"]
        assert (error["partial"], error["phase"]) == ("Hel", "streaming")
