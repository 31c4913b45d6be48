"""Formatting a tree and parsing the text gives the tree again."""

from __future__ import annotations

import json

import pytest
import syntax_strategies as strategies
from hypothesis import HealthCheck, given, settings

from harnpy.source import Source
from harnpy.syntax.dump import dump
from harnpy.syntax.format import format_module, format_node
from harnpy.syntax.parser import parse

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]


def check(module):
    shown = format_module(module)
    again = parse(Source("test.harn", shown))
    assert again == module, shown
    assert format_module(again) == shown


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(strategies.expressions)
def test_expressions_survive(expr):
    check(strategies.n.Module((0, 0), (strategies.n.ExprStmt((0, 0), expr),)))


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW)
@given(strategies.types)
def test_types_survive(kind):
    check(strategies.n.Module((0, 0), (strategies.n.TypeDecl((0, 0), "T", (0, 0), kind),)))


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(strategies.modules)
def test_modules_survive(module):
    check(module)


@settings(max_examples=50, deadline=None, suppress_health_check=SLOW)
@given(strategies.modules)
def test_trees_become_json(module):
    shown = format_module(module)
    source = Source("test.harn", shown)
    data = json.loads(json.dumps(dump(parse(source), source)))
    assert data["kind"] == "Module"
    assert len(data["body"]) == len(module.body)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(a+b)*c", "(a + b) * c"),
        ("a+(b*c)", "a + b * c"),
        ("(a ?? b) + c", "a ?? b + c"),
        ("-(2**2)", "-2 ** 2"),
        ("(-2)**2", "(-2) ** 2"),
        ("(a?)[1]", "(a?)[1]"),
        ("(a.b)(1)", "(a.b)(1)"),
        ("if (Ready) { x }", "if (Ready) {\n  x\n}"),
        ("f({ x -> x })", "f({ x -> x })"),
        ("let f = { ->\n a\n b }", "let f = { ->\n  a\n  b\n}"),
        ("x?[0]", "x?.[0]"),
        ("cost_route {\n a: (f()?)\n b: []\n}", "cost_route {\n  a: (f()?)\n  b: []\n}"),
        ("import std::a::{b}", 'import {b} from "std/a"'),
        ("type T = int?", "type T = int | nil"),
        ("a < b > (c)", "a<b>(c)"),
        ("(a < b) > (c)", "a < b > c"),
    ],
)
def test_canonical_forms(text, shown):
    module = parse(Source("test.harn", text))
    assert format_module(module) == shown + "\n"
    assert format_node(module.body[0]) == shown
    check(module)


def test_dump_gives_lines_and_columns():
    source = Source("test.harn", "const a = 1\na.b(2)\n")
    data = dump(parse(source), source)
    call = data["body"][1]["value"]
    assert call["kind"] == "MethodCall"
    assert call["span"] == [2, 1, 2, 7]
    assert call["name_span"] == [2, 3, 2, 4]
    assert call["args"][0] == {"kind": "IntLit", "span": [2, 5, 2, 6], "value": 2}
