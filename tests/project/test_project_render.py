"""The text and JSON form of diagnostics."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from harnpy.diagnostics import Diagnostic
from harnpy.errors import HarnError
from harnpy.render import render, shown_path, to_json
from harnpy.report import uncaught
from harnpy.source import Source


def finding(text: str, start: int, end: int, **rest: object) -> Diagnostic:
    return Diagnostic("message", source=Source("demo.harn", text), span=(start, end), **rest)


def test_layout() -> None:
    text = "fn f() {\n\n  return 1 / 0\n}\n"
    start = text.index("/")
    assert render(finding(text, start, start + 1, code="HARN-PAR-001", hint="do not", notes=("a fact",))) == (
        "error[HARN-PAR-001]: message\n"
        "  --> demo.harn:3:12\n"
        "   |\n"
        " 3 |   return 1 / 0\n"
        "   |            ^\n"
        "  = hint: do not\n"
        "  = note: a fact\n"
    )


def test_wide_gutter_and_warning() -> None:
    text = "\n" * 99 + "let x = 1"
    assert render(finding(text, 103, 104, severity="warning")) == (
        "warning: message\n    --> demo.harn:100:5\n     |\n 100 | let x = 1\n     |     ^\n"
    )


def test_carets_follow_tabs_and_wide_characters() -> None:
    lines = render(finding("\tab 漢字 x e\u0301 y", 7, 8)).splitlines()
    assert lines[3] == " 1 |     ab 漢字 x e\u0301 y"
    assert lines[4] == "   |             ^"
    lines = render(finding("漢字", 0, 2)).splitlines()
    assert lines[4] == "   | ^^^^"
    lines = render(finding("e\u0301 y", 3, 4)).splitlines()
    assert lines[4] == "   |   ^"


def test_a_span_of_many_lines_marks_the_first() -> None:
    lines = render(finding("f(\n  1,\n)\n", 0, 8)).splitlines()
    assert lines[3:5] == [" 1 | f(", "   | ^^"]


def test_end_of_file_and_crlf() -> None:
    assert render(finding("x\n", 2, 2)).splitlines()[3:5] == [" 2 |", "   | ^"]
    assert render(finding("ab\r\ncd", 1, 2)).splitlines()[3:5] == [" 1 | ab", "   |  ^"]


def test_long_lines_show_the_place_only() -> None:
    text = "x" * 5000 + "!" + "y" * 5000
    lines = render(finding(text, 5000, 5001)).splitlines()
    assert lines[1] == "  --> demo.harn:1:5001"
    assert len(lines[3]) < 200
    assert lines[3][lines[4].index("^")] == "!"


def test_control_characters_never_reach_the_terminal() -> None:
    shown = render(Diagnostic("a\x1b[31m\nb", source=Source("d", "x\x1by"), span=(2, 3), hint="h\x07"))
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert shown.startswith("error: a\\u{1b}[31m\nb\n")


def test_without_a_place() -> None:
    assert render(Diagnostic("message")) == "error: message\n"
    assert render(Diagnostic("message", source=Source("d.harn", ""))) == "error: message\n --> d.harn\n"


def test_colour() -> None:
    assert "\x1b[31;1merror" in render(finding("x", 0, 1), colour=True)


def test_json() -> None:
    assert to_json(finding("a\nbc", 2, 4, code="HARN-PAR-001")) == {
        "severity": "error",
        "code": "HARN-PAR-001",
        "message": "message",
        "file": "demo.harn",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 3,
        "hint": None,
        "notes": [],
    }


def test_paths_below_the_working_folder_are_relative() -> None:
    assert shown_path(os.path.join(os.getcwd(), "a", "b.harn")) == os.path.join("a", "b.harn")
    assert shown_path("/elsewhere/b.harn") == "/elsewhere/b.harn"
    assert shown_path("<stdin>") == "<stdin>"


def test_uncaught_errors() -> None:
    source = Source("demo.harn", "main()\nx\n")
    error = HarnError("Division by zero", site=(source, (7, 8)))
    error.trace += [("inner", (source, (0, 6))), ("outer", (source, (0, 6))), ("main", None)]
    assert render(uncaught(error)).splitlines() == [
        "error: Division by zero",
        "  --> demo.harn:2:1",
        "   |",
        " 2 | x",
        "   | ^",
        "  = note: called from outer at demo.harn:1",
        "  = note: called from main at demo.harn:1",
    ]
    assert uncaught(HarnError({"code": 7}, thrown=True)).message == "Thrown: {code: 7}"
    assert uncaught(HarnError({"category": "timeout", "message": "late"})).message == "Error [timeout]: late"


def test_long_traces_are_cut_in_the_middle() -> None:
    source = Source("demo.harn", "f()")
    error = HarnError("Stack overflow", site=(source, (0, 1)))
    error.trace += [("f", (source, (0, 1)))] * 1000
    notes = uncaught(error).notes
    assert len(notes) == 16
    assert notes[10] == "... 985 more calls"


@given(st.text(), st.integers(0, 60), st.integers(0, 60))
def test_any_place_in_any_text_renders(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    shown = render(finding(text, start, min(start + length, len(text))))
    assert shown.endswith("\n")
    assert "^" in shown
    assert shown.replace("\n", "").isprintable()
