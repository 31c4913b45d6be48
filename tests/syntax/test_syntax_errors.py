"""What a refused program is told (language 3.8, 2, 1.2)."""

from __future__ import annotations

import pytest

from harnpy.errors import RejectedProgram
from harnpy.source import Source
from harnpy.syntax.parser import is_incomplete, parse


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a b", "HARN-PAR-001", "Expected top-level item separator, got id(b) at 1:3"),
        ("fn f() { a b }", "HARN-PAR-001", "Expected statement separator (`;` or newline), got id(b) at 1:12"),
        ("f(1", "HARN-PAR-002", "Unexpected end of file, expected `,` or `)`"),
        ("fn f() {", "HARN-PAR-002", "Unexpected end of file, expected }"),
        ("const x = )", "HARN-PAR-001", "Expected expression, got ) at 1:11"),
        ("}", "HARN-PAR-001", "got } at 1:1"),
        ("(a\nb)", "HARN-PAR-001", "Expected ), got \\n at 1:3"),
        ("const tool = 1", "HARN-PAR-001", "got 'tool' (reserved keyword) at 1:7"),
        ("fn tool() { }", "HARN-PAR-001", "Expected function name, got 'tool' (reserved keyword) at 1:4"),
        ("fn f(tool) { }", "HARN-PAR-001", "Expected parameter name, got 'tool' (reserved keyword) at 1:6"),
        ("const {type} = a", "HARN-PAR-001", "got 'type' (reserved keyword) at 1:8"),
        ("fn f<tool>() { }", "HARN-PAR-001", "got < at 1:5"),
        ("var x = 1", "HARN-PAR-001", "write `let`"),
        ("const x = <<EOF", "HARN-PAR-001", 'only inside model tool-call arguments: in source write `"""`'),
        ("f(x: 1)", "HARN-PAR-001", "got : at 1:4"),
        ("x = y = z", "HARN-PAR-001", "got = at 1:7"),
        ("f() = 1", "HARN-PAR-001", "invalid assignment target"),
        ("a[1:2] = 1", "HARN-PAR-001", "invalid assignment target"),
        ("a?.b = 1", "HARN-PAR-001", "invalid assignment target"),
        ("(a ? b : c) = 1", "HARN-PAR-001", "invalid assignment target"),
        ("pub x", "HARN-PAR-001", "Expected declaration, got id(x) at 1:5"),
        ('fn f() { import "m" }', "HARN-PAR-001", "Expected statement, got import at 1:10"),
        ("if a { pipeline p() { } }", "HARN-PAR-001", "Expected statement, got pipeline at 1:8"),
        ("a;;b", "HARN-PAR-001", "Expected statement, got ; at 1:3"),
        ("if a { }; else { }", "HARN-PAR-001", "got else at 1:11"),
        (
            "fn f(a = 1, b) { }",
            "HARN-PAR-001",
            "Required parameter cannot follow a parameter with a default value",
        ),
        ("fn f(...a, b) { }", "HARN-PAR-001", "Rest parameter must be the last parameter"),
        ("{ ...a, b -> b }", "HARN-PAR-001", "Rest parameter must be the last parameter"),
        ("let [...a, b] = c", "HARN-PAR-001", "`...a` must be last"),
        ("let x", "HARN-PAR-002", "Unexpected end of file, expected"),
        ("@test const x = 1", "HARN-PAR-001", "declaration after `@test`, got non-declaration statement at 1:7"),
        (
            "parallel each xs with {workers: 3} { x -> x }",
            "HARN-PAR-001",
            "`max_concurrent` is the only supported option",
        ),
        ("parallel each xs with {} { x -> x }", "HARN-PAR-001", "`max_concurrent`"),
        ("parallel settle xs { x -> x } as stream", "HARN-PAR-001", "got as at 1:31"),
        (
            "select { timeout 1ms { } default { } a from b { } }",
            "HARN-ORC-007",
            "select cannot have both timeout and default",
        ),
        ("select { default { } }", "HARN-ORC-007", "at least one select case"),
        ('import "a${b}"', "HARN-PAR-001", "got istr(…) at 1:8"),
        ("match a { {...b} -> { } }", "HARN-PAR-001", "dict pattern"),
        ("match a { [...b, c] -> { } }", "HARN-PAR-001", "rest must be the last"),
        ("throw\n1", "HARN-PAR-001", "Expected expression, got \\n at 1:6"),
        ("else", "HARN-PAR-001", "Expected statement, got else at 1:1"),
        ("x.", "HARN-PAR-002", "Unexpected end of file, expected name"),
        ("let x: = 1", "HARN-PAR-001", "Expected type, got = at 1:8"),
        ('1 r"x"', "HARN-PAR-001", "got rstr(x) at 1:3"),
        ('1 "x"', "HARN-PAR-001", "got str(x) at 1:3"),
        ("1 2.5", "HARN-PAR-001", "got float(2.5) at 1:3"),
        ("1 50ms", "HARN-PAR-001", "got duration(50ms) at 1:3"),
        ("1 3", "HARN-PAR-001", "got int(3) at 1:3"),
    ],
)
def test_messages(text, code, message):
    with pytest.raises(RejectedProgram) as caught:
        parse(Source("test.harn", text))
    (finding,) = caught.value.diagnostics
    assert message in finding.message
    assert finding.code == code
    assert 0 <= finding.span[0] <= finding.span[1] <= len(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("f(x: 1)", "no named arguments"),
        ("if a { }; else { }", "without `;`"),
        ('fn f() { import "m" }', "top level"),
        ("pub x", "declaration"),
        ("if x = 3 { f() }", "`==` compares"),
        ("while x = 3 { f() }", "`==` compares"),
        ("def f(x) { return x }", "`fn name(...) { ... }`"),
        ("function f(x) { return x }", "`fn name(...) { ... }`"),
        ("async fn f() { return 1 }", "there is no `async`"),
        ("class A { }", "`struct`"),
        ("if a { f() } elif b { g() }", "`else if`"),
        ("for i in 1..3 { f(i) }", "`1 to 3`"),
        ("println('single')", "double quotes"),
        ("println(`x`)", "double quotes"),
        ("f() # note", "begins with `//`"),
        ("if x: f()", "in braces"),
        ("for x in xs: f(x)", "in braces"),
        ("try: f()", "in braces"),
        ("if a and b { f() }", "`&&`"),
        ("const y = a or b", "`||`"),
        ("const y = not a", "`!x`"),
        ("if not a { f() }", "`!x`"),
        ("const y = a is nil", "`==` compares"),
        ("const f = lambda x: x + 1", "`{ x -> x + 1 }`"),
        ("xs.map(lambda x: x + 1)", "`{ x -> x + 1 }`"),
        ("const f = function(x) { return x }", "`{ x -> x + 1 }`"),
        ("const f = (x) => x + 1", "`{ x -> x + 1 }`"),
        ("xs.map(x => x + 1)", "`{ x -> x + 1 }`"),
        ("match x { 1 => { f() } }", "`1 -> { ... }`"),
        ("x => 1", "`{ x -> x + 1 }`"),
        ("try { f() } except (e) { g() }", "`try { ... } catch (e) { ... }`"),
        ("try { f() }\nexcept e { g() }", "`try { ... } catch (e) { ... }`"),
        ('raise "x"', "`throw"),
        ('throw new Error("x")', "no `new`"),
        ("from m import x", "`import {name} from"),
        ("import json", "`import {name} from"),
        ("import os, sys", "`import {name} from"),
        ('const m = require("m")', "`import {name} from"),
        ("export fn f() { }", "`pub`"),
        ("i++", "`i += 1`"),
        ("i--", "`i -= 1`"),
        ("i++\nf(i)", "`i += 1`"),
        ("f(a=1)", "no named arguments"),
        ("if (x = 3) { f() }", "`==` compares"),
        ("if x === 3 { f() }", "there is no `===`"),
        ("if x <> 3 { f() }", "`!=`"),
        ("x := 1", "`let x = 1`"),
        ("const xs = [x * 2 for x in ys]", "no comprehensions"),
        ("f(x for x in ys)", "no comprehensions"),
        ("const x = a if b else c", "`c ? a : b`"),
        ("for k, v in d { f(k) }", "`for (k, v) in d.iter() { ... }`"),
        ("let a, b = 1, 2", "`let [a, b] = [1, 2]`"),
        ("assert x == 1", "`assert(...)`"),
        ('print "x"', "`print(...)`"),
        ('const s = f"x"', "without a prefix"),
        ("f(type(x))", "`type_of(x)`"),
        ("const x = 1e9", "no exponent"),
        ("const x = 1.5E-3", "no exponent"),
        ("for (let i = 0; i < 3; i++) { f(i) }", "`for i in 0 to 10 exclusive"),
        ("if a f()", "in braces"),
        ("if a { } else f()", "in braces"),
        ("for x in xs\n  f(x)", "in braces"),
        ("fn f(x) -> { x }", "the type of the result"),
        ("fn f(x) -> {\n  return x\n}", "the type of the result"),
        ("interface A { x: int }", "`struct`"),
        ("enum A { B = 1 }", "no values of their own"),
        ("f(1))", "nothing is open here that `)` closes"),
        ("f([1, 2)", "the `[` at 1:3 is still open"),
        ("const d = {\n  a: 1\nf(d)", "the `{` at 1:11 is still open"),
    ],
)
def test_hints(text, hint):
    with pytest.raises(RejectedProgram) as caught:
        parse(Source("test.harn", text))
    assert hint in caught.value.diagnostics[0].hint


@pytest.mark.parametrize("text", ["f(", "x = 1 2", "let x = 1 let y = 2", "if a { b", "x y z"])
def test_no_hint_about_other_languages(text):
    with pytest.raises(RejectedProgram) as caught:
        parse(Source("test.harn", text))
    assert not str(caught.value.diagnostics[0].hint).startswith("write")


@pytest.mark.parametrize(
    ("text", "place", "message", "hint", "end"),
    [
        ("fn f() {\n  g(1\n", (2, 4), "expected `,` or `)`", "this `(` is not closed: `)` is missing", "3:1"),
        ("fn f() {\n  g(1)\n", (1, 8), "expected }", "this `{` is not closed: `}` is missing", "3:1"),
        ("const xs = [\n  1,\n", (1, 12), "expected expression", "this `[` is not closed: `]` is missing", "3:1"),
        ("fn f() {\n  if a {\n    b()\n}\n", (2, 8), "expected }", "the `}` at 4:1 stands further left", "5:1"),
        ("fn f() {\n  g(1\n}\n", (2, 4), "got } at 3:1", "this `(` is not closed: `)` is missing", None),
        ("g(1\nlet x = 2\n", (1, 2), "got let at 2:1", "this `(` is not closed: `)` is missing", None),
        ('f("${a\n', (1, 4), "Unterminated string interpolation", "this `${` is not closed", "2:1"),
        ('f("abc\n', (1, 3), "Unterminated string at 1:3", 'stands in `"""`', None),
        ('f("""abc\n', (1, 3), "Unterminated string at 1:3", None, "2:1"),
        ("/* a\nb", (1, 1), "Unterminated block comment at 1:1", None, "2:2"),
    ],
)
def test_what_is_not_closed_is_shown(text, place, message, hint, end):
    source = Source("test.harn", text)
    with pytest.raises(RejectedProgram) as caught:
        parse(source)
    (finding,) = caught.value.diagnostics
    assert source.line_column(finding.span[0]) == place
    assert message in finding.message
    assert hint is None if finding.hint is None else hint in finding.hint
    assert finding.notes == (() if end is None else (f"the end was reached at {end}",))


@pytest.mark.parametrize(
    "text",
    [
        "const f = { x ->",
        'const s = """one',
        "foo(1,",
        "[1,",
        "{a: 1,",
        "1 +",
        "nil ??",
        "1 +\n",
        '"${1 +',
        '"${1 +\n',
        "/* open",
        "if true {",
        "if true {\n\n",
        "match x {\n 1 -> {",
        "const x =",
        "fn f(",
        "try {",
        "a |>",
        "import {a,",
        "struct P {\n x: int\n",
    ],
)
def test_more_input_may_help(text):
    assert is_incomplete(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "if true {\n}",
        'const s = "abc',
        'const s = "abc\n',
        "const x = )",
        "}",
        "a b",
        '"${"a\n',
        "f(1))",
        "#",
        "var x",
    ],
)
def test_more_input_does_not_help(text):
    assert not is_incomplete(text)
