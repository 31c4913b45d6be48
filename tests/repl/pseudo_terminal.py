"""A command of harnpy behind a pseudo-terminal of its own, as a user sees it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The editor draws only what changed: a space may be a move of the cursor, so that white space tells nothing.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]|\s")
PATIENCE = 30.0
CTRL_C = "\x03"


class Terminal:
    """``python -m harnpy ARGUMENTS``, or ``command``, on a terminal that it controls; ``raw`` is all that it wrote."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        command: list[str] | None = None,
        stdout: int | None = None,
        width: int = 80,
        **env: str,
    ) -> None:
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        self.modes = termios.tcgetattr(self.slave)
        full = {
            **{name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")},
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "HARNPY_HISTORY": str(folder / "history"),
            **env,
        }
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "harnpy", *arguments],
            stdin=self.slave,
            stdout=self.slave if stdout is None else stdout,
            stderr=self.slave,
            env=full,
            cwd=folder,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(2, termios.TIOCSCTTY, 0),
        )
        self.seen = ""
        self.raw = ""

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.master, text.encode())

    def signal(self, number: int) -> None:
        """Send a signal from elsewhere."""
        self.process.send_signal(number)

    def expect(self, text: str) -> str:
        """Read until ``text`` was shown; give what came before it. White space does not count."""
        text = "".join(text.split())
        limit = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0.0, limit - time.monotonic()))
            assert ready, f"no {text!r} in {self.seen!r}"
            if not self._read():
                break
        before, found, self.seen = self.seen.partition(text)
        assert found, f"no {text!r} in {before!r}"
        return before

    def say(self, text: str, answer: str) -> None:
        """Type a line at the prompt, and read its answer and the next prompt."""
        self.type(text + "\r")
        self.expect(answer)
        self.expect("harn> ")

    def hang_up(self) -> int:
        """Close the terminal and give the exit code."""
        os.close(self.slave)
        os.close(self.master)
        self.master = -1
        return self.process.wait(PATIENCE)

    def close(self) -> int:
        """Read to the end and give the exit code."""
        limit = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < limit:
            if select.select([self.master], [], [], 0.01)[0]:
                self._read()
        code = self.process.wait(0)
        while select.select([self.master], [], [], 0)[0] and self._read():
            pass
        return code

    def kept_modes(self) -> bool:
        """Tell whether the terminal is in the modes that it had at first."""
        return termios.tcgetattr(self.slave) == self.modes

    def end(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        if self.master >= 0:
            os.close(self.slave)
            os.close(self.master)

    def _read(self) -> bool:
        try:
            data = os.read(self.master, 65536).decode("utf-8", "replace")
        except OSError:
            return False
        self.raw += data
        self.seen += CONTROL.sub("", data)
        return bool(data)
