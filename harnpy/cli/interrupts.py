"""Signals to a command: SIGINT, SIGTERM and SIGHUP stop the program that runs, and the exit code names the first one.

Only the command line installs this. No handler ever raises: it hands the signal to what can stop in order. A first
signal lets clean-up run, a second one breaks the clean-up off, a third one ends the process at once.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from typing import NoReturn

    from harnpy.session import Session
    from harnpy.source import Source
else:
    import _signal  # the module ``signal`` makes enums, which takes longer than all the rest here

SIGINT = int(_signal.SIGINT)
_SIGHUP = int(getattr(_signal, "SIGHUP", 0))
_HANDLED = tuple(number for number in (SIGINT, int(_signal.SIGTERM), _SIGHUP) if number)
# How long a program whose clean-up was broken off may take to end.
_GRACE_SECONDS = 1.0


class Stopping:
    """How signals end the programs that a command runs; ``code`` is the exit code of the first one, else 0."""

    def __init__(self) -> None:
        self.code = 0
        self.program: Session | None = None
        self._count = 0

    def arrived(self, number: int) -> None:
        """Stop the program that runs; without one, or at the third signal, the process."""
        from harnpy.streams import lose_output_quietly

        self._count += 1
        self.code = self.code or 128 + number
        lose_output_quietly()
        if self.program is None or self._count > 2:
            leave(self.code)
        elif self._count == 1:
            self.program.interrupt()
        else:
            self.program.hurry()
            _leave_soon(self.code)


stopping = Stopping()
_react: Callable[[int], None] = stopping.arrived
_terminals: list[int] = []


def install() -> None:
    """Take over the signals of this process, except those that its parent wants ignored."""
    _terminals[:] = [descriptor for descriptor in (0, 1, 2) if os.isatty(descriptor)]
    for number in _HANDLED:
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, _arrived)


def hand_to(react: Callable[[int], None]) -> None:
    """Have ``react`` get the number of every signal from now on, in the main thread."""
    global _react
    _react = react


def run_session(session: Session, read: Callable[[], Source]) -> int:
    """Run the program that ``read`` gives and give its exit code; a signal stops it and decides the code."""

    def begin() -> Source:
        source = read()
        stopping.program = session
        return source

    try:
        code = session.run(begin)
    finally:
        stopping.program = None
    return stopping.code or code


def leave(code: int) -> NoReturn:
    """End the process and the children of its programs at once."""
    child = sys.modules.get("harnpy.capabilities.child")
    if child is not None:
        child.kill_all()
    os._exit(code)


def _leave_soon(code: int) -> None:
    from threading import Timer

    timer = Timer(_GRACE_SECONDS, leave, (code,))
    timer.daemon = True
    timer.start()


def _arrived(number: int, _frame: object) -> None:
    if number == _SIGHUP:
        _let_go_of_terminals()
    _react(number)


def _let_go_of_terminals() -> None:
    """Let clean-up code print to nowhere where the terminal has been closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in _terminals:
        if not os.isatty(descriptor):
            os.dup2(nowhere, descriptor)
    os.close(nowhere)
