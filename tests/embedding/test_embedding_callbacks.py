"""Functions of the host that call back into the running program, and streams in both directions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import harnpy


def test_an_async_function_awaits_functions_of_harn() -> None:
    async def each(f: Any, items: list[int]) -> list[int]:
        return list(await asyncio.gather(*(f.acall(item) for item in items)))

    program = "return each({ x -> do_wait(x) * 10 }, [1, 2, 3])"

    async def do_wait(x: int) -> int:
        await asyncio.sleep(0.001)
        return x

    functions = {"each": each, "do_wait": do_wait}
    assert harnpy.run(program, functions=functions).value == [10, 20, 30]
    assert asyncio.run(harnpy.arun(program, functions=functions)).value == [10, 20, 30]


def test_waits_inside_a_callback_take_no_real_time_on_a_virtual_clock() -> None:
    async def twice(f: Any) -> list[Any]:
        return list(await asyncio.gather(f.acall(1), f.acall(2)))

    program = "const r = twice({ n -> sleep_ms(n * 3600000)\n n })\nreturn [r, monotonic_ms()]"
    assert harnpy.run(program, functions={"twice": twice}, virtual_time=0).value == [[1, 2], 7_200_000]


def test_a_callback_throws_into_the_host_and_through_it() -> None:
    seen: list[Any] = []

    async def guarded(f: Any) -> str:
        try:
            return str(await f.acall())
        except harnpy.HarnError as error:
            seen.append((error.value, str(error)))
            raise

    program = "enum E { A(x) }\ntry { guarded({ -> throw E.A(1) }) } catch (e) { return type_of(e) }"
    assert harnpy.run(program, functions={"guarded": guarded}).value == "enum"
    [(value, text)] = seen
    assert (value.name, value.fields) == ("A", (1,))
    assert text == "Thrown: E.A(1) (at <program>:2:20)"


def test_a_sync_callback_keeps_its_type_of_error_too() -> None:
    def guarded(f: Any) -> str:
        try:
            return str(f())
        except harnpy.HarnError as error:
            return f"{type(error.value).__name__} {error.value}"

    program = "enum E { A(x) }\nreturn guarded({ -> throw E.A(1) })"
    assert harnpy.run(program, functions={"guarded": guarded}).value == "Variant E.A(1)"


@pytest.mark.parametrize("wait", [True, False])
def test_what_passes_through_the_host_is_for_the_program_what_was_thrown(wait: bool) -> None:
    def plainly(f: Any) -> Any:
        return f()

    async def later(f: Any) -> Any:
        return await f.acall()

    program = """
        struct Lost { what: string }
        try { call({ -> throw Lost {what: "key"} }) } catch (e) { return type_of(e) + " " + e.what }
    """
    assert harnpy.run(program, functions={"call": later if wait else plainly}).value == "struct key"


def test_an_error_that_the_host_raises_itself_reaches_the_program_as_it_is() -> None:
    def refuse() -> None:
        raise harnpy.HarnError({"category": "rate_limit", "message": "slow down", "tags": ("a", "b")})

    program = "try { refuse() } catch (e) { return [e.category, e.tags] }"
    assert harnpy.run(program, functions={"refuse": refuse}).value == ["rate_limit", ["a", "b"]]

    def odd() -> None:
        raise harnpy.HarnError(object())

    with pytest.raises(harnpy.HarnError, match="odd: TypeError: Harn has no value like a object"):
        harnpy.run("odd()", functions={"odd": odd})


def test_calling_instead_of_awaiting_is_a_clear_error() -> None:
    async def wrong(f: Any) -> Any:
        await asyncio.sleep(0)
        return f()

    with pytest.raises(harnpy.HarnError, match=r"await f.acall\(\.\.\.\)"):
        harnpy.run("wrong({ -> 1 })", functions={"wrong": wrong})


def test_calling_from_another_thread_is_a_clear_error() -> None:
    async def wrong(f: Any) -> Any:
        return await asyncio.to_thread(f)

    with pytest.raises(harnpy.HarnError, match="in the thread of the run"):
        harnpy.run("wrong({ -> 1 })", functions={"wrong": wrong})


def test_a_session_run_inside_a_host_function_leaves_the_running_program_alone() -> None:
    with harnpy.Session() as session:
        session.define("inner", lambda: session.run("fn f() { return 5 }\nreturn f()").value)
        assert session.run("fn f() { return 1 }\nreturn [inner(), f(), inner()]").value == [5, 1, 5]


def test_parallel_callbacks_that_wait_do_not_disturb_other_tasks_of_the_loop() -> None:
    """While a sync host function waits for Harn, others in the same loop must not slip into its program."""

    async def main() -> tuple[Any, str]:
        with harnpy.Session(functions={"apply": lambda f: f()}) as session:
            running = asyncio.create_task(session.arun("return apply({ -> sleep_ms(20)\n 3 })"))
            await asyncio.sleep(0.001)
            with pytest.raises(RuntimeError) as caught:
                session.run("return 4")
            return (await running).value, str(caught.value)

    value, message = asyncio.run(main())
    assert value == 3
    assert "running something already" in message


def test_a_deadline_of_the_program_cancels_what_the_host_waits_for() -> None:
    seen: list[str] = []

    async def slow(f: Any) -> Any:
        try:
            return await f.acall()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    program = """
        fn inner() { try { sleep_ms(60000) } finally { note("inner clean") } }
        try { deadline 20ms { slow(inner) } } catch (e) { return e }
    """
    ran = harnpy.run(program, functions={"slow": slow, "note": seen.append})
    assert "Deadline" in ran.value
    assert seen == ["inner clean", "cancelled"]


def test_exit_inside_a_callback_ends_the_run() -> None:
    async def call(f: Any) -> Any:
        return await f.acall()

    assert harnpy.run("call({ -> exit(4) })", functions={"call": call}).exit_code == 4


def test_a_generator_of_the_host_is_an_iterator_of_harn() -> None:
    closed: list[str] = []

    def count(n: int) -> Iterator[int]:
        yield from range(n)

    async def ticks() -> AsyncIterator[int]:
        try:
            number = 0
            while True:
                await asyncio.sleep(0)
                yield number
                number += 1
        finally:
            closed.append("closed")

    program = """
        let found = []
        for x in ticks() { if x > 2 { break }
            found = found + [x] }
        return [found, count(3).to_list()]
    """
    ran = harnpy.run(program, functions={"count": count, "ticks": ticks})
    assert ran.value == [[0, 1, 2], [0, 1, 2]]
    assert closed == ["closed"]


def test_a_generator_of_the_host_that_breaks() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise KeyError("lost")

    program = "let n = 0\ntry { for x in broken() { n = n + x } } catch (e) { return [n, e.exception] }"
    assert harnpy.run(program, functions={"broken": broken}).value == [1, "KeyError"]


GENERATOR = "gen fn numbers() { emit 1\n emit {n: 2} }\n"


def test_a_stream_of_harn_is_iterated_by_the_host() -> None:
    async def later(stream: Any) -> list[Any]:
        return [item async for item in stream]

    program = GENERATOR + "return [now(numbers()), later(numbers()), same(numbers()).to_list()]"
    functions = {"now": list, "later": later, "same": lambda stream: stream}
    assert harnpy.run(program, functions=functions).value == [[1, {"n": 2}]] * 3


def test_a_stream_ends_with_its_run() -> None:
    stream = harnpy.run(GENERATOR + "return numbers()").value
    assert isinstance(stream, harnpy.Stream)
    with pytest.raises(RuntimeError, match="a stream ends with the run that made it"):
        list(stream)


def test_names_of_functions_are_shown() -> None:
    assert repr(harnpy.run("fn f(x) { return x }\nreturn f").value) == "Function(<fn(x)>)"


def test_ctrl_c_runs_the_clean_up_and_is_one_for_the_host_too() -> None:
    import _thread

    seen: list[str] = []
    started = threading.Event()

    def press() -> None:
        started.wait(20)
        _thread.interrupt_main()

    thread = threading.Thread(target=press)
    thread.start()
    program = 'try { started()\nsleep_ms(60000) } finally { note("clean") }'
    with pytest.raises(KeyboardInterrupt):
        harnpy.run(program, functions={"started": started.set, "note": seen.append})
    thread.join()
    assert seen == ["clean"]
