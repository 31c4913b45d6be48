"""The REPL through a pseudo-terminal: editing, several lines, Ctrl-C, completion, history."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent.parent
# The editor draws only what changed: a space may be a move of the cursor, so that white space tells nothing.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]|\s")
PATIENCE = 30.0


class Terminal:
    """A REPL behind a pseudo-terminal."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.master, slave = pty.openpty()
        full = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "HARNPY_HISTORY": str(folder / "history"),
            **env,
        }
        command = [sys.executable, "-m", "harnpy", "repl"]
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=full, cwd=folder, start_new_session=True
        )
        os.close(slave)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def expect(self, text: str) -> str:
        """Read until ``text`` was shown; give what came before it. White space does not count."""
        text = "".join(text.split())
        limit = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0.0, limit - time.monotonic()))
            assert ready, f"no {text!r} in {self.seen!r}"
            try:
                self.seen += CONTROL.sub("", os.read(self.master, 65536).decode("utf-8", "replace"))
            except OSError:
                break
        before, found, self.seen = self.seen.partition(text)
        assert found, f"no {text!r} in {before!r}"
        return before

    def interrupt_until(self, text: str) -> None:
        """Press Ctrl-C as a user would: again when nothing happens."""
        for _ in range(10):
            self.process.send_signal(signal.SIGINT)
            limit = time.monotonic() + PATIENCE / 10
            while text not in self.seen and select.select([self.master], [], [], max(0.0, limit - time.monotonic()))[0]:
                self.seen += CONTROL.sub("", os.read(self.master, 65536).decode("utf-8", "replace"))
            if text in self.seen:
                break
        self.expect(text)

    def close(self) -> int:
        code = self.process.wait(PATIENCE)
        os.close(self.master)
        return code


@pytest.fixture
def terminal(tmp_path: Path):
    made: list[Terminal] = []

    def make(**env: str) -> Terminal:
        made.append(Terminal(tmp_path, **env))
        return made[-1]

    yield make
    for each in made:
        if each.process.poll() is None:
            each.process.send_signal(signal.SIGKILL)
            each.process.wait()


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


def test_control_c_stops_the_evaluation_and_keeps_the_session(terminal) -> None:
    repl = terminal()
    repl.expect("harn> ")
    repl.type("const kept = 3 * 259\r")
    repl.expect("harn> ")
    repl.type('fn spin() {\rprintln("be" + "gun")\rwhile true { } }\r')
    repl.expect("harn> ")
    repl.type("spin()\r")
    repl.expect("begun")
    repl.interrupt_until("interrupted")
    repl.expect("harn> ")
    repl.type("kept\r")
    repl.expect("777")
    repl.expect("harn> ")
    repl.type(":quit\r")
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
    assert "abcdef1234567" not in history.read_text()


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
