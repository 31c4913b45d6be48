"""Connecting modules: the standard library, leading handles, namespaces, collisions."""

from __future__ import annotations

import pytest

from harnpy import resources
from harnpy.analysis.linking import link, warnings_of
from harnpy.analysis.modules import load_graph, read_source
from harnpy.builtins import registry
from harnpy.options import Options
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Give a function that writes modules of a standard library made for the test."""
    folder = tmp_path / "stdlib"
    monkeypatch.setattr(resources, "stdlib_dir", lambda: str(folder))

    def write(**files):
        for name, text in files.items():
            path = folder / (name.replace("__", "/") + ".harn")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    return write


def run(text):
    streams, out, err = memory_streams()
    session = Session(Options(no_cache=True), streams)
    code = session.run(lambda: Source("<test>", text))
    session.close()
    return code, "".join(out), "".join(err)


def faults(source):
    return [(finding.code, finding.message) for finding in link(load_graph(source, use_cache=False), registry)]


def test_std_functions_drop_a_leading_handle(library):
    library(
        t="pub fn plain(a, b = 2, ...rest) { return [a, b, rest] }\n"
        "pub fn none() { return 1 }\n"
        "pub fn typed(h: Harness, a) { return [type_of(h), a] }\n"
        "pub fn clock(c: HarnessClock) { return type_of(c) }\n"
        "pub fn named(harness, a) { return [type_of(harness), a] }\n"
        "pub const closure = { a -> type_of(a) }\n"
        "fn inner(a) { return type_of(a) }\n"
        "pub fn calls_inner() { return inner(harness) }\n"
    )
    program = """
import * as t from "std/t"
import "std/t"
println(plain(harness, 1))
println(plain(harness.clock, 1, 3, 4))
println(plain(1, harness.clock, 3))
println(none(harness))
println(typed(harness, 1))
println(clock(harness.clock))
println(named(harness, 1))
println(closure(harness.fs, 5))
println(calls_inner(harness))
println(t.plain(harness, 9))
println([1, 2].map(plain))
"""
    code, out, err = run(program)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "[1, 2, []]",
        "[1, 3, [4]]",
        "[1, <HarnessClock>, [3]]",
        "1",
        "[Harness, 1]",
        "HarnessClock",
        "[Harness, 1]",
        "int",
        "Harness",
        "[9, 2, []]",
        "[[1, 2, []], [2, 2, []]]",
    ]


def test_user_functions_keep_a_leading_handle(tmp_path):
    (tmp_path / "lib.harn").write_text("pub fn f(a) { return type_of(a) }\n")
    (tmp_path / "main.harn").write_text('import {f} from "./lib"\nprintln(f(harness))\n')
    assert run_file(tmp_path / "main.harn") == (0, "Harness\n", "")


def run_file(path):
    streams, out, err = memory_streams()
    session = Session(Options(no_cache=True), streams)
    code = session.run(lambda: read_source(str(path)))
    session.close()
    return code, "".join(out), "".join(err)


def test_std_modules_import_each_other_by_either_path(library):
    library(
        llm__one='import {two} from "std/llm/two"\nimport {three} from "../three"\n'
        "pub fn one() { return two() + three() }\n",
        llm__two="pub fn two() { return 2 }\n",
        three="pub fn three() { return 3 }\n",
    )
    assert run("import std::llm::one::{one}\nprintln(one())\n") == (0, "5\n", "")


@pytest.mark.parametrize("path", ["std/../secret", "std/x/../../secret", "std/", "std//x", "std/none"])
def test_std_paths_stay_in_the_library(library, tmp_path, path):
    library(x="pub const x = 1\n")
    (tmp_path / "secret.harn").write_text("pub const x = 1\n")
    code, _, err = run(f'import {{x}} from "{path}"\n')
    assert code == 1
    assert "Unknown stdlib module" in err


def test_unknown_std_module_has_a_suggestion(library):
    library(llm__handlers="pub const x = 1\n")
    assert "did you mean `std/llm/handlers`?" in run('import {x} from "std/llm/handler"\n')[2]


def test_namespaces(tmp_path):
    (tmp_path / "m.harn").write_text("pub let n = 1\npub fn up() { n = n + 1 }\nfn hidden() { }\n")
    (tmp_path / "main.harn").write_text(
        'import * as m from "./m"\nm.up()\nprintln(m.n)\nconst k = m\nk.up()\nprintln(k.n)\n'
        "try { println(m.hidden) } catch (e) { println(e) }\nm = 1\n"
    )
    code, out, err = run_file(tmp_path / "main.harn")
    assert (code, out) == (1, "")
    assert "Cannot assign to immutable binding: m" in err
    (tmp_path / "main.harn").write_text((tmp_path / "main.harn").read_text().replace("m = 1\n", ""))
    code, out, _ = run_file(tmp_path / "main.harn")
    assert code == 0
    assert out.splitlines()[:2] == ["2", "3"]
    assert "hidden" in out.splitlines()[2]


def test_namespace_name_that_is_taken(tmp_path):
    (tmp_path / "m.harn").write_text("pub const x = 1\n")
    main = tmp_path / "main.harn"
    for rest in ("const m = 1\n", 'import * as m from "./m"\n'):
        main.write_text('import * as m from "./m"\n' + rest)
        assert [code for code, _ in faults(read_source(str(main)))] == ["HARN-MOD-005"]


def test_the_same_type_by_two_routes_is_no_collision(tmp_path):
    (tmp_path / "t.harn").write_text("pub type T = int\npub struct S { a: int }\n")
    (tmp_path / "a.harn").write_text('pub import {T, S} from "./t"\n')
    (tmp_path / "main.harn").write_text('import "./a"\nimport {T, S} from "./t"\nconst x: T = 1\nprintln(S {a: x})\n')
    assert run_file(tmp_path / "main.harn") == (0, "S {a: 1}\n", "")


def test_a_local_type_named_like_an_imported_one(tmp_path):
    (tmp_path / "t.harn").write_text("pub type T = int\n")
    (tmp_path / "main.harn").write_text('import {T} from "./t"\ntype T = string\n')
    assert [code for code, _ in faults(read_source(str(tmp_path / "main.harn")))] == ["HARN-MOD-005"]


def test_a_type_used_as_a_value():
    source = Source("<test>", "type T = int\nprintln(T)\n")
    (finding,) = link(load_graph(source, use_cache=False), registry)
    assert (finding.message, finding.hint) == ("Undefined variable: T", "a type is no value")


def test_hints_see_local_names_at_the_very_place():
    source = Source("<test>", "fn f() { if 1 { let counter = 1\n print(countr) }\n print(countr) }\n")
    messages = [message for _, message in faults(source)]
    assert messages[0] == "Undefined variable: countr (did you mean `counter`?)"
    assert "counter" not in messages[1]


def test_warnings_are_those_of_the_users_files(library):
    library(w="let n = 0\npub fn f() { parallel each [1] { x -> n = x } }\n")
    source = Source("<test>", 'import {f} from "std/w"\n@odd fn g() { f() }\n@deprecated(use: "g") fn h() { }\nh()\n')
    graph = load_graph(source, use_cache=False)
    assert link(graph, registry) == []
    assert [(warning.code, warning.hint) for warning in warnings_of(graph)] == [
        ("HARN-NAM-009", "use `g`"),
        ("HARN-NAM-003", None),
    ]


@pytest.mark.parametrize(("name", "hint"), [("None", "`nil`"), ("null", "`nil`"), ("True", "`true`"), ("total", None)])
def test_values_of_other_languages_have_a_hint(run_harn, name: str, hint: str | None) -> None:
    err = run_harn(f"println({name})").err
    assert f"Undefined variable: {name}" in err
    assert ("hint" in err) == (hint is not None)
    assert hint is None or hint in err
