"""The REPL through a pseudo-terminal: editing, several lines, Ctrl-C, completion, history."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest
from pseudo_terminal import ROOT

pytestmark = pytest.mark.slow


def test_inputs_of_one_and_of_several_lines(terminal, tmp_path: Path) -> None:
    repl = terminal()
    repl.expect("harn> ")
    repl.type("20 + 22\r")
    repl.expect("\n42\n")
    repl.expect("harn> ")
    repl.type("fn f(x) {\r")
    repl.expect("...")
    repl.type("return x * 3 }\r")
    repl.expect("harn> ")
    repl.type("f(5)\r")
    repl.expect("\n15\n")
    repl.type("const x = )\r")
    repl.expect("HARN-PAR-001")
    repl.expect("harn> ")
    repl.type("\x04")
    assert repl.close() == 0


def test_completion_and_history(terminal, tmp_path: Path) -> None:
    repl = terminal()
    repl.expect("harn> ")
    repl.type("const lengthy_name = 11 * 303\r")
    repl.type("lengthy_name * 2\r")
    repl.expect("6666")
    repl.expect("harn> ")
    repl.type("lengthy_\t")
    repl.expect("lengthy_name")
    repl.type("\r")
    repl.expect("3333")
    repl.expect("harn> ")
    repl.type('const key = "sk-abcdef1234567"\r')
    repl.expect("harn> ")
    repl.type(":quit\r")
    assert repl.close() == 0
    history = tmp_path / "history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert "lengthy_name" in history.read_text()
    assert "const key" not in history.read_text()


def test_without_prompt_toolkit_the_plain_prompt_works(terminal, tmp_path: Path) -> None:
    hidden = tmp_path / "hide" / "sitecustomize.py"
    hidden.parent.mkdir()
    hidden.write_text("import sys\nsys.modules['prompt_toolkit'] = None\n")
    repl = terminal(PYTHONPATH=f"{hidden.parent}{os.pathsep}{ROOT}")
    repl.expect("harn> ")
    repl.type("2 * 4\n")
    repl.expect("\n8\n")
    repl.expect("harn> ")
    repl.type("[1,\n")
    repl.expect("...")
    repl.type("2]\n")
    repl.expect("[1, 2]\n")
    repl.type(":quit\n")
    assert repl.close() == 0


def test_a_message_tells_once_what_is_missing_without_prompt_toolkit(terminal, tmp_path: Path) -> None:
    hidden = tmp_path / "hide" / "sitecustomize.py"
    hidden.parent.mkdir()
    hidden.write_text("import sys\nsys.modules['prompt_toolkit'] = None\n")
    repl = terminal(PYTHONPATH=f"{hidden.parent}{os.pathsep}{ROOT}")
    repl.expect("harn> ")
    repl.say("1 + 1", "2")
    repl.type("\x04")
    assert repl.close() == 0
    assert repl.raw.count("without prompt_toolkit") == 1


def test_a_pasted_program_is_one_input(terminal) -> None:
    repl = terminal()
    repl.expect("harn> ")
    program = "fn twice(x) {\n\n  return x * 2\n}\n\n\nfn main(n) {\n\treturn twice(n)\n}\nmain(21)\n"
    repl.type(f"\x1b[200~{program}\x1b[201~")
    repl.expect("main(21)")
    repl.type("\r")
    repl.expect("42")
    repl.expect("harn> ")
    repl.type('\x1b[200~fn late(x) {\n  throw x\n}\nlate("' + "日本語" + '")\x1b[201~')
    repl.expect("late(")
    repl.type("\r")
    repl.expect("Thrown: 日本語")
    repl.expect(":2:3")
    repl.expect("harn> ")
    repl.type(":quit\r")
    assert repl.close() == 0


def test_a_line_that_a_program_began_is_not_written_over(terminal) -> None:
    repl = terminal()
    repl.expect("harn> ")
    repl.type('print("a" + "b")\r')
    repl.expect("ab")
    repl.expect("harn> ")
    assert "ab\r\n" in repl.raw
    repl.type('print("c" + "d"); 5\r')
    repl.expect("cd5")
    assert "cd\r\n5\r\n" in repl.raw


def test_inputs_are_coloured_unless_that_is_not_wanted(terminal) -> None:
    def colours(**settings: object) -> bool:
        repl = terminal(*settings.pop("arguments", ("repl",)), **settings)  # type: ignore[misc]
        repl.expect("harn> ")
        repl.say('const text = "abc"; 7 * 11 * 13', "1001")
        repl.type(":quit\r")
        assert repl.close() == 0
        return re.search(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", repl.raw) is not None

    assert colours()
    assert not colours(NO_COLOR="1")
    assert not colours(arguments=("repl", "--color=never"))
    assert not colours(TERM="dumb")


def test_files_and_commands_are_completed(terminal, tmp_path: Path) -> None:
    (tmp_path / "lengthy_file.harn").write_text("6 * 111\n")
    repl = terminal()
    repl.expect("harn> ")
    repl.type(":lo\t")
    repl.expect(":load")
    repl.type(" leng\t")
    repl.expect("lengthy_file.harn")
    repl.type("\r")
    repl.expect("666")


def test_a_program_may_read_lines_and_ctrl_d_ends_only_that_reading(terminal) -> None:
    for term in ("xterm", "dumb"):
        repl = terminal(TERM=term)
        repl.expect("harn> ")
        repl.type("const a = harness.stdio.read_line(); [a]\r")
        repl.expect("[a]")
        repl.type("typed\n")
        repl.expect("[typed]")
        repl.expect("harn> ")
        repl.type('println("re" + "ady"); const b = harness.stdio.read_line(); [b]\r')
        repl.expect("ready")
        repl.type("\x04")
        repl.expect("[nil]")
        repl.expect("harn> ")
        repl.type(":quit\r")
        assert repl.close() == 0


def test_the_plain_prompt_shows_answers_without_blank_lines(terminal) -> None:
    repl = terminal(TERM="dumb")
    repl.expect("harn> ")
    for line in ("20 + 22", "[1,", "2]", "print(7)", "throw 5"):
        repl.type(line + "\n")
        repl.expect("... " if line == "[1," else "harn> ")
    assert repl.raw.startswith(
        "harn> 20 + 22\r\n42\r\nharn> [1,\r\n  ... 2]\r\n[1, 2]\r\nharn> print(7)\r\n7\r\nharn> throw 5\r\nerror: "
    )
    repl.type("\x04")
    assert repl.close() == 0
