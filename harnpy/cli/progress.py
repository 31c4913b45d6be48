"""One line on a terminal that tells of the model calls of a long run: in flight, tokens, cost."""

from __future__ import annotations

import os
from _thread import allocate_lock
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event
    from typing import Any

# A short run shows nothing, and the line changes at most this often.
QUIET_SECONDS, PAUSE_SECONDS = 2.0, 0.1
_TICK_SECONDS = 0.5
_CLEAR = "\r\x1b[K"


class Progress:
    """An observer of model calls; ``write`` writes to the terminal that is ``width()`` columns wide.

    The line changes with every call that begins or ends; a ``ticking`` one changes too while all calls wait.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        now: Callable[[], float] = monotonic,
        width: Callable[[], int] = lambda: 200,
        *,
        ticking: bool = False,
    ) -> None:
        self._write = write
        self._now = now
        self._width = width
        self._ticking = ticking
        self._over: Event | None = None
        self._lock = allocate_lock()
        self._began = self._shown_at = now()
        self._shown = False
        self._at_start_of_line = True
        self._flying = self._done = self._failed = self._tokens = 0
        self._cost = 0.0

    def began(self, _request: Any) -> None:
        """Note that a call begins."""
        self._flying += 1
        if self._ticking and self._over is None:
            self._tick()
        self.show()

    def ended(self, _call: None, usage: dict[str, Any]) -> None:
        """Note that a call was answered."""
        self._flying -= 1
        self._done += 1
        self._tokens += usage["input_tokens"] + usage["output_tokens"]
        self._cost += usage["known_cost_usd"]
        self.show()

    def failed(self, _call: None, _error: BaseException) -> None:
        """Note that a call failed."""
        self._flying -= 1
        self._failed += 1
        self.show()

    def close(self) -> None:
        """Take the line away for good: the run has ended."""
        if self._over is not None:
            self._over.set()
        with self._lock:
            self._clear()
            self._at_start_of_line = False

    def guard(self, write: Callable[[str], None]) -> Callable[[str], None]:
        """Give ``write`` for the program: the line is taken away before its output, and never follows half a line."""

        def cleared(text: str) -> None:
            with self._lock:
                self._clear()
                if text:
                    self._at_start_of_line = text.endswith("\n")
                write(text)

        return cleared

    def show(self) -> None:
        """Write the line anew, if it is time."""
        now = self._now()
        if now - self._began < QUIET_SECONDS or now - self._shown_at < PAUSE_SECONDS:
            return
        failed = f", {self._failed} failed" if self._failed else ""
        text = f"{self._flying} calls in flight, {self._done} done{failed}, {self._tokens} tokens, {self._cost:.4f} USD"
        with self._lock:
            if self._at_start_of_line:
                self._write(_CLEAR + text[: max(1, self._width() - 1)])
                self._shown, self._shown_at = True, now

    def _clear(self) -> None:
        if self._shown:
            self._write(_CLEAR)
            self._shown = False

    def _tick(self) -> None:
        from threading import Event, Thread

        over = self._over = Event()

        def keep_showing() -> None:
            while not over.wait(_TICK_SECONDS):
                if self._flying:
                    self.show()

        Thread(target=keep_showing, name="harn-progress", daemon=True).start()


def terminal_progress(write: Callable[[str], None]) -> Progress:
    """Give the progress line of the terminal on standard error."""
    return Progress(write, width=_terminal_width, ticking=True)


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(2).columns or 80
    except OSError:
        return 80
