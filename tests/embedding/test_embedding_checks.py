"""What a session refuses at once, with an exception that says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import harnpy


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"time_limit": -1}, ValueError, "time_limit is more than 0, not -1"),
        ({"time_limit": float("nan")}, ValueError, "time_limit is more than 0"),
        ({"time_limit": "5"}, TypeError, "time_limit is a number, not a str"),
        ({"max_depth": 1}, ValueError, "max_depth is from 16 to 10000, not 1"),
        ({"max_steps": 0}, ValueError, "max_steps is more than 0"),
        ({"max_steps": 1.5}, TypeError, "max_steps is a number, not a float"),
        ({"max_cost": 0}, ValueError, "max_cost is more than 0"),
        ({"max_steps": True}, TypeError, "max_steps is a number, not a bool"),
        ({"allow": "net"}, TypeError, "allow is a list of texts, not 'net'"),
        ({"deny": ["fs", "nett"]}, ValueError, "deny: there is no capability 'nett'"),
        ({"argv": "abc"}, TypeError, "argv is a list of texts"),
        ({"argv": [1]}, TypeError, "argv is a list of texts"),
        ({"env": {"A": 1}}, TypeError, "env: 'A' is a int; names and values are texts"),
        ({"env": ["A"]}, TypeError, "env is a mapping of names, not a list"),
        ({"functions": [len]}, TypeError, "functions is a mapping of names, not a list"),
        ({"providers": [len]}, TypeError, "providers is a mapping of names, not a list"),
        ({"providers": {"mine": 3}}, TypeError, "the provider 'mine' is to be callable, not a int"),
        ({"write_roots": "/srv/data"}, TypeError, "write_roots is a list of folders, not '/srv/data'"),
        ({"read_roots": Path("/srv")}, TypeError, "read_roots is a list of folders"),
        ({"write_roots": [3]}, TypeError, "write_roots is a list of folders"),
        ({"stdin": b"x"}, TypeError, "stdin is a text, not a bytes"),
        ({"shared": 3}, TypeError, "shared is a harnpy.Shared, not a int"),
        ({"seed": "1"}, TypeError, "seed is a whole number, not a str"),
        ({"virtual_time": 1.5}, TypeError, "virtual_time is a whole number, not a float"),
        ({"virtual_time": True}, TypeError, "virtual_time is a whole number, not a bool"),
        ({"clock": 3}, TypeError, "a clock has the methods time_ns and monotonic_ns; a int has no time_ns"),
        ({"llm_mock": 3}, TypeError, "llm_mock is the path of a file, not a int"),
        ({"llm_mock": "/nowhere/x.jsonl"}, FileNotFoundError, "/nowhere/x.jsonl"),
        ({"llm_mock_record": "/nowhere/x.jsonl"}, FileNotFoundError, "/nowhere/x.jsonl"),
    ],
)
def test_options_that_a_session_refuses(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        harnpy.Session(**options)


def test_a_folder_may_be_a_path(tmp_path: Path) -> None:
    program = f'harness.fs.write_text("{tmp_path}/x.txt", "there"); return harness.fs.read_text("{tmp_path}/x.txt")'
    assert harnpy.run(program, write_roots=[tmp_path]).value == "there"


@pytest.mark.parametrize("program", [b"return 1", Path("x.harn"), None])
def test_what_is_no_program(program: Any) -> None:
    with pytest.raises(TypeError, match="a program is a Program or a text"):
        harnpy.run(program)


def test_a_closed_session_runs_nothing() -> None:
    with harnpy.Session() as session:
        module = session.load("fn f() { return 1 }")
    session.close()  # once more: nothing happens
    for attempt in (lambda: session.run("return 1"), lambda: module.call("f")):
        with pytest.raises(RuntimeError, match="the session is closed"):
            attempt()


def test_an_error_says_what_and_where_and_shows_no_frame_of_the_interpreter() -> None:
    import traceback

    def broken() -> None:
        raise KeyError("lost")

    program = harnpy.Program("fn f() {\n  broken()\n}\nf()", path="job.harn")
    with pytest.raises(harnpy.HarnError) as caught:
        harnpy.run(program, functions={"broken": broken})
    assert str(caught.value) == "Error [generic]: broken: KeyError: 'lost' (at job.harn:2:3)"
    shown = traceback.format_exception(caught.value, chain=False)
    assert not [line for line in shown if "/runtime/" in line]
    cause = caught.value.__cause__
    assert cause is not None
    assert "in broken" in "".join(traceback.format_tb(cause.__traceback__))


def test_the_cost_of_a_run_has_a_limit_that_the_program_cannot_raise() -> None:
    call = 'harness.llm.call_safe("x", nil, {provider: "openai", model: "gpt-4o"})'
    program = f"""
        harness.llm.budget(1000)
        let made = 0
        for i in 0 to 4 {{ if {call}.ok {{ made = made + 1 }} }}
        return [made, {call}.error?.category]
    """
    with harnpy.Session(max_cost=0.5) as session:
        for _ in range(2):  # each run has its own
            session.mock({"text": "yes", "match": "*", "simulated_cost_usd": 0.2})
            ran = session.run(program)
            assert ran.value == [3, "budget_exceeded"]
            assert ran.usage["total_cost"] == pytest.approx(0.6)
