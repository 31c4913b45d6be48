"""The shared matrix, cancelling: at every point where a call waits it unwinds, and leaves no task and no socket."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from stub import PATIENCE, Answer, Stub, Talk, deaf_server
from wires import FORMS

from harnpy.cli.program import carry_out
from harnpy.options import Options
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
MINUTE = 60_000

CALLS = {
    "call": "llm_call(PROMPT, nil, OPTS)",
    "stack": 'llm_caller()({prompt: PROMPT, system: nil, opts: OPTS})',
    "stream": 'for chunk in llm_stream_call(PROMPT, nil, OPTS) { println("chunk") }',
}  # fmt: skip
WAYS = {
    "deadline": "println(try { deadline 60s { ask() } } catch (e) { e })",
    "cancel": """
      const task = spawn { ask() }
      sleep(60s)
      cancel(task)
      yield_now()
      println("cancelled")
    """,
    "interrupt": "ask()",
}
PROGRAM = """
import {llm_caller} from "std/llm/caller"
fn ask() {
  defer { println("deferred") }
  try {
    CALL
    println("ended")
  } catch (e) {
    println("caught ${e}")
    throw e
  } finally {
    println("finally")
  }
}
fn main(harness: Harness) {
  WAY
}
"""


class Watched:
    """The tasks of all loops of a run, and the open files before it."""

    def __init__(self) -> None:
        self.tasks: list[asyncio.Task] = []
        self.files = open_files()

    def made(self, loop: asyncio.AbstractEventLoop, work, **options) -> asyncio.Task:
        task = asyncio.Task(work, loop=loop, **options)
        self.tasks.append(task)
        return task


def open_files() -> int:
    return len(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else 0


@pytest.fixture
def watched(monkeypatch, caplog) -> Iterator[Watched]:
    """Watch what a run leaves behind: nothing may be there when the test has ended."""
    new_loop = asyncio.new_event_loop
    seen = Watched()

    def watched_loop() -> asyncio.AbstractEventLoop:
        loop = new_loop()
        loop.set_task_factory(seen.made)
        return loop

    monkeypatch.setattr(asyncio, "new_event_loop", watched_loop)
    yield seen
    assert all(task.done() for task in seen.tasks)
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


SAID = {
    "deadline": ["caught Deadline exceeded", "finally", "deferred", "Deadline exceeded"],
    "cancel": ["caught kind:cancelled:VM cancelled by host", "finally", "deferred"],
    "interrupt": ["finally", "deferred"],
}


def broken_off(
    wire, stub: Stub, watched: Watched, call: str, way: str, prompt: str = '"hi"', url: str = "", **env: str
) -> None:
    """Run a program whose call the server breaks off, and look at all that must have happened."""
    place = f'{{provider: "{wire.name}", model: "m"}}'
    ask = CALLS[call].replace("PROMPT", prompt).replace("OPTS", place)
    program = PROGRAM.replace("CALL", ask).replace("WAY", WAYS[way])
    streams, out, err = memory_streams("")
    session = Session(Options(virtual_time=0, env={**wire.environment(url or stub.url), **env}), streams)
    stub.advance = session.advance if way != "interrupt" else lambda _ms: session.interrupt()
    before = open_files()
    code = carry_out(session, lambda: Source("test.harn", program))
    assert (code, "".join(err)) == (130 if way == "interrupt" else 0, "")
    assert [line for line in "".join(out).splitlines() if line not in ("chunk", "cancelled")] == SAID[way]
    assert watched.tasks
    assert stub.all_closed()
    assert open_files() <= before


def read_to_end(talk: Talk) -> None:
    """Take whatever still comes, until the client is gone."""
    talk.client.settimeout(PATIENCE)
    while talk.client.recv(1 << 20):
        pass


def in_handshake(talk: Talk) -> None:
    assert talk.client.recv(65536)
    talk.advance(MINUTE)
    read_to_end(talk)


def in_write(talk: Talk) -> None:
    """Nothing is read of a request that is too large for the buffers between the two."""
    talk.client.recv(1, socket.MSG_PEEK)
    talk.advance(MINUTE)
    read_to_end(talk)


def silent_after(data: bytes):
    def script(talk: Talk) -> None:
        talk.send(data)
        talk.advance(MINUTE)
        assert talk.closed()

    return script


def head(kind: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: 5000\r\n\r\n".encode()


def servers(wire) -> dict[str, tuple[dict, str]]:
    """What to make the server with for each point, and what to ask."""
    events = wire.begun()
    small, large = '"hi"', '"x".repeat(30000000)'

    def sends(data: bytes) -> Answer:
        return Answer(script=silent_after(data))

    return {
        "handshake": ({"greeting": in_handshake}, small),
        "write": ({"greeting": in_write}, large),
        "request": ({"answer": sends(b"")}, small),
        "headers": ({"answer": sends(b"HTTP/1.1 200 OK\r\ncontent-ty")}, small),
        "body": ({"answer": sends(head("text/plain") + b'{"half": ')}, small),
        "refusal": ({"answer": sends(head("text/plain").replace(b"200 OK", b"500 X"))}, small),
        "stream": ({"answer": sends(head(wire.stream_type) + events)}, small),
        "event": ({"answer": sends(head(wire.stream_type) + events[:-7])}, small),
        "second ask": ({"answers": [wire.whole("", incoming=0, outgoing=0), sends(b"")]}, small),
    }


POINTS = list(servers(FORMS[0]))


def at_point(wire, point: str, watched: Watched, call: str, way: str) -> None:
    made, prompt = servers(wire)[point]
    answers = made.get("answers") or [made.get("answer", Answer())]
    with Stub(*answers, greeting=made.get("greeting")) as stub:
        url = stub.url.replace("http:", "https:") if point == "handshake" else stub.url
        broken_off(wire, stub, watched, call, way, prompt, url)
        assert stub.advances
        assert stub.connections == 1


@wires
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_call(wire, point, way, watched):
    at_point(wire, point, watched, "call", way)


@wires
@pytest.mark.parametrize("point", POINTS)
def test_the_default_stack_does_not_try_again(wire, point, watched):
    """What breaks a call off from outside is no failure that a wrapper may handle."""
    at_point(wire, point, watched, "stack", "deadline")


@wires
@pytest.mark.parametrize("point", [point for point in POINTS if point != "second ask"])
@pytest.mark.parametrize("way", ["deadline", "cancel"])
def test_a_stream(wire, point, way, watched):
    at_point(wire, point, watched, "stream", way)


@wires
@pytest.mark.parametrize("way", ["deadline", "cancel"])
def test_between_two_tries(wire, way, watched):
    """While the stack waits for the time that the server asked for, no connection and no task of the call is left."""
    with Stub(wire.failing(429, retry_after="3600")) as stub:
        broken_off(wire, stub, watched, "stack", way)
        assert len(stub.requests) == 1


@wires
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_through_a_proxy(wire, way, scheme, watched):
    """While a proxy makes its tunnel, or says nothing to the request."""
    with Stub(greeting=in_handshake) as stub:
        proxy = {f"{scheme.upper()}_PROXY": stub.url}
        broken_off(wire, stub, watched, "call", way, url=f"{scheme}://models.invalid:81", **proxy)
        assert stub.connections == 1


CONNECT = """
fn ask() {
  defer { println("deferred") }
  try { deadline 60s { llm_call("hi", nil, {provider: "NAME", model: "m"}) } } catch (e) { println(e) }
  finally { println("finally") }
}
fn pass_time() {
  for turn in 1 to 300 { yield_now() }
  advance_time(60000)
}
parallel each [ask, pass_time] { work -> work() }
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a full queue of connections is dropped in silence on Linux only")
@wires
def test_a_connection_that_never_comes(wire, watched, run_harn):
    with deaf_server() as url:
        before = open_files()
        ran = run_harn(CONNECT.replace("NAME", wire.name), virtual_time=0, env=wire.environment(url))
        assert (ran.out, ran.err) == ("Deadline exceeded\nfinally\ndeferred\n", "")
        assert watched.tasks
        assert open_files() <= before


@wires
@pytest.mark.parametrize("way", WAYS)
def test_while_the_name_is_looked_up(wire, way, watched, monkeypatch):
    """A resolver that hangs holds up neither the unwinding nor the end of the program."""
    answered = threading.Event()
    resolve = socket.getaddrinfo

    def hangs(name, *arguments, **options):
        if name != "models.example":
            return resolve(name, *arguments, **options)
        stub.advance(MINUTE)
        answered.wait(PATIENCE)
        raise socket.gaierror(socket.EAI_AGAIN, "too late")

    monkeypatch.setattr(socket, "getaddrinfo", hangs)
    with Stub(Answer()) as stub:
        began = time.monotonic()
        try:
            broken_off(wire, stub, watched, "call", way, url="http://models.example:81")
            assert time.monotonic() - began < PATIENCE / 2
        finally:
            answered.set()
    assert stub.connections == 0
