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
        ("const x = <<EOF", "HARN-PAR-001", 'only inside model tool-call arguments: in source write `"""` at 1:11'),
        ("f(x: 1)", "HARN-PAR-001", "got : at 1:4"),
        ("x = y = z", "HARN-PAR-001", "got = at 1:7"),
        ("f() = 1", "HARN-PAR-001", "invalid assignment target at 1:1"),
        ("a[1:2] = 1", "HARN-PAR-001", "invalid assignment target at 1:1"),
        ("a?.b = 1", "HARN-PAR-001", "invalid assignment target at 1:1"),
        ("(a ? b : c) = 1", "HARN-PAR-001", "invalid assignment target"),
        ("pub x", "HARN-PAR-001", "Expected declaration, got id(x) at 1:5"),
        ('fn f() { import "m" }', "HARN-PAR-001", "Expected statement, got import at 1:10"),
        ("if a { pipeline p() { } }", "HARN-PAR-001", "Expected statement, got pipeline at 1:8"),
        ("a;;b", "HARN-PAR-001", "Expected statement, got ; at 1:3"),
        ("if a { }; else { }", "HARN-PAR-001", "got else at 1:11"),
        (
            "fn f(a = 1, b) { }",
            "HARN-PAR-001",
            "Required parameter cannot follow a parameter with a default value at 1:13",
        ),
        ("fn f(...a, b) { }", "HARN-PAR-001", "Rest parameter must be the last parameter at 1:6"),
        ("{ ...a, b -> b }", "HARN-PAR-001", "Rest parameter must be the last parameter"),
        ("let [...a, b] = c", "HARN-PAR-001", "`...a` must be last at 1:6"),
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
            "select cannot have both timeout and default at 1:26",
        ),
        ("select { default { } }", "HARN-ORC-007", "at least one select case at 1:1"),
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
    ],
)
def test_hints(text, hint):
    with pytest.raises(RejectedProgram) as caught:
        parse(Source("test.harn", text))
    assert hint in caught.value.diagnostics[0].hint


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
