"""Deadlines of real I/O on a virtual clock: they pass when the clock is moved, earliest first, and without waiting."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from harnpy.llm.deadlines import Deadlines
from harnpy.options import Options
from harnpy.runtime.clock import Clock
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
ASK = """
fn main(harness: Harness) {
  const call = {provider: "openai", model: "m", stream: STREAM} + OPTIONS
  const error = llm_call_safe("hi", nil, call).error
  println(json_stringify({deadline: error.deadline, reason: error.reason, at: monotonic_ms()}))
}
"""


class Silent:
    """Takes requests, sends ``said`` and nothing more, and calls ``when_silent`` after each."""

    def __init__(self) -> None:
        self.said = b""
        self.when_silent: Callable[[], None] = lambda: None
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            with client:
                client.settimeout(20)
                received = b""
                while b'"messages"' not in received:
                    received += client.recv(65536)
                client.sendall(self.said)
                self.when_silent()
                while client.recv(65536):
                    pass

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join(20)
        self._server.close()


@pytest.fixture
def silent() -> Iterator[Silent]:
    server = Silent()
    yield server
    server.close()


@pytest.mark.parametrize(
    ("stream", "options", "env", "moves", "expected"),
    [
        (True, "{}", {}, [120_000], ("total", 120_000)),
        (False, "{}", {}, [60_000, 59_999, 1], ("total", 120_000)),
        (True, "{timeout_ms: 5000}", {}, [5000], ("total", 5000)),
        (True, "{}", {"HARN_LLM_FIRST_TOKEN_TIMEOUT": "7"}, [6999, 1], ("first_chunk", 7000)),
        (True, "{}", {"HARN_LLM_FIRST_TOKEN_TIMEOUT": "7"}, [900_000], ("first_chunk", 900_000)),
    ],
)
def test_the_clock_decides(silent: Silent, stream, options, env, moves, expected) -> None:
    program = ASK.replace("STREAM", json.dumps(stream)).replace("OPTIONS", options)
    streams, out, err = memory_streams("")
    env = {"OPENAI_BASE_URL": silent.url, "OPENAI_API_KEY": "sk-none", **env}
    session = Session(Options(virtual_time=0, env=env), streams)
    silent.when_silent = lambda: [session.advance(ms) for ms in moves] and None
    assert session.run(lambda: Source("test.harn", program)) == 0, err
    deadline, at = expected
    assert json.loads("".join(out)) == {"deadline": deadline, "reason": "timeout", "at": at}


def test_a_pause_between_chunks(silent: Silent) -> None:
    # The end of a piece waits for the next one when a key could begin with it, so it is nothing that a key begins with.
    event = b'data: {"choices": [{"delta": {"content": "One moment. "}}]}\n\n'
    silent.said = HEAD + b"%x\r\n%s\r\n" % (len(event), event)
    program = """
fn main(harness: Harness) {
  try {
    for text in harness.llm.stream_call("hi", nil, {provider: "openai", model: "m", idle_timeout_ms: 9000}) {
      arrived(text.visible_delta ?? "")
    }
  } catch (e) {
    println(json_stringify({deadline: e.deadline, phase: e.phase, partial: e.partial, at: monotonic_ms()}))
  }
}
"""
    import harnpy

    env = {"OPENAI_BASE_URL": silent.url, "OPENAI_API_KEY": "sk-none"}
    with harnpy.Session(virtual_time=0, env=env) as session:

        def arrived(text: str) -> None:
            if text:  # from here on the provider says nothing
                threading.Thread(target=session.advance, args=(9000,)).start()

        session.define("arrived", arrived)
        seen = json.loads(session.run(program).stdout)
    assert seen == {"deadline": "idle", "phase": "streaming", "partial": "One moment. ", "at": 9000}


def limited(body: Callable[[Clock, Deadlines], object]) -> object:
    clock = Clock()
    clock.mock(0)
    return asyncio.run(body(clock, Deadlines(clock)))


def test_of_nested_limits_the_earlier_one_strikes_first() -> None:
    async def run(clock: Clock, deadlines: Deadlines) -> list[object]:
        outer, inner = deadlines.limit(50), deadlines.limit(20)
        seen: list[object] = []

        async def nested() -> None:
            async with outer:
                try:
                    async with inner:
                        clock.advance(100)
                        await asyncio.Event().wait()
                except TimeoutError:
                    seen.extend([inner.passed(), outer.passed()])
                    await asyncio.Event().wait()

        with pytest.raises(TimeoutError):
            await nested()
        return [*seen, outer.passed(), clock.watchers]

    assert limited(run) == [True, False, True, ()]


def test_a_limit_that_is_not_due_stays() -> None:
    async def run(clock: Clock, deadlines: Deadlines) -> str:
        async with deadlines.limit(50), deadlines.limit(None):
            clock.advance(49)
            await asyncio.sleep(0)
            return "in time"

    assert limited(run) == "in time"


def test_real_time_counts_as_well() -> None:
    async def run(_clock: Clock, deadlines: Deadlines) -> bool:
        limit = deadlines.limit(1)
        with pytest.raises(TimeoutError):
            async with limit:
                await asyncio.Event().wait()
        return limit.passed()

    assert limited(run) is True
