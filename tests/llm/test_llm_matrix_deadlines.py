"""The shared matrix, deadlines: those of a call by default pass on the run's clock, and no test waits for them."""

from __future__ import annotations

import sys
import time

import pytest
from stub import Answer, Stub, Talk, deaf_server
from wires import FORMS, Ollama

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
TOTAL = 120_000


def timed_out(seen: dict, deadline: str, tries: int = 3) -> dict:
    error = seen["error"]
    assert (seen["status"], error["reason"], error["category"], error["kind"]) == (
        "timeout", "timeout", "timeout", "transient"
    )  # fmt: skip
    assert (error["deadline"], seen["retries"]) == (deadline, tries - 1)
    return error


def closed_at_once(stub: Stub, passed: list[float], limit: float = 0.1) -> None:
    """The bound is 100 ms from the deadline to the end of the socket; a busy machine may miss it now and then."""
    assert stub.all_closed()
    took = [closed - moved for moved, closed in zip(passed, sorted(stub.closings), strict=True)]
    assert min(took) < limit
    assert max(took) < 20 * limit


@wires
@pytest.mark.parametrize("stream", ["true", "false"])
def test_a_server_that_says_nothing(stacked, wire, stream):
    """Three times the two minutes that a call has by default, and none of them in real time."""
    with Stub(Answer(silent=TOTAL)) as stub:
        began = time.monotonic()
        seen = stacked(wire, stub, options=f"{{stream: {stream}}}", draw=0.5)
        assert time.monotonic() - began < 10
        error = timed_out(seen, "total")
        assert (seen["slept"], len(stub.requests)) == (3 * TOTAL + 125 + 250, 3)
        assert error["phase"] == "awaiting_first_chunk"
        assert f"no complete answer within {TOTAL} ms" in error["message"]
        closed_at_once(stub, stub.advances)


@wires
def test_an_answer_just_in_time(stacked, wire):
    with Stub(wire.whole("all-ok")) as stub:
        stub.answers[0].late_ms = TOTAL - 1
        seen = stacked(wire, stub)
    assert (seen["text"], seen["slept"], seen["retries"]) == ("all-ok", TOTAL - 1, 0)


def starts(wire) -> dict[str, bytes]:
    """What a server may send before it falls silent."""
    events = wire.begun()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {wire.stream_type}\r\ncontent-length: 5000\r\n\r\n".encode()
    whole = b'HTTP/1.1 200 OK\r\ncontent-type: application/json; x=y\r\ncontent-length: 5000\r\n\r\n{"half": '
    refusal = b"HTTP/1.1 503 X\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"
    return {
        "half a status line": b"HTTP/1.1 2",
        "headers": head,
        "events": head + events,
        "half an event": head + events[:-9],
        "half a body": whole.replace(b"; x=y", b"" if not isinstance(wire, Ollama) else b"-x"),
        "half a refusal": refusal,
    }


@wires
@pytest.mark.parametrize("point", starts(FORMS[0]))
def test_silence_at_every_point(stacked, wire, point):
    def script(talk: Talk) -> None:
        talk.send(starts(wire)[point])
        talk.advance(TOTAL)
        talk.closed()

    with Stub(Answer(script=script)) as stub:
        seen = stacked(wire, stub)
        error = timed_out(seen, "total")
        assert (seen["slept"], len(stub.requests)) == (3 * TOTAL, 3)
        closed_at_once(stub, stub.advances)
    assert error.get("partial") in (None, "Hel")


# The program moves the clock itself: there is no server that could.
CONNECT = """
let done = false
fn ask() {
  const r = llm_caller()(call)
  show([r.status, r.retries_attempted, r.error.deadline, r.error.phase])
  done = true
}
fn pass_time() {
  while !done {
    advance_time(60000)
    yield_now()
  }
}
parallel each [ask, pass_time] { work -> work() }
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a full queue of connections is dropped in silence on Linux only")
@wires
def test_a_connection_that_never_comes(ran, wire):
    with deaf_server() as url:
        assert ran(wire, url, CONNECT) == [["timeout", 2, "total", "awaiting_first_chunk"]]


@wires
@pytest.mark.parametrize("what", ["headers", "stream", "body", "refusal"])
def test_a_slow_drip(stacked, wire, what):
    """One byte a second: each comes well in time, and the call ends all the same."""
    event = max(wire.events(["x" * 500]), key=len)
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {wire.stream_type}\r\ncontent-length: {len(event)}\r\n\r\n".encode()
    kinds = {
        "headers": (b"", b"HTTP/1.1 200 OK\r\n" + b"x-filler: y\r\n" * 40),
        "stream": (head, event),
        "body": (head.replace(wire.stream_type.encode(), b"text/plain"), event),
        "refusal": (head.replace(b"200 OK", b"500 X"), event),
    }
    at_once, slowly = kinds[what]
    assert len(slowly) > TOTAL / 1000

    def script(talk: Talk) -> None:
        talk.send(at_once)
        talk.drip(slowly)

    with Stub(Answer(script=script)) as stub:
        began = time.monotonic()
        seen = stacked(wire, stub, "default_llm_caller()")
        assert time.monotonic() - began < 10
        error = timed_out({**seen, "retries": 0}, "total", 1)
        assert stub.all_closed()
    assert seen["slept"] >= TOTAL
    assert error.get("partial") is None


@wires
@pytest.mark.parametrize("start", ["headers", "half a status line"])
def test_no_first_chunk(stacked, wire, start):
    def script(talk: Talk) -> None:
        talk.send(starts(wire)[start])
        talk.silent_for(7000)

    with Stub(Answer(script=script)) as stub:
        seen = stacked(wire, stub, HARN_LLM_FIRST_TOKEN_TIMEOUT="7")
        error = timed_out(seen, "first_chunk")
        assert (error["phase"], len(stub.requests)) == ("awaiting_first_chunk", 3)
        assert "no first chunk within 7000 ms" in error["message"]
        assert stub.all_closed()


@wires
@pytest.mark.parametrize("by_option", [True, False], ids=["option", "environment"])
def test_no_further_chunk(stacked, wire, by_option):
    def script(talk: Talk) -> None:
        talk.send(starts(wire)["events"])
        talk.silent_for(9000)

    env = {} if by_option else {"HARN_LLM_IDLE_TIMEOUT": "9"}
    with Stub(Answer(script=script)) as stub:
        seen = stacked(wire, stub, options="{idle_timeout_ms: 9000}" if by_option else "{}", **env)
        error = timed_out(seen, "idle")
        assert (error["phase"], error["source"]) == ("streaming", "provider_stream")
        assert error["partial"] == "Hel"
        assert "no further chunk within 9000 ms" in error["message"]
        assert stub.all_closed()


@wires
def test_with_timeout_over_a_silent_server(ran, wire):
    body = """
    const r = with_retry(with_timeout(default_llm_caller(), {ms: 5000}), {jitter: "none"})(call)
    show([r.ok, r.status, r.error.deadline, r.retries_attempted, monotonic_ms()])
    """
    with Stub(Answer(silent=5000)) as stub:
        assert ran(wire, stub, body) == [[False, "timeout", "total", 2, 3 * 5000 + 250 + 500]]
        assert len(stub.requests) == 3
        closed_at_once(stub, stub.advances)


@wires
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_success_that_came_late(ran, wire, streamed):
    """It is relabelled with both numbers, seen by the retry, and asked for again."""
    body = """
    const long = call + {opts: opts + {timeout_ms: 60000}}
    show(with_timeout(default_llm_caller(), 5000)(long))
    const again = with_retry(with_timeout(default_llm_caller(), {seconds: 5}), {jitter: "none"})(long)
    show([again.ok, again.value?.text, again.retries_attempted])
    const exact = with_timeout(default_llm_caller(), {duration_ms: 5000})(long)
    show([exact.ok, exact.value?.text])
    """
    late, later, exact = (wire.stream("late") if streamed else wire.whole("late") for _ in range(3))
    late.late_ms, later.late_ms, exact.late_ms = 5001, 59_999, 5000
    with Stub(late, later, wire.whole("in time"), exact) as stub:
        seen = ran(wire, stub, body)
        assert len(stub.requests) == 4
    relabelled = {"timeout_ms": 5000, "elapsed_ms": 5001}
    assert seen[0] == {"ok": False, "status": "timeout", "error": relabelled, "elapsed_ms": 5001}
    assert seen[1:] == [[True, "in time", 1], [True, "late"]]


@wires
def test_a_failure_that_came_late(ran, wire):
    body = """
    const long = call + {opts: opts + {timeout_ms: 60000}}
    for relabel in [true, false] {
      const r = with_timeout(default_llm_caller(), {ms: 5000, relabel_failures: relabel})(long)
      show([r.status, r.error.reason, r.elapsed_ms])
    }
    """
    late = wire.failing(500, "late")
    late.late_ms = 6000
    with Stub(late) as stub:
        seen = ran(wire, stub, body)
    assert seen == [["timeout", "server_error", 6000], ["provider_5xx", "server_error", 6000]]


@wires
def test_the_deadline_is_that_of_the_whole_call(stacked, wire):
    """An empty reply is asked for once more, within what is left of the time."""
    void = wire.whole("", outgoing=0, incoming=0)
    void.late_ms = TOTAL - 10
    with Stub(void, Answer(silent=10)) as stub:
        timed_out({**stacked(wire, stub, "default_llm_caller()"), "retries": 0}, "total", 1)
        assert len(stub.requests) == 2
        assert stub.all_closed()


@wires
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_says_nothing(stacked, wire, scheme):
    """The deadline is that of the call, whatever lies between: also for a tunnel that is never made."""
    env = {name: f"{scheme}://models.invalid:81{value[3:]}" for name, value in wire.env.items() if "URL" in value}

    def script(talk: Talk) -> None:
        talk.advance(TOTAL)
        talk.closed()

    def greeting(talk: Talk) -> None:
        assert talk.client.recv(65536).startswith(b"CONNECT" if scheme == "https" else b"POST")
        script(talk)

    with Stub(greeting=greeting) as stub:
        env[f"{scheme.upper()}_PROXY"] = stub.url
        seen = stacked(wire, stub, **env)
        timed_out(seen, "total")
        assert seen["slept"] == 3 * TOTAL
        closed_at_once(stub, stub.advances)
