"""Connections stay open between what a session runs, and none is left when a session or its loop has ended."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import CALL, ChatServer

import harnpy

RUN = f"return {CALL}"
MODULE = f"fn ask() {{ return {CALL} }}"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as serving:
        yield serving


def test_one_connection_serves_all_runs_of_a_session_in_a_loop(server: ChatServer) -> None:
    async def main() -> None:
        with harnpy.Session(env=server.env) as session:
            for _ in range(3):
                assert (await session.arun(RUN)).value == "pong"
            module = await session.aload(MODULE)
            assert [await module.acall("ask") for _ in range(3)] == ["pong"] * 3

    asyncio.run(main())
    assert (server.connections, server.requests) == (1, 6)
    assert server.gone(1)


def test_one_connection_serves_all_runs_of_a_session_without_a_loop(server: ChatServer) -> None:
    with harnpy.Session(env=server.env) as session:
        assert [session.run(RUN).value for _ in range(3)] == ["pong"] * 3
        module = session.load(MODULE)
        assert [module.call("ask") for _ in range(3)] == ["pong"] * 3
    assert (server.connections, server.requests) == (1, 6)
    assert server.gone(1)


def test_without_with_each_run_closes_what_it_opened(server: ChatServer) -> None:
    session = harnpy.Session(env=server.env)
    for number in (1, 2):
        session.run(RUN)
        assert server.gone(number)
    assert server.connections == 2


def test_a_connection_belongs_to_its_loop(server: ChatServer) -> None:
    with harnpy.Session(env=server.env) as session:
        for number in (1, 2):
            assert asyncio.run(session.arun(RUN)).value == "pong"
            assert server.gone(number)
        assert session.run(RUN).value == "pong"
        assert asyncio.run(session.arun(RUN)).value == "pong"
        assert session.run(RUN).value == "pong"
    assert server.gone(5)
    assert server.connections == 5


def test_a_connection_that_the_server_has_closed_meanwhile_is_replaced(server: ChatServer) -> None:
    with harnpy.Session(env=server.env) as session:
        for number in (1, 2):
            assert session.run(RUN).value == "pong"
            server.drop()
            assert server.gone(number)
        assert session.run(RUN).value == "pong"
    assert server.connections == 3


def test_a_session_that_is_closed_in_another_thread_than_its_loop(server: ChatServer) -> None:
    async def main() -> None:
        session = harnpy.Session(env=server.env)
        await session.arun(RUN)
        await asyncio.to_thread(session.close)
        assert await asyncio.to_thread(server.gone, 1)

    asyncio.run(main())


def test_a_session_that_the_host_forgets_closes_its_connections(server: ChatServer) -> None:
    async def main() -> None:
        session = harnpy.Session(env=server.env)
        await session.arun(RUN)
        del session
        gc.collect()
        assert await asyncio.to_thread(server.gone, 1)

    asyncio.run(main())


def test_a_synchronous_session_inside_a_running_loop(server: ChatServer) -> None:
    async def main() -> None:
        with harnpy.Session(env=server.env) as session:
            assert [session.run(RUN).value for _ in range(2)] == ["pong"] * 2

    asyncio.run(main())
    assert server.connections == 1
    assert server.gone(1)


def test_parallel_calls_share_the_kept_connections(server: ChatServer) -> None:
    with harnpy.Session(env=server.env) as session:
        program = f"return parallel each [1, 2, 3] {{ _ -> {CALL} }}"
        for _ in range(3):
            assert session.run(program).value == ["pong"] * 3
    assert server.connections <= 3
    assert server.requests == 9


def test_what_the_host_leaves_in_the_loop_of_a_session_ends_with_it() -> None:
    seen: list[str] = []

    async def leave() -> None:
        async def for_ever() -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                seen.append("ended")

        seen.append(asyncio.create_task(for_ever()).get_name())
        await asyncio.sleep(0)

    harnpy.run("leave()", functions={"leave": leave})
    assert seen[1:] == ["ended"]
    with harnpy.Session(functions={"leave": leave}) as session:
        session.run("leave()")
        assert len(seen) == 3
    assert seen[3:] == ["ended"]


FORGETFUL = """
import asyncio, gc, threading
import harnpy
from chat_server import CALL, ChatServer

async def main(env):
    kept.append(harnpy.Session(env=env))
    await kept[0].arun("return " + CALL)
    await harnpy.Session(env=env).arun("return " + CALL)

kept = []
with ChatServer() as server:
    asyncio.run(main(server.env))
    harnpy.Session(env=server.env).run("return " + CALL)
    assert server.gone(3)
kept.clear()
gc.collect()
print(sorted({thread.name for thread in threading.enumerate()}))
"""


def test_a_forgetful_host_gets_no_warning(tmp_path: Path) -> None:
    root = Path(harnpy.__file__).parent.parent
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", FORGETFUL],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{root}:{Path(__file__).parent}", "PATH": "/usr/bin:/bin"},
    )
    shown = [line for line in ended.stderr.splitlines() if not line.startswith("Executing <")]  # a slow machine
    assert (ended.returncode, shown) == (0, [])
    assert ended.stdout == "['MainThread', 'harn']\n"


def test_many_sessions_leave_nothing_behind(server: ChatServer) -> None:
    async def one() -> None:
        with harnpy.Session(env=server.env) as session:
            assert (await session.arun(RUN)).value == "pong"

    async def many() -> None:
        for _ in range(5):
            await asyncio.gather(*(one() for _ in range(10)))

    asyncio.run(many())
    threads = threading.active_count()
    for _ in range(3):
        harnpy.run(RUN, env=server.env)
    assert server.gone(53)
    gc.collect()
    left = [thing for thing in gc.get_objects() if type(thing) is harnpy.Session]
    assert len(left) < 10
    assert threading.active_count() <= threads + 2
