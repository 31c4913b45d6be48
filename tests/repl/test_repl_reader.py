"""When an input of the REPL is whole, unfinished or wrong (case S49)."""

from __future__ import annotations

import pytest

from harnpy.cli.repl_reader import Reader


def states(*lines: str) -> list[str]:
    reader = Reader()
    return [reader.add(line) for line in lines]


@pytest.mark.parametrize(
    "line",
    [
        "const f = { x ->",
        'const s = """one',
        "foo(1,",
        "[1,",
        "{a: 1,",
        "1 +",
        "nil ??",
        '"${1 +',
        "/* open",
        "if true {",
    ],
)
def test_unfinished(line: str) -> None:
    assert states(line) == ["more"]


@pytest.mark.parametrize("line", ['const s = "abc', "const x = )", "}", "1 + 1", "const x = 1"])
def test_whole_or_wrong_at_once(line: str) -> None:
    assert states(line) == ["complete"]


def test_a_block_ends_at_its_brace_and_an_else_is_a_new_input() -> None:
    assert states("if true {", "}", "else {") == ["more", "complete", "complete"]


def test_one_empty_line_waits_and_two_give_up() -> None:
    assert states("foo(1,", "", "2)") == ["more", "more", "complete"]
    assert states("foo(1,", "", "", "3") == ["more", "more", "cancelled", "complete"]


@pytest.mark.parametrize(
    "lines",
    [
        ('const s = """one', "", "", "", 'two"""'),
        ("/* one", "", "", "two */ 1"),
        ("fn f() {", 'return """one', "", "", 'two"""', "}"),
    ],
)
def test_empty_lines_in_a_string_or_a_comment_belong_to_it(lines: tuple[str, ...]) -> None:
    assert states(*lines) == ["more"] * (len(lines) - 1) + ["complete"]


@pytest.mark.parametrize("line", ['"${1 +', 'const s = """a ${', "fn f() {", 'f("""a""",', "[1, /* a */"])
def test_empty_lines_in_code_give_up(line: str) -> None:
    assert states(line, "", "") == ["more", "more", "cancelled"]


def test_empty_lines_between_inputs_mean_nothing() -> None:
    assert states("", "1", "", "2") == ["empty", "complete", "empty", "complete"]


def test_the_text_of_an_input_begins_with_its_first_line() -> None:
    reader = Reader()
    reader.add("1")
    reader.add("const f = {")
    reader.add("}")
    assert reader.text == "const f = {\n}\n"
