"""What `harnpy check` says of slips that run all the same, and where it says nothing because it cannot be certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from harnpy.analysis.linking import link, warnings_of
from harnpy.analysis.modules import load_graph, read_source
from harnpy.builtins import registry
from harnpy.capabilities.methods import METHODS, parse
from harnpy.cli.lints import lints
from harnpy.runtime.program import check_program
from harnpy.source import Source


def found(text: str) -> list[tuple[str | None, str, str]]:
    """Give code, severity and the text that is marked, for each finding."""
    findings = check_program(Source("test.harn", text), registry, lints)
    return [
        (each.code, each.severity, "" if each.span is None else text[slice(*each.span)].split("(")[0])
        for each in findings
    ]


def messages(text: str) -> list[str]:
    return [f"{each.message}; {each.hint}" for each in check_program(Source("test.harn", text), registry, lints)]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("let xs = [1]\nxs.push(2)", "xs.push"),
        ("let xs = [1]\nxs = xs + [2]\nxs.sort()", "xs.sort"),
        ("let xs = [1]\nxs = xs.map({ x -> x }).sort()\nxs.sort_by({ x -> x })", "xs.sort_by"),
        ("fn f(xs: list<int>) { xs.reverse() }\nf([])", "xs.reverse"),
        ("type Names = list<string>\nfn f(xs: Names) { if true { xs.pop() } }\nf([])", "xs.pop"),
        ("fn f(s: {items: list}) { s.items.push(1) }\nf({items: []})", "s.items.push"),
        ('const state = {items: [], name: "a"}\nstate.items.push(1)', "state.items.push"),
        ('const state = {items: [], name: "a"}\nstate.name.upper()', "state.name.upper"),
        ('const d = {a: 1}\nd.remove("a")', "d.remove"),
        ("const d = {a: 1}\nfor x in [1] { d.merge({b: x}) }", "d.merge"),
        ("fn f(s: set<int>) { s.add(1)\n return s }\nf(set(1))", "s.add"),
        ("let xs = [1]\nconst f = { ->\n  xs.push(1)\n  xs\n}\nf()", "xs.push"),
        ("let xs = [1]\nconst f = { -> match 1 { 1 -> { xs.push(1)\n 2 } } }\nf()", "xs.push"),
        ("fn main(harness: Harness) {\n  let xs = []\n  while len(xs) < 3 { xs.push(1) }\n}", "xs.push"),
    ],
)
def test_a_result_that_nobody_takes(text: str, call: str) -> None:
    assert found(text) == [("HARN-LNT-066", "error", call)]


@pytest.mark.parametrize(
    "text",
    [
        "let xs = [1]\nxs = xs.push(2)\nprintln(xs.sort())",
        "const f = { xs: list -> xs.push(2) }\nf([1])",
        "const xs = [1]\nconst ys = if true { xs.push(2) } else { xs }\nprintln(ys)",
        "const xs = [1]\nxs.map({ x -> println(x) })\nxs.filter({ x -> x })\nxs.any({ x -> println(x) })",
        "fn f(queue) { queue.push(1) }\nf({push: { x -> println(x) }})",
        "const queue = {push: { x -> println(x) }}\nqueue.push(1)",
        "struct Stack { items: list }\nimpl Stack { fn push(self, x) { println(x) } }\nStack {items: []}.push(1)",
        "let xs = [1]\nxs = make()\nxs.push(1)\nfn make() { return {push: println} }",
        "fn f(s: {a: int}) { s.keys() }\nf({a: 1})",
    ],
)
def test_what_may_be_meant_is_let_be(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('println("a", "b")', "println"),
        ('harness.stdio.println("a", "b")', "harness.stdio.println"),
        ('fn main(harness: Harness) { harness.stdio.log("a", 1) }', "harness.stdio.log"),
        ('harness.llm.call("hi", nil, {provider: "mock"}, {max_tokens: 5})', "harness.llm.call"),
        ("fn f(a, b = 1) { return a }\nf(1, 2, 3)", "f"),
        ("fn g() { fn f(a) { return a }\n return f(1, 2) }\ng()", "f"),
        ('import {compose, with_fallback} from "std/llm/handlers"\nwith_fallback(1, 2, 3)', "with_fallback"),
        ('import * as llm from "std/llm/handlers"\nllm.with_fallback(1, 2, 3)', "llm.with_fallback"),
    ],
)
def test_arguments_that_are_dropped(text: str, call: str) -> None:
    assert found(text) == [("HARN-LNT-101", "warning", call)]


@pytest.mark.parametrize(
    "text",
    [
        "fn f(a, ...more) { return more }\nf(1, 2, 3)",
        "fn f(a) { return a }\nconst args = [1, 2]\nf(...args)",
        "fn f(g) { return g(1, 2) }\nf({ a -> a })",
        "fn f(a) { return a }\nconst g = { f -> f(1, 2) }\ng(f)",
        'import {with_fallback} from "std/llm/handlers"\nwith_fallback(harness, [])',
        "println(max(1, 2))\nprintln(set(1, 2, 3, 4))",
        "const println = { a, b -> a }\nprintln(1, 2)",
    ],
)
def test_arguments_that_are_used(text: str) -> None:
    assert found(text) == []


def test_every_method_of_the_harness_can_be_looked_at() -> None:
    calls = [f"harness.{member}.{name}()" for member, rows in METHODS.items() for name in parse(rows)]
    assert len(calls) > 300
    assert found("\n".join(calls)) == []
    many = ", ".join(["1"] * 20)
    told = found("\n".join(call.replace("()", f"({many})") for call in calls))
    assert {code for code, _, _ in told} == {"HARN-LNT-101"}
    assert "harness.memory.open" not in {call for _, _, call in told}


def test_a_key_that_a_method_hides() -> None:
    assert found('const d = {count: { -> 42 }, go: { -> 1 }}\nprintln([d.count(), d.go(), d["count"](), d.count])') == [
        ("HARN-LNT-102", "warning", "d.count")
    ]
    assert found("const d = {count: 1}\nprintln(d.count())") == []


def test_their_words() -> None:
    assert messages('println("a", 1)') == [
        '`println` takes 1 argument, got 2: those behind are dropped; put them into one text: `"${a} ${b}"`'
    ]
    assert messages("fn f() { return 1 }\nf(1)") == [
        "`f` takes no arguments, got 1: those behind are dropped; leave them out"
    ]
    assert messages("let xs = []\nxs.push(1)") == [
        "The result of `push` is not used, and it changes no list; write `xs = xs.push(...)`, with `let xs`"
    ]
    assert messages("const d = {count: { -> 42 }}\nd.count()")[0] == (
        "`count` is a method of every dict, which wins over the key `count`; "
        'name the key otherwise, or call what it holds: `value["count"](...)`'
    )


def test_deep_programs_are_walked() -> None:
    assert found("let x = 0\nx = " + "1 + " * 200 + "1") == []
    assert (
        found("fn f() { " + "if true { " * 100 + "let xs = []\nxs.push(1)" + " }" * 100 + " }")[0][0] == "HARN-LNT-066"
    )


@pytest.mark.parametrize("folder", ["stdlib", "examples"])
def test_our_own_programs_have_none(root: Path, folder: str) -> None:
    paths = sorted((root / folder).rglob("*.harn"))
    assert paths
    for path in paths:
        graph = load_graph(read_source(str(path)))
        link(graph, registry)
        graph.entry.std = False
        assert [each.message for each in [*lints(graph), *warnings_of(graph)]] == [], path
