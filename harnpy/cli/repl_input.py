"""The keyboard of the prompt on a POSIX terminal, where Ctrl-C is a signal at every moment.

The line editor's own raw mode makes Ctrl-C a character while it reads. Pressed just after Enter, that character
would wait in the terminal's queue for the next prompt, and the evaluation would run on.
"""

from __future__ import annotations

import os
import termios
from contextlib import suppress
from typing import TYPE_CHECKING

from prompt_toolkit.input.vt100 import Vt100Input, raw_mode

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class _RawWithInterrupt(raw_mode):
    """Raw mode that keeps the key of SIGINT, and no other key of a signal.

    The kernel must not throw away what was typed before Ctrl-C: the editor may have seen that there is something, and
    would wait for it. ``Keyboard.forget`` does that between two readings.
    """

    @classmethod
    def _patch_lflag(cls, attrs: int) -> int:
        return super()._patch_lflag(attrs) | termios.ISIG | termios.NOFLSH

    def __enter__(self) -> None:
        super().__enter__()
        if self.attrs_before is not None:
            now = termios.tcgetattr(self.fileno)
            for key in (termios.VSUSP, termios.VQUIT):
                now[6][key] = bytes([os.fpathconf(self.fileno, "PC_VDISABLE")])
            termios.tcsetattr(self.fileno, termios.TCSANOW, now)


class Keyboard(Vt100Input):
    """Standard input for the line editor."""

    def raw_mode(self) -> AbstractContextManager[None]:
        """Give what lets the editor see each key as it is pressed."""
        return _RawWithInterrupt(self.stdin.fileno())

    def forget(self) -> None:
        """Throw away what was typed and not yet read."""
        with suppress(termios.error):
            termios.tcflush(self.stdin.fileno(), termios.TCIFLUSH)
