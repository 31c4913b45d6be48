"""Precedence, newlines, braces, question marks and words: language 3, one row each."""

from __future__ import annotations

import pytest

from harnpy.errors import RejectedProgram
from harnpy.source import Source
from harnpy.syntax import nodes as n
from harnpy.syntax.parser import parse

BINARY = ["|>", "||", "&&", "==", "!=", "<", ">", "<=", ">=", "??", "+", "*", "/", "%", "**"]


def tree(text):
    return parse(Source("test.harn", text))


def grouped(expr):
    """Show an expression with all its parentheses."""
    if isinstance(expr, n.Binary):
        return f"({grouped(expr.left)} {expr.op} {grouped(expr.right)})"
    if isinstance(expr, n.Pipe):
        return f"({grouped(expr.left)} |> {grouped(expr.right)})"
    if isinstance(expr, n.Unary):
        return f"({expr.op}{grouped(expr.operand)})"
    if isinstance(expr, n.TryStar):
        return f"(try* {grouped(expr.value)})"
    if isinstance(expr, n.Ternary):
        return f"({grouped(expr.cond)} ? {grouped(expr.then)} : {grouped(expr.otherwise)})"
    if isinstance(expr, n.RangeExpr):
        return f"({grouped(expr.start)} {'upto' if expr.exclusive else 'to'} {grouped(expr.end)})"
    if isinstance(expr, n.Propagate):
        return f"{grouped(expr.value)}?"
    if isinstance(expr, n.Unwrap):
        return f"{grouped(expr.value)}!"
    if isinstance(expr, n.Call):
        return f"{grouped(expr.callee)}({', '.join(grouped(arg) for arg in expr.args)})"
    if isinstance(expr, n.Index):
        return f"{grouped(expr.receiver)}{'?' if expr.optional else ''}[{grouped(expr.index)}]"
    if isinstance(expr, n.ListLit):
        return f"[{', '.join(grouped(item) for item in expr.items)}]"
    return expr.name if isinstance(expr, n.Name) else str(expr.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a |> b |> c", "((a |> b) |> c)"),
        ("a |> 1 to 2", "(a |> (1 to 2))"),
        ("a || b to c", "((a || b) to c)"),
        ("1 to 3 exclusive", "(1 upto 3)"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
        ("a || b ? c : d", "((a || b) ? c : d)"),
        ("a || b && c", "(a || (b && c))"),
        ("a && b == c", "(a && (b == c))"),
        ("a == b < c", "(a == (b < c))"),
        ("1 < 2 < 3", "((1 < 2) < 3)"),
        ("a in b == c", "((a in b) == c)"),
        ("a not in b", "(a not in b)"),
        ("a < b + c", "(a < (b + c))"),
        ("a ?? 1 + 2", "((a ?? 1) + 2)"),
        ("a ?? b == c", "((a ?? b) == c)"),
        ("a ?? b * c", "(a ?? (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a * b / c % d", "(((a * b) / c) % d)"),
        ("-a * b", "((-a) * b)"),
        ("!a.b == c", None),
        ("-2 ** 2", "(-(2 ** 2))"),
        ("2 ** -1", "(2 ** (-1))"),
        ("2 ** 3 ** 2", "(2 ** (3 ** 2))"),
        ("!-a", "(!(-a))"),
        ("try* a + b", "((try* a) + b)"),
        ("-a!", "(-a!)"),
        ("a!(b)?", "a!(b)?"),
    ],
)
def test_precedence(text, expected):
    (statement,) = tree(text).body
    if expected is not None:
        assert grouped(statement.value) == expected
    else:
        assert statement.value.op == "=="


@pytest.mark.parametrize("op", BINARY)
def test_an_operator_may_end_or_begin_a_line(op):
    one_line = tree(f"const x = a {op} b")
    for text in (
        f"const x = a {op}\n  b",
        f"const x = a\n  {op} b",
        f"const x = a\n\n  // remark\n  {op} b",
        f"const x =\n a {op}\n\n b",
    ):
        assert tree(text) == one_line


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a\n-b", 2),
        ("a -\nb", 1),
        ("a\n(b)", 2),
        ("a\n[b]", 2),
        ("a\n!b", 2),
        ("a\n.b\n?.c", 1),
        ("a\n? b\n: c", 1),
        ("a ?\nb :\nc", 1),
        ("if a { }\nelse { }", 1),
        ("try { }\n\ncatch (e) { }\nfinally { }", 1),
        ("return\na", 2),
        ("a in\nb", 1),
        ("f(\n\na\n,\n\nb\n\n)", 1),
        ("[a\n\nb]", 1),
        ("{a: 1\nb: 2}", 1),
        ("a; b", 2),
        ("a;\n\nb;\n", 2),
        ("match a {\n1 -> { }\n2 -> { } 3 -> { }\n}", 1),
        ("type A =\n  | B\n  | C", 1),
        ("a = \\\n b", 1),
    ],
)
def test_newlines(text, count):
    assert len(tree(text).body) == count


@pytest.mark.parametrize(
    "text", ["a\nin b", "1\nto 2", "1 to\n2", "a b", "f(a to\n1)", "if a { }; else { }", "a;;b", "a ! b"]
)
def test_newlines_that_do_not_join(text):
    with pytest.raises(RejectedProgram):
        tree(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", n.DictLit),
        ("{a: 1}", n.DictLit),
        ("{...a}", n.DictLit),
        ("{[a]: 1}", n.DictLit),
        ("{run: fn(x) -> int { x }}", n.DictLit),
        ("{a: { -> 1 }}", n.DictLit),
        ("{if: 1, type: 2, true: 3}", n.DictLit),
        ("{ -> }", n.Lambda),
        ("{\n x, y ->\n x }", n.Lambda),
        ("{ x: int = 1, ...r -> x }", n.Lambda),
        ("{ f: fn(int) -> int -> f }", n.Lambda),
        ("Foo {}", n.StructInit),
        ("Foo {\n a\n : 1}", n.StructInit),
        ('Foo {"a": 1}', n.StructInit),
        ("if Ready { go() }", n.IfExpr),
        ("if {a: 1} == x { }", n.IfExpr),
        ("if f({a: 1}) { }", n.IfExpr),
        ("if Foo {a: 1} == x { }", n.IfExpr),
        ("match if a { b } else { c } { 1 -> { } }", n.MatchExpr),
        ("parallel each xs { x -> x }", n.ParallelExpr),
        ("parallel (n) { 1 }", n.ParallelExpr),
        ("deadline 5ms { 1 }", n.DeadlineExpr),
        ("block { 1 }", n.BlockExpr),
        ("block", n.Name),
        ("fn() -> Foo {}", n.Lambda),
        ("fn() -> {a: int} {}", n.Lambda),
    ],
)
def test_braces(text, expected):
    (statement,) = tree(text).body
    assert type(statement.value) is expected


def test_an_empty_block_after_a_capital_name_is_a_struct():
    with pytest.raises(RejectedProgram):
        tree("if Ready {}")
    assert isinstance(tree("if (Ready) {}").body[0].value, n.IfExpr)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("xs ? [1] : [2]", n.Ternary),
        ("xs?[0]", n.Index),
        ("xs?.[0]", n.Index),
        ("load()?", n.Propagate),
        ("load()?.b", n.Property),
        ("a ? -1 : !b", n.Ternary),
        ("a ? {b: 1} : { -> c }", n.Ternary),
        ("a ? f<A, B>(c) : d", n.Ternary),
    ],
)
def test_question_marks(text, expected):
    (statement,) = tree(text).body
    assert type(statement.value) is expected


@pytest.mark.parametrize(
    "text", ["{k: f()? , j: 1}", "[f()?, a]", "g(f()?)", "const h = f()?\nx ? 1 : 2", "f()?\nmatch a { }"]
)
def test_propagation(text):
    assert "Propagate" in repr(tree(text))


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("f<int>(x)", 1),
        ("f<list<int>, {a: int?}>(x)", 2),
        ("a < b > (c)", 1),
        ("f<fn(int) -> string>(x)", 1),
    ],
)
def test_calls_with_types(text, types):
    (statement,) = tree(text).body
    assert len(statement.value.type_args) == types


@pytest.mark.parametrize(
    "text", ["a < b", "a < b > c", "x.f < y > (z)", "a < b + 1 > (c)", "a < -b > (c)", "a < b(c) > (d)"]
)
def test_comparisons(text):
    (statement,) = tree(text).body
    assert isinstance(statement.value, n.Binary)


@pytest.mark.parametrize(
    "word", ["gen", "each", "settle", "with", "as", "not", "where", "throws", "out", "timeout", "stream"]
)
def test_contextual_words_are_names_elsewhere(word):
    assert tree(f"let {word} = {word}.{word}({word})\n{word} = 1\nfn {word}({word}) {{ {word} }}").body


def test_keywords_are_names_after_dots_and_as_keys():
    assert tree("a.if.match[1].type = {while: 1}?.while.for(1)")
    assert tree("let {type: t, if: u = 1} = a")
    assert tree("type T = {type: int, if?: string}")


def test_left_out_commas():
    assert tree('f(a b)\n[1 2\n-3]\nfn g(a: int b: int) { }\nimport {a b} from "m"') == tree(
        'f(a, b)\n[1, 2, -3]\nfn g(a: int, b: int) { }\nimport {a, b} from "m"'
    )


def test_spans_cover_the_construct():
    text = "x\n(a + b).c[1]\n"
    value = tree(text).body[1].value
    assert text[slice(*value.span)] == "(a + b).c[1]"
    assert text[slice(*value.receiver.name_span)] == "c"
    assert text[slice(*value.receiver.receiver.span)] == "a + b"
