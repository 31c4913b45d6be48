"""One line on a terminal that tells of the model calls of a long run: in flight, tokens, cost."""

from __future__ import annotations

from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# A short run shows nothing, and the line changes at most this often.
QUIET_SECONDS, PAUSE_SECONDS = 2.0, 0.1
_CLEAR = "\r\x1b[K"


class Progress:
    """An observer of model calls; ``write`` writes to the terminal."""

    def __init__(self, write: Callable[[str], None], now: Callable[[], float] = monotonic) -> None:
        self._write = write
        self._now = now
        self._began = self._shown_at = now()
        self._shown = False
        self._flying = self._done = self._failed = self._tokens = 0
        self._cost = 0.0

    def began(self, _request: Any) -> None:
        """Note that a call begins."""
        self._flying += 1
        self._show()

    def ended(self, _call: None, usage: dict[str, Any]) -> None:
        """Note that a call was answered."""
        self._flying -= 1
        self._done += 1
        self._tokens += usage["input_tokens"] + usage["output_tokens"]
        self._cost += usage["known_cost_usd"]
        self._show()

    def failed(self, _call: None, _error: BaseException) -> None:
        """Note that a call failed."""
        self._flying -= 1
        self._failed += 1
        self._show()

    def clear(self) -> None:
        """Take the line away: the program writes, or the run ends."""
        if self._shown:
            self._write(_CLEAR)
            self._shown = False

    def guard(self, write: Callable[[str], None]) -> Callable[[str], None]:
        """Give ``write`` for the program: the line is taken away before its output."""

        def cleared(text: str) -> None:
            self.clear()
            write(text)

        return cleared

    def _show(self) -> None:
        now = self._now()
        if now - self._began < QUIET_SECONDS or now - self._shown_at < PAUSE_SECONDS:
            return
        failed = f", {self._failed} failed" if self._failed else ""
        text = f"{self._flying} calls in flight, {self._done} done{failed}, {self._tokens} tokens, {self._cost:.4f} USD"
        self._write(_CLEAR + text)
        self._shown, self._shown_at = True, now
