"""Python functions, tools, providers and clocks of a host; values on their way between the languages."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

import harnpy


def test_functions_of_the_host_are_builtins_sync_and_async() -> None:
    async def slowly(x: int) -> dict[str, int]:
        await asyncio.sleep(0.001)
        return {"got": x}

    with harnpy.Session(functions={"plus": lambda a, b=10: a + b, "slowly": slowly}) as session:
        module = session.load("fn go(n) { return [plus(n), plus(n, 1), slowly(n)] }\nfn sum(...xs) { return len(xs) }")
        assert module.call("go", 1) == [11, 2, {"got": 1}]
        assert asyncio.run(module.acall("go", 1)) == [11, 2, {"got": 1}]
        assert module.call("sum", 1, 2, 3) == 3
        assert "go" in module.names()


def test_async_functions_of_parallel_branches_overlap() -> None:
    running = most = 0

    async def work(n: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return n * n

    value = harnpy.run("return parallel each [1, 2, 3] { n -> work(n) }", functions={"work": work}).value
    assert (value, most) == ([1, 4, 9], 3)


def test_a_function_of_harn_comes_to_the_host_and_back() -> None:
    with harnpy.Session() as session:
        module = session.load("fn adder(n) { return { x -> x + n } }\nfn twice(f, x) { return f(f(x)) }")
        add3 = module.call("adder", 3)
        assert add3(4) == 7
        assert module.call("twice", add3, 1) == 7
        assert module.call("twice", lambda x: x * 5, 2) == 50


def test_a_function_of_the_host_may_call_back_into_the_running_program() -> None:
    with harnpy.Session() as session:
        session.define("apply", lambda f, x: f(x) + 1)
        assert session.run("return apply({ x -> x * 10 }, 4)").value == 41
        session.define("guarded", lambda f: _caught(f))
        assert session.run('return guarded({ -> throw "no" })').value == "caught no"


def _caught(f) -> str:
    try:
        return f()
    except harnpy.HarnError as error:
        return f"caught {error.value}"


def test_an_exception_of_a_host_function_can_be_caught_and_keeps_its_cause() -> None:
    def broken() -> None:
        raise KeyError("lost")

    with harnpy.Session(functions={"broken": broken}) as session:
        program = "try { broken() } catch (e) { return [e.category, e.kind, e.exception, e.message] }"
        assert session.run(program).value == ["generic", "host_error", "KeyError", "broken: KeyError: 'lost'"]
        with pytest.raises(harnpy.HarnError) as caught:
            session.run("broken()")
        assert isinstance(caught.value.__cause__, KeyError)


def test_wrong_arguments_are_a_type_error_of_the_program() -> None:
    with pytest.raises(harnpy.HarnError, match="Type error: two: missing a required argument: 'b'"):
        harnpy.run("two(1)", functions={"two": lambda a, b: a})


@pytest.mark.parametrize("name", ["println", "host_tools", "no name", "größe", "match", "true"])
def test_names_that_cannot_be_defined(name: str) -> None:
    with pytest.raises(ValueError, match="Harn"):
        harnpy.Session(functions={name: print})


def test_a_module_names_what_it_declares_and_imports() -> None:
    with harnpy.Session() as session:
        module = session.load('import {compose} from "std/llm/handlers"\nconst a = 1\nfn f() { return a }')
        assert module.names() == ["a", "compose", "f"]
        assert module["a"] == 1
        with pytest.raises(KeyError, match="declares no 'nothing'; it has a, compose, f"):
            module.call("nothing")
        with pytest.raises(KeyError, match="declares no 'nothing'"):
            module["nothing"]
        with pytest.raises(TypeError, match="a is no function"):
            module.call("a")


def test_a_list_of_the_host_is_not_changed_by_a_program() -> None:
    with harnpy.Session() as session:
        mine = [1, 2]
        assert session.load("fn grow(xs) { let ys = xs\nys[0] = 9\nreturn ys }").call("grow", mine) == [9, 2]
        assert mine == [1, 2]


def test_tools_of_the_host_run_in_an_agent_loop(tmp_path) -> None:
    async def weather(city: str, days: int = 1) -> str:
        """Tell the weather.

        Longer words that the model does not see.
        """
        await asyncio.sleep(0)
        return f"sunny in {city} for {days}"

    with harnpy.Session(tools=[weather], env={}, virtual_time=0) as session:
        call = {"id": "c1", "name": "weather", "arguments": {"city": "Rome"}}
        session.mock({"text": "", "tool_calls": [call]})
        session.mock("It is sunny.")
        ran = session.run(
            'const opts = {provider: "openai", model: "gpt-4o", tools: host_tools()}\n'
            'const r = agent_loop(harness, "Weather?", nil, opts)\n'
            "return [r.text, tool_list(host_tools())]"
        )
        text, [entry] = ran.value
        assert text == "It is sunny."
        assert (entry["name"], entry["description"]) == ("weather", "Tell the weather.")
        assert entry["parameters"]["days"] == {"required": False, "type": "integer"}
        assert ran.usage["call_count"] == 2
        assert "sunny in Rome for 1" in str(session.mocked_calls()[-1])


def test_a_clock_of_the_host() -> None:
    class Noon:
        def time_ns(self) -> int:
            return 43_200_000_000_000

        def monotonic_ns(self) -> int:
            return 5

    assert harnpy.run("return [now_ms(), monotonic_ms()]", clock=Noon()).value == [43_200_000, 0]


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="f is to be a function, not a int"):
        harnpy.Session(functions={"f": 3})  # type: ignore[dict-item]


def test_a_cancelled_awaitable_of_the_host_has_failed_and_cancels_nothing() -> None:
    async def cancelled() -> None:
        raise asyncio.CancelledError

    program = "try { cancelled() } catch (e) { return [e.kind, e.message] }"
    found = ["host_error", "cancelled: RuntimeError: it was cancelled"]
    assert harnpy.run(program, functions={"cancelled": cancelled}).value == found
    assert asyncio.run(harnpy.arun(program, functions={"cancelled": cancelled})).value == found


def test_context_variables_of_the_host_reach_its_functions() -> None:
    name: ContextVar[str] = ContextVar("name")

    async def slowly() -> str:
        await asyncio.sleep(0)
        return name.get()

    async def handle(user: str) -> list[str]:
        name.set(user)
        program = "return [now(), later(), ...parallel each [1] { _ -> later() }]"
        return list((await harnpy.arun(program, functions={"now": lambda: name.get(), "later": slowly})).value)

    async def main() -> list[list[str]]:
        return list(await asyncio.gather(handle("a"), handle("b")))

    assert asyncio.run(main()) == [["a"] * 3, ["b"] * 3]
