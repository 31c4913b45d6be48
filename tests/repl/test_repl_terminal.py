"""The REPL through a pseudo-terminal: editing, several lines, Ctrl-C, completion, history."""

from __future__ import annotations

import os
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
