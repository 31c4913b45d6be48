"""A service as a team would write it: many requests at once, each with its own session, limits and stream of events."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from contextvars import ContextVar
from typing import Any

import pytest

import harnpy

PROGRAM = harnpy.Program(
    """
fn main(harness: Harness) {
  const asked = request()
  defer { note("end ${asked.id}") }
  if asked.text == "spin" { while true { } }
  const user = lookup(asked.user)
  const options = {provider: "house", model: "small", tools: host_tools()}
  const result = agent_loop(harness, asked.text, nil, options)
  return {id: asked.id, text: result.text, status: result.status, user: user}
}
""",
    path="service.harn",
)
REQUEST: ContextVar[dict[str, Any]] = ContextVar("request")


async def house(request: dict[str, Any]) -> dict[str, Any]:
    """Call the tool once, then answer with its result."""
    await asyncio.sleep(0)
    last = request["messages"][-1]
    if last["content"] == "hang":
        await asyncio.sleep(3600)
    if last["role"] == "user":
        return {"tool_calls": [{"name": "weather", "arguments": {"city": "Rome"}}], "input_tokens": 10}
    return {"text": last["content"].splitlines()[1], "output_tokens": 5}


async def weather(city: str) -> str:
    """Tell the weather of a city."""
    await asyncio.sleep(0)
    return f"sun in {city} for {REQUEST.get()['id']}"


async def lookup(name: str) -> dict[str, str]:
    await asyncio.sleep(0)
    if name == "nobody":
        raise LookupError("no such user")
    return {"name": name}


class Service:
    """Reads one request a line and answers with lines: events, then a result or an error."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.ended = asyncio.Event()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        REQUEST.set(json.loads(await reader.readline()))

        def send(line: dict[str, Any]) -> None:
            writer.write(json.dumps(line).encode() + b"\n")

        running = asyncio.create_task(self.answer(send))
        gone = asyncio.create_task(reader.read())
        try:
            await asyncio.wait([running, gone], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (running, gone):
                task.cancel()
            await asyncio.gather(running, gone, return_exceptions=True)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
            writer.close()
            self.ended.set()

    async def answer(self, send: Any) -> None:
        functions = {"request": REQUEST.get, "lookup": lookup, "note": self.notes.append}
        try:
            ran = await harnpy.arun(
                PROGRAM,
                functions=functions,
                tools=[weather],
                providers={"house": house},
                env={},
                deny=["fs", "process"],
                max_steps=100_000,
                on_event=lambda event: send({"event": event["type"]}),
            )
            send({"result": ran.value, "usage": ran.usage})
        except harnpy.HarnError as error:
            send({"error": error.value["message"], "at": str(error), "cause": type(error.__cause__).__name__})
        except harnpy.RunTimeout as error:
            send({"error": str(error)})


async def ask(port: int, **request: Any) -> list[dict[str, Any]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(json.dumps({"user": "Ann", "text": "Weather?", **request}).encode() + b"\n")
    lines = [json.loads(line) async for line in reader]
    writer.close()
    await writer.wait_closed()
    return lines


def serve(use: Any) -> Service:
    """Let ``use(service, port)`` ask a running service."""

    async def main() -> Service:
        service = Service()
        server = await asyncio.start_server(service.handle, "127.0.0.1", 0)
        async with server:
            await use(service, server.sockets[0].getsockname()[1])
        return service

    return asyncio.run(main())


def test_fifty_requests_at_once_stay_apart(capfd: pytest.CaptureFixture[str]) -> None:
    answers: list[list[dict[str, Any]]] = []

    async def use(service: Service, port: int) -> None:
        answers.extend(await asyncio.gather(*(ask(port, id=number, user=f"user {number}") for number in range(50))))

    service = serve(use)
    for number, (*events, last) in enumerate(answers):
        assert last["result"] == {
            "id": number,
            "status": "done",
            "text": f"sun in Rome for {number}",
            "user": {"name": f"user {number}"},
        }
        assert (last["usage"]["call_count"], last["usage"]["input_tokens"]) == (2, 10)
        assert {"event": "tool_call"} in events
    assert sorted(service.notes) == sorted(f"end {number}" for number in range(50))
    assert capfd.readouterr() == ("", "")


def test_failures_are_structured() -> None:
    async def use(service: Service, port: int) -> None:
        failed, spun = await asyncio.gather(ask(port, id=1, user="nobody"), ask(port, id=2, text="spin"))
        assert failed[-1] == {
            "error": "lookup: LookupError: no such user",
            "at": "Error [generic]: lookup: LookupError: no such user (at service.harn:6:16)",
            "cause": "LookupError",
        }
        assert spun[-1] == {"error": "the run took more steps than its limit allows"}

    assert sorted(serve(use).notes) == ["end 1", "end 2"]


def test_a_client_that_goes_away_ends_its_run() -> None:
    async def use(service: Service, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b'{"id": 7, "user": "Ann", "text": "hang"}\n')
        await reader.readline()  # the first event: the agent runs
        writer.close()
        await writer.wait_closed()
        await service.ended.wait()

    assert serve(use).notes == ["end 7"]


def test_a_pool_of_sessions_serves_requests_without_loading_anything_again() -> None:
    text = "fn handle(x) { return double(x) + 1 }"

    async def double(x: int) -> int:
        await asyncio.sleep(0)
        return 2 * x

    async def main() -> list[int]:
        pool: asyncio.LifoQueue[harnpy.Module] = asyncio.LifoQueue()
        with contextlib.ExitStack() as stack:
            for _ in range(3):
                session = stack.enter_context(harnpy.Session(functions={"double": double}))
                pool.put_nowait(await session.aload(text))

            async def handle(x: int) -> int:
                module = await pool.get()
                try:
                    return int(await module.acall("handle", x))
                finally:
                    pool.put_nowait(module)

            return list(await asyncio.gather(*(handle(x) for x in range(30))))

    assert asyncio.run(main()) == [2 * x + 1 for x in range(30)]


def test_one_program_runs_in_many_threads_and_loops_at_once() -> None:
    program = harnpy.Program("fn work(n) { sleep_ms(1)\n return n * 2 }\nreturn parallel each [1, 2] { n -> work(n) }")
    found: list[Any] = []

    def in_loops() -> None:
        async def main() -> None:
            found.extend(ran.value for ran in await asyncio.gather(*(harnpy.arun(program) for _ in range(5))))

        asyncio.run(main())

    def plainly() -> None:
        found.extend(harnpy.run(program).value for _ in range(5))

    threads = [threading.Thread(target=target) for target in (in_loops, plainly) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[2, 4]] * 30


def test_synchronous_runs_inside_a_running_loop_as_in_a_notebook() -> None:
    async def main() -> list[Any]:
        async def inner() -> Any:
            return harnpy.run("return f()", functions={"f": lambda: asyncio.sleep(0, 5)}).value

        nested = await harnpy.arun("return f()", functions={"f": inner})
        coroutine = harnpy.arun("return 1")
        with pytest.raises(RuntimeError, match="running event loop"):
            asyncio.run(coroutine)
        coroutine.close()
        return [harnpy.run("sleep_ms(1)\nreturn 1").value, nested.value]

    assert asyncio.run(main()) == [1, 5]


def test_a_coroutine_without_a_loop_says_so() -> None:
    session = harnpy.Session()
    coroutine = session.arun("return 1")
    with pytest.raises(RuntimeError, match="no running event loop"):
        coroutine.send(None)
    assert session.run("return 2").value == 2
