"""``harnpy test``: what it finds, runs, prints and writes."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harnpy.cli.test import test as command

PROGRAM = """
let counter = 0
fn add(a, b) { return a + b }

@test
pipeline adds(task) {
  counter = counter + 1
  assert_eq([add(1, 2), counter], [3, 1])
}

pipeline test_again(harness: Harness) {
  counter = counter + 1
  assert_eq(counter, 1)
}

pipeline default(task) { println("no test") }
fn test_function(harness: Harness) {
  mock_time(0)
  harness.clock.sleep_ms(100000)
  assert_eq(now_ms(), 100000)
  return 7
}
fn test_needs_more(a, b) { throw "never" }
@test
fn marked() { assert_eq(add(2, 2), 4) }
"""

FAILING = """
pipeline test_prints(task) {
  println("before <it> " + json_parse("\\"\\\\u0001\\""))
  assert_eq(1, 2, "one & two")
}
fn test_slow() { while true { } }
fn test_exits() { exit(3) }
fn test_gives_an_error() { return Err("bad") }
"""


def run(*args: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(command, args)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a passing, a failing and an uninteresting program."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "good.harn").write_text(PROGRAM)
    (tmp_path / "bad.harn").write_text(FAILING)
    (tmp_path / "other.harn").write_text("this is ( no program")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "test.harn").write_text(FAILING)
    return tmp_path


def names(result: Result) -> list[tuple[str, str]]:
    """Give mark and test name of each line of a result."""
    lines = [line.split() for line in result.output.splitlines() if "::" in line and not line.startswith(" ")]
    return [(words[0], words[1].rpartition("::")[2]) for words in lines]


def test_every_test_runs_in_a_session_of_its_own(folder: Path) -> None:
    result = run(str(folder / "inner"))
    assert names(result) == [("ok", "adds"), ("ok", "test_again"), ("ok", "test_function"), ("ok", "marked")]
    assert "4 passed, 0 failed" in result.output
    assert "no test" not in result.output
    assert result.exit_code == 0


def test_failures_say_what_went_wrong_and_what_was_printed(folder: Path) -> None:
    result = run(str(folder), "--timeout", "0.2")
    assert result.exit_code == 1
    assert names(result)[:4] == [
        ("FAIL", "test_prints"),
        ("FAIL", "test_slow"),
        ("FAIL", "test_exits"),
        ("FAIL", "test_gives_an_error"),
    ]
    for part in (
        "    error: Thrown: one & two\n",
        "bad.harn:4:3\n",
        "    before <it>",
        "timeout",
        "exit code 3",
        "    bad\n",
    ):
        assert part in result.output
    assert "4 passed, 4 failed" in result.output


def test_junit(folder: Path) -> None:
    path = folder / "out.xml"
    run(str(folder), "--timeout", "0.2", "--junit", str(path))
    suite = xml.parse(path).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("8", "4")
    case = suite[0]
    assert (case.get("classname"), case.get("name")) == (str(folder / "bad.harn"), "test_prints")
    assert case[0].get("message") == "error: Thrown: one & two"
    assert (case[1].tag, case[1].text) == ("system-out", "before <it> \ufffd\n")
    assert [len(case) for case in suite[4:]] == [0, 0, 0, 0]


def test_filter_and_wrong_use(folder: Path) -> None:
    assert names(run(str(folder), "--filter", "adds")) == [("ok", "adds")]
    assert run(str(folder), "--filter", "nothing like it").exit_code == 2
    assert run(str(folder / "missing")).exit_code == 2
    unwritable = run(str(folder / "inner"), "--junit", str(folder / "no" / "out.xml"))
    assert "cannot write" in unwritable.output
    assert unwritable.exit_code == 1


def test_a_test_file_that_cannot_be_read_fails(folder: Path) -> None:
    (folder / "broken.harn").write_text("fn test_x( {")
    result = run(str(folder), "--filter", "broken")
    assert result.exit_code == 1
    assert "it cannot be read" in result.output
    assert "error[HARN-PAR-001]" in result.output
    assert run(str(folder / "other.harn")).exit_code == 1


def test_permissions_are_those_of_run(folder: Path) -> None:
    (folder / "shell.harn").write_text('fn test_shell() { assert_eq(shell("echo x").stdout, "x\\n") }')
    assert run(str(folder / "shell.harn")).exit_code == 1
    assert run(str(folder / "shell.harn"), "--allow", "process").exit_code == 0
