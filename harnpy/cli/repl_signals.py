"""Signals to the REPL: Ctrl-C stops what runs or clears the line, SIGTERM and SIGHUP end the session."""

from __future__ import annotations

from harnpy.cli.interrupts import SIGINT, leave
from harnpy.streams import lose_output_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.cli.repl_engine import Engine


class ReplSignals:
    """What a signal does at each moment; ``code`` is the exit code once one has asked the REPL to end, else 0.

    ``asking`` is called while the user is asked for an input; it gives False when an input has just been taken.
    Without a user (``interactive``) there is nobody to go on for, so that Ctrl-C ends the REPL too.
    """

    def __init__(self, engine: Engine, *, interactive: bool) -> None:
        self.code = 0
        self.asking: Callable[[], bool] | None = None
        self._engine = engine
        self._interactive = interactive
        self._calls_to_end = 0

    def arrived(self, number: int) -> None:
        """Act upon a signal; called in the main thread, between any two steps of it."""
        if number != SIGINT or not self._interactive:
            lose_output_quietly()
            self.code = self.code or 128 + number
            self._calls_to_end += 1
            if self._calls_to_end > 2:
                leave(self.code)
        if self.asking is None or not self.asking():
            self._engine.interrupt()
