"""The lexical rules of language 1, one row each."""

from __future__ import annotations

import pytest

from harnpy.errors import RejectedProgram
from harnpy.source import Source
from harnpy.syntax import nodes as n
from harnpy.syntax.parser import parse


def value(text):
    """Parse one expression statement."""
    (statement,) = parse(Source("test.harn", text)).body
    return statement.value


def refusal(text):
    with pytest.raises(RejectedProgram) as caught:
        parse(Source("test.harn", text))
    (finding,) = caught.value.diagnostics
    return finding


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("1.5", 1.5),
        ("10.0", 10.0),
        ('""', ""),
        (r'"\n\r\t\0\\\"\$"', '\n\r\t\0\\"$'),
        (r'"\q\x41"', r"\q\x41"),
        ('"$ $x $"', "$ $x $"),
        (r'"\${x}"', "${x}"),
        ('r"\\n${a}"', "\\n${a}"),
        ('r#"a"b"#', 'a"b'),
        ('r##"a"#b"##', 'a"#b'),
        ('"""a"""', "a"),
        ('"""\na\nb\n"""', "a\nb"),
        ('"""\n    a\n      b\n\n    c\n    """', "a\n  b\n\nc"),
        ('"""\n\ta\n\t\tb\n"""', "a\n\tb"),
        ('"""\r\n  a\r\n  b\r\n"""', "a\nb"),
        ('"""a\\nb"""', "a\\nb"),
        ('"""\\${x}"""', "${x}"),
        ('"""a\n\n"""', "a\n"),
        ('""""quoted" x"""', '"quoted" x'),
        ("true", True),
        ("false", False),
    ],
)
def test_literals(text, expected):
    found = value(text).value
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("5ms", 5),
        ("5s", 5_000),
        ("5m", 300_000),
        ("5h", 18_000_000),
        ("5d", 432_000_000),
        ("5w", 3_024_000_000),
        ("9223372036854775807s", 2**63 - 1),
        ("99999999999999999999999ms", 2**63 - 1),
    ],
)
def test_durations(text, ms):
    assert value(text) == n.DurationLit((0, 0), ms, text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('"a${b}c"', ["a", "b", "c"]),
        ('"${a}${b}"', ["a", "b"]),
        ('"$${a}"', ["$", "a"]),
        ('"a${\n b\n}"', ["a", "b"]),
        ('"${a /* } " */}"', ["a"]),
        ('"""\n  x ${a}\n  y\n"""', ["x ", "a", "\ny"]),
        ('"""\n  ${a}\n"""', ["a"]),
        ('"""\n  ${a}\n    b ${c}\n"""', ["a", "\n  b ", "c"]),
        ('"""a\\\\${b}"""', ["a\\\\", "b"]),
    ],
)
def test_interpolation(text, parts):
    found = value(text)
    assert isinstance(found, n.Interp)
    assert [part if isinstance(part, str) else part.name for part in found.parts] == parts


def test_braces_and_quotes_in_holes():
    found = value('"<${t["open"]}|${join(["a", "}"], "{")}|${({k: "}"}).k}|${"in ${"deep"} out"}>"')
    kinds = [type(part).__name__ for part in found.parts]
    assert kinds == ["str", "Index", "str", "Call", "str", "Property", "str", "Interp", "str"]


def test_holes_have_true_positions():
    source = Source("test.harn", 'x\n"ab${ name }"')
    found = parse(source).body[1].value
    assert source.line_column(found.parts[1].span[0]) == (2, 7)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a // c", ["a"]),
        ("a /* b */", ["a"]),
        ("a /* /* */ */", ["a"]),
        ("/// doc\na", ["a"]),
        ("/** doc */ a", ["a"]),
        ("#!/usr/bin/env harnpy\na", ["a"]),
        ("#!x", []),
        ("", []),
        ("\n\n", []),
        ("\ufeff#!x\na", ["a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a; b;\n\nc;", ["a", "b", "c"]),
        ("naïve", ["naïve"]),
        ("日本", ["日本"]),
        ("नाम", ["नाम"]),
        ("_", ["_"]),
    ],
)
def test_layout_of_text(text, names):
    assert [statement.value.name for statement in parse(Source("test.harn", text)).body] == names


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a\n  # b", "HARN-PAR-003", "Unexpected character '#' at 2:3"),
        ("a \\ b", "HARN-PAR-003", "Unexpected character '\\' at 1:3"),
        ('"${a \\\n}"', "HARN-PAR-003", "Unexpected character '\\' at 1:6"),
        ("a\ufeff", "HARN-PAR-003", "Unexpected character '\\u{feff}' at 1:2"),
        ("\ufeff\ufeffa", "HARN-PAR-003", "Unexpected character '\\u{feff}' at 1:1"),
        ("'a'", "HARN-PAR-003", "Unexpected character ''' at 1:1"),
        ("²", "HARN-PAR-003", "Unexpected character '²' at 1:1"),
        ('x = "abc', "HARN-PAR-004", "Unterminated string at 1:5"),
        ('"abc\n"', "HARN-PAR-004", "Unterminated string at 1:1"),
        ('r"abc\n"', "HARN-PAR-004", "Unterminated string at 1:1"),
        ('"""abc', "HARN-PAR-004", "Unterminated string at 1:1"),
        ('"a${x', "HARN-PAR-004", "Unterminated string interpolation"),
        ('"a${x"\n', "HARN-PAR-004", "Unterminated string interpolation"),
        ("a /* /* */", "HARN-PAR-005", "Unterminated block comment at 1:3"),
        (
            "9223372036854775808",
            "HARN-PAR-006",
            "Integer literal `9223372036854775808` is out of range for int (i64) at 1:1",
        ),
        ('"${}"', "HARN-PAR-003", "Unexpected character '}' at 1:4"),
        ('"${ a b }"', "HARN-PAR-001", "Expected end of interpolated expression, got id(b) at 1:7"),
        ("3msec", "HARN-PAR-001", "got id(msec) at 1:2"),
        ("2e3", "HARN-PAR-001", "got id(e3) at 1:2"),
        ("1.5s", "HARN-PAR-001", "got id(s) at 1:4"),
        ("a ++ b", "HARN-PAR-001", "got + at 1:4"),
        ("a => b", "HARN-PAR-001", "got > at 1:4"),
    ],
)
def test_refused_texts(text, code, message):
    finding = refusal(text)
    assert finding.code == code
    assert message in finding.message
    assert finding.span is not None


def test_int_before_a_dot_stays_an_int():
    assert value("7.abs") == n.Property((0, 0), n.IntLit((0, 0), 7), "abs", (0, 0))


SCRIPT = """{shebang}// a comment
const a = 1 + \\
  2
const t = \"\"\"
  one
  two
\"\"\"
let b = 2
const c = ){end}"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("shebang", ["", "#!/usr/bin/env harnpy\n"])
def test_line_ends_and_shebang_change_nothing(line_end, shebang):
    text = SCRIPT.format(shebang=shebang or "\n", end="\n").replace("\n", line_end)
    source = Source("test.harn", text)
    with pytest.raises(RejectedProgram) as caught:
        parse(source)
    assert "got ) at 10:11" in caught.value.diagnostics[0].message
    whole = parse(Source("test.harn", text.replace(")", "3")))
    assert whole.body[1].value.value == "one\ntwo"
