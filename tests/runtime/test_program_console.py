"""Inputs of a console see each other's names and may declare them anew."""

from __future__ import annotations

import pytest

from harnpy.errors import HarnError, RejectedProgram
from harnpy.options import Options
from harnpy.runtime.console import Console
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams


@pytest.fixture
def console():
    """Give a function that runs inputs and gives the value of the last one."""
    streams, _, _ = memory_streams()
    session = Session(Options(no_cache=True), streams)
    made = Console(session.context)
    count = 0

    def run(*texts):
        nonlocal count
        value = None
        for text in texts:
            count += 1
            source = Source(f"<input {count}>", text + "\n")
            value = session.context.scheduler.run(lambda source=source: made.run(source))
        return value

    run.console = made
    yield run
    session.close()


def test_values_and_names_live_on(console):
    assert console("let a = 1", "a = a + 1", "a * 10") == 20
    assert console("const b = a") is None
    assert console('if b == 2 { "two" } else { "other" }') == "two"
    assert console.console.names() == ["a", "b"]


def test_names_may_be_declared_anew(console):
    assert console("const a = 1", "const a = a + 1", "a") == 2
    assert console("fn f() { return 1 }", "fn g() { return f() }", "fn f() { return 2 }", "g()") == 2


def test_constants_stay_constant(console):
    console("const a = 1")
    with pytest.raises(RejectedProgram) as caught:
        console("a = 2")
    assert caught.value.diagnostics[0].code == "HARN-OWN-001"
    assert console("let a = 1", "a = 2", "a") == 2


def test_closures_share_variables_over_inputs(console):
    assert console("let n = 0", "const up = { -> n = n + 1 }", "up()", "up()", "n") == 2


def test_types_enums_and_structs(console):
    console("type T = {a: int}", "enum E { One, Two }", "struct S { x: int }")
    console("impl S { fn get(self) { return self.x } }")
    assert console("match E.Two { One -> { 1 } Two -> { 2 } }") == 2
    assert console("S {x: 5}.get()") == 5
    assert console("schema_is({a: 1}, T)") is True
    with pytest.raises(HarnError, match="missing field 'a'"):
        console("fn f(t: T) { return t }", "f({})")


def test_imports(console, tmp_path, monkeypatch):
    (tmp_path / "m.harn").write_text("pub let n = 1\npub fn up() { n = n + 1 }\npub type T = int\n")
    monkeypatch.chdir(tmp_path)
    assert console('import {n, up} from "./m"', "up()", "n") == 2
    assert console('import * as m from "./m"', "m.up()", "n") == 3
    with pytest.raises(RejectedProgram):
        console("n = 5")
    assert console("let n = 50", "n = n + 1", "n") == 51
    assert console("m.n") == 3


def test_whole_imports(console, tmp_path, monkeypatch):
    (tmp_path / "m.harn").write_text("pub fn one() { return 1 }\npub type T = int\n")
    monkeypatch.chdir(tmp_path)
    assert console('import "./m"', "one()", "schema_is(one(), T)") is True


def test_a_failed_input_changes_nothing_else(console):
    console("let a = 1")
    with pytest.raises(RejectedProgram):
        console("let a = nothing_here")
    with pytest.raises(HarnError):
        console("const b = 1 / 0")
    assert console("a") == 1
    with pytest.raises(HarnError, match="Undefined variable: b"):
        console("b")
