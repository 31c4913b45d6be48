"""Connections: cancelled at any moment they leave nothing open; kept ones are reused, stale ones replaced (S22)."""

from __future__ import annotations

import json
import os
import sys
import time

import pytest
from stub import Answer, Stub
from wires import FORMS

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)


def open_sockets() -> int:
    folder = "/proc/self/fd"
    links = []
    for name in os.listdir(folder):
        try:
            links.append(os.readlink(f"{folder}/{name}"))
        except OSError:
            continue
    return sum(link.startswith("socket:") for link in links)


CANCELLED = """
let unwound = 0
fn ask() {
  defer { unwound = unwound + 1 }
  return llm_call("hi", nil, {provider: "NAME", model: "m"}).text
}
for ms in [0, 1, 2, 3, 5, 8, 12, 17, 23, 30, 38] {
  try { deadline ms { ask() } } catch (e) { assert_eq(e, "Deadline exceeded") }
}
const branches = parallel each [1, 2, 4, 7, 11, 16, 22, 29] { ms -> try { deadline ms { ask() } } catch (e) { e } }
println([unwound, branches.count()])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="open files are counted in /proc")
@wires
def test_cancelled_at_any_moment(run_harn, wire):
    slow = wire.streamed(wire.events(["abc", "def"]), drip=(60, 5))
    with Stub(slow) as stub:
        before = open_sockets()
        ran = run_harn(CANCELLED.replace("NAME", wire.name), env=wire.environment(stub.url))
        assert (ran.code, ran.err) == (0, "")
        assert stub.all_closed()
        assert open_sockets() <= before
    assert ran.out.endswith(", 8]\n")


@pytest.mark.skipif(sys.platform != "linux", reason="open files are counted in /proc")
@wires
def test_a_dropped_stream_is_closed(run_harn, wire):
    program = """
    fn main(harness: Harness) {
      for n in 1 to 5 {
        for chunk in harness.llm.stream_call("hi", nil, {provider: "NAME", model: "m"}) { break }
      }
      println("done")
    }
    """.replace("NAME", wire.name)
    endless = wire.streamed(wire.events(["abc"] * 50), drip=(60, 20))
    with Stub(endless) as stub:
        before = open_sockets()
        began = time.monotonic()
        ran = run_harn(program, env=wire.environment(stub.url))
        assert (ran.out, ran.err) == ("done\n", "")
        assert time.monotonic() - began < 2
        assert stub.all_closed()
        assert open_sockets() <= before


THREE = 'for n in 1 to 3 { println(llm_call("hi", nil, {provider: "NAME", model: "m"}).text) }'


@wires
def test_one_connection_serves_calls_in_turn(run_harn, wire):
    with Stub(wire.stream("a"), wire.whole("b"), wire.stream("c")) as stub:
        assert run_harn(THREE.replace("NAME", wire.name), env=wire.environment(stub.url)).out == "a\nb\nc\n"
        assert (len(stub.requests), stub.connections) == (3, 1)


@wires
def test_a_connection_that_the_server_closed_meanwhile_is_replaced(run_harn, wire):
    answers = [wire.whole("a"), wire.whole("b"), wire.whole("c")]
    for answer in answers:
        answer.cut_after = len(answer.body)  # the whole body, and then the end without a word
    with Stub(*answers) as stub:
        assert run_harn(THREE.replace("NAME", wire.name), env=wire.environment(stub.url)).out == "a\nb\nc\n"
        assert (len(stub.requests), stub.connections) == (3, 3)


@wires
def test_the_quota_of_the_provider_is_shown(asked, wire):
    refusal = wire.failing(429, "slow", x_ratelimit_limit_tokens="1000", x_ratelimit_remaining_tokens="200")
    with Stub(refusal) as stub:
        error = asked(wire, stub.url)["error"]
    assert error["provider_quota"] == {
        "schema": "harn.llm.provider_token_quota.v1", "resource": "tokens", "limit": 1000, "used": 800,
        "window_ms": 60000,
    }  # fmt: skip


def test_a_run_beside_a_loop_of_the_host():
    """A program in a thread of an asyncio host makes its calls beside the loop of that host."""
    import asyncio

    from harnpy.options import Options
    from harnpy.session import Session
    from harnpy.source import Source
    from harnpy.streams import memory_streams

    wire = FORMS[0]
    with Stub(Answer(200, wire.whole_body("ok"))) as stub:
        streams, out, err = memory_streams("")

        def run() -> int:
            session = Session(Options(env=wire.environment(stub.url)), streams)
            return session.run(lambda: Source("t.harn", 'println(llm_call("p", nil, {provider: "anthropic"}).text)'))

        async def host() -> int:
            return await asyncio.to_thread(run)

        assert asyncio.run(host()) == 0
    assert ("".join(out), "".join(err)) == ("ok\n", "")


@wires
def test_bytes_behind_a_response_answer_nothing(run_harn, wire):
    """A server that says more than it was asked for: the rest is not taken for the answer to the next call."""
    first, more = wire.whole("a"), json.dumps(wire.whole_body("unasked")).encode()
    length = len(first.body)
    first.headers["content-length"] = str(length)
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(more)}\r\n\r\n"
    first.body += head.encode() + more
    with Stub(first, wire.whole("b"), wire.whole("c")) as stub:
        assert run_harn(THREE.replace("NAME", wire.name), env=wire.environment(stub.url)).out == "a\nb\nc\n"
        assert (len(stub.requests), stub.connections) == (3, 2)


def test_a_refusal_that_nobody_waits_for_is_not_read():
    """Servers and proxies say 408 on an idle connection before they close it."""
    import asyncio
    import socket

    from harnpy.llm.connection import Connections

    async def ask() -> list[bool]:
        connections = Connections(lambda: None)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            origin = ("http", "127.0.0.1", listening.getsockname()[1])
            connection = await connections.take(origin)
            server, _ = listening.accept()
        with server:
            server.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            await connection.send(b"GET", b"/", [(b"host", b"x")], b"")
            async for _ in connection.body():
                pass
            connections.give_back(origin, connection)
            before = connection.alive()
            server.sendall(b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n")
            await asyncio.to_thread(server.recv, 1)  # the request: its bytes are there, and so are those of the 408
            for _ in range(1000):  # turns of the loop until it has read them
                if not connection.alive():
                    break
                await asyncio.sleep(0)
            after = connection.alive()
        connections.close()
        return [before, after]

    assert asyncio.run(ask()) == [True, False]
