"""Running programs from Python: results, errors, limits, policy, nothing printed."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import get_type_hints

import pytest

import harnpy
from harnpy.embedding_options import SessionOptions


def test_a_run_gives_value_output_usage_and_exit_code(capfd: pytest.CaptureFixture[str]) -> None:
    ran = harnpy.run('println("hi")\neprintln("err")\nreturn {b: [1, 2.5, nil], a: true}')
    assert (ran.value, ran.stdout, ran.stderr, ran.exit_code) == ({"a": True, "b": [1, 2.5, None]}, "hi\n", "err\n", 0)
    assert ran.usage == {"total_cost": 0.0, "input_tokens": 0, "output_tokens": 0, "call_count": 0}
    assert capfd.readouterr() == ("", "")


def test_exit_gives_its_code_and_ends_nothing_else() -> None:
    assert harnpy.run("println(1)\nexit(3)").exit_code == 3
    assert harnpy.run("fn main(harness: Harness) { return 4 }").exit_code == 4
    ran = harnpy.run('fn main(harness: Harness) { return Err("no") }')
    assert (ran.exit_code, ran.stderr) == (1, "no\n")
    assert (ran.value.enum, ran.value.name, ran.value.fields) == ("Result", "Err", ("no",))


def test_an_uncaught_error_has_value_and_diagnostic() -> None:
    program = harnpy.Program("fn f() { throw {code: 7} }\nfn main(harness: Harness) { f() }", path="job.harn")
    with pytest.raises(harnpy.HarnError) as caught:
        harnpy.run(program)
    assert caught.value.value == {"code": 7}
    diagnostic = caught.value.diagnostic
    assert diagnostic is not None
    assert diagnostic.message == "Thrown: {code: 7}"
    assert diagnostic.source is not None
    assert diagnostic.span is not None
    assert diagnostic.source.line_column(diagnostic.span[0]) == (1, 10)
    assert diagnostic.notes == ("called from main at job.harn:2",)


def test_a_refused_program_has_diagnostics_and_runs_nothing() -> None:
    with pytest.raises(harnpy.RejectedProgram) as caught:
        harnpy.Program("const x = )")
    assert caught.value.diagnostics[0].code == "HARN-PAR-001"
    with pytest.raises(harnpy.RejectedProgram) as caught:
        harnpy.run("println(nobody_knows_me)")
    assert caught.value.diagnostic is caught.value.diagnostics[0]


def test_limits_and_policy() -> None:
    with pytest.raises(harnpy.RunTimeout):
        harnpy.run("while true { }", time_limit=0.05)
    with pytest.raises(harnpy.HarnError, match="Stack overflow"):
        harnpy.run("fn f(n) { return 1 + f(n) }\nf(1)", max_depth=100)
    with pytest.raises(harnpy.RunTimeout):
        harnpy.run("while true { }", max_steps=1000)
    with pytest.raises(harnpy.HarnError, match="HARN-CAP-201"):
        harnpy.run('harness.env.get("HOME")', deny=["env"])


def test_read_and_write_roots(tmp_path) -> None:
    (tmp_path / "in.txt").write_text("text")
    read = f"return harness.fs.read_text({str(tmp_path / 'in.txt')!r})".replace("'", '"')
    with pytest.raises(harnpy.HarnError):
        harnpy.run(read)
    assert harnpy.run(read, read_roots=[tmp_path]).value == "text"
    assert harnpy.run(read, sandbox=False).value == "text"


def test_a_program_runs_in_many_sessions_and_imports_from_its_folder(tmp_path) -> None:
    (tmp_path / "shapes.harn").write_text("pub fn area(w, h) { return w * h }\n")
    (tmp_path / "job.harn").write_text('import {area} from "./shapes"\nlet n = 0\nn = n + area(2, 3)\nreturn n\n')
    program = harnpy.Program.from_file(tmp_path / "job.harn")
    assert [harnpy.run(program).value for _ in range(3)] == [6, 6, 6]
    with harnpy.Session() as session:
        assert [session.run(program).value for _ in range(2)] == [6, 6]


def test_sessions_run_in_parallel_threads() -> None:
    program = harnpy.Program("let n = 0\nfor i in 0 to 2000 { n = n + i }\nreturn n")
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(harnpy.run(program).value)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2001000] * 4


def test_a_session_does_one_thing_at_a_time_and_can_be_interrupted() -> None:
    session = harnpy.Session()
    started = threading.Event()
    session.define("tell_started", started.set)
    ended: list[BaseException] = []

    def work() -> None:
        try:
            session.run('try { tell_started()\nwhile true { } } finally { println("clean") }')
        except harnpy.HarnpyError as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert started.wait(20)
    with pytest.raises(RuntimeError, match="running something already"):
        session.run("return 1")
    session.interrupt()
    thread.join(20)
    assert [type(error) for error in ended] == [harnpy.RunInterrupted]
    assert session.stdout == "clean\n"
    session.interrupt()  # nothing runs: nothing happens
    assert session.run("return 1").value == 1


def test_events_reach_the_host_redacted() -> None:
    seen: list[dict[str, object]] = []
    program = 'agent_emit_event("s", "tool_call", {key: "sk-abcdef1234567"})'
    ran = harnpy.run(program, on_event=seen.append)
    assert [event["type"] for event in ran.events] == ["tool_call"]
    assert seen == ran.events
    assert "abcdef" not in str(seen)


async def _many() -> list[object]:
    program = "sleep_ms(5)\nreturn argv[0]"
    return [ran.value for ran in await asyncio.gather(*(harnpy.arun(program, argv=[str(n)]) for n in range(5)))]


def test_arun_lives_in_a_running_loop() -> None:
    assert asyncio.run(_many()) == ["0", "1", "2", "3", "4"]


def test_cancelling_the_awaiting_task_runs_clean_up() -> None:
    async def main() -> str:
        session = harnpy.Session()
        task = asyncio.create_task(session.arun('try { sleep_ms(60000) } finally { println("clean") }'))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return session.stdout

    assert asyncio.run(main()) == "clean\n"


@pytest.mark.parametrize("work", ["", "slowly()"])
def test_tasks_that_are_always_ready_let_the_loop_go_on_and_can_be_cancelled(work: str) -> None:
    seen: list[str] = []

    async def slowly() -> None:
        await asyncio.sleep(3600)

    program = f"""
        defer {{ note("clean") }}
        const ping = channel("ping", 1)
        const pong = channel("pong", 1)
        parallel each [0, 1, 2] {{ n ->
          if n == 2 {{ {work} }}
          while n < 2 {{
            if n == 0 {{ send(ping, 1)
              receive(pong) }} else {{ receive(ping)
              send(pong, 1) }}
          }}
        }}
    """

    async def main() -> None:
        functions = {"note": seen.append, "slowly": slowly}
        task = asyncio.create_task(harnpy.arun(program, functions=functions, time_limit=20))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["clean"]


def test_run_inside_a_running_loop_works_too() -> None:
    async def main() -> object:
        return harnpy.run("sleep_ms(1)\nreturn 2").value

    assert asyncio.run(main()) == 2


def test_the_type_of_the_options_names_what_a_session_takes() -> None:
    taken = set(inspect.signature(harnpy.Session.__init__).parameters) - {"self"}
    assert set(get_type_hints(SessionOptions)) == taken
