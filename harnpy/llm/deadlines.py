"""Deadlines of real I/O: they pass by real time, and also when the clock of the run is moved on (llm 8.4)."""

from __future__ import annotations

import asyncio
from time import monotonic_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Protocol

    class RunClock(Protocol):
        """What model calls need of the clock of a run; ``watchers`` are called when more than time moves it."""

        watchers: tuple[Callable[[], None], ...]

        def ticks(self) -> int:
            """Give nanoseconds on an axis that never goes back."""

        def now_ms(self) -> int:
            """Give the Unix time in ms."""


_MS = 1_000_000


class Deadlines:
    """The running deadlines of one transport; ``clock`` may be moved from any thread."""

    def __init__(self, clock: RunClock | None = None) -> None:
        self._clock = clock
        self._running: dict[Limit, None] = {}

    def limit(self, ms: float | None, began: int | None = None) -> Limit:
        """Give ``async with`` that raises ``TimeoutError`` when its body takes longer than ``ms``; ``None``: never.

        ``began`` is the tick from which the ms count when that is not now.
        """
        now = self.ticks()
        return Limit(self, now, None if ms is None else (now if began is None else began) + round(ms * _MS))

    def ticks(self) -> int:
        """Give nanoseconds that never go back, nor on while a virtual clock stands still."""
        return monotonic_ns() if self._clock is None else self._clock.ticks()

    def add(self, limit: Limit) -> None:
        """Count a limit among those that run."""
        if self._clock is not None and not self._running:
            self._clock.watchers += (self._moved,)
        self._running[limit] = None

    def drop(self, limit: Limit) -> None:
        """Forget a limit."""
        del self._running[limit]
        if self._clock is None:
            return
        if not self._running:
            self._clock.watchers = tuple(watcher for watcher in self._clock.watchers if watcher != self._moved)
        elif limit.struck:
            self._strike()

    def _moved(self) -> None:
        for loop in {limit.loop for limit in tuple(self._running)}:
            try:
                loop.call_soon_threadsafe(self._strike)
            except RuntimeError:  # the loop was closed: nothing waits there any more
                continue

    def _strike(self) -> None:
        """Let the limits that are due end their waits: of each waiting task the one that was due first."""
        now = self.ticks()
        struck = {limit.task for limit in self._running if limit.struck}
        due = [(limit.due, limit) for limit in self._running if limit.due is not None and limit.due <= now]
        for _, limit in sorted(due, key=lambda item: item[0]):
            if limit.task not in struck:
                struck.add(limit.task)
                limit.strike()


class Limit:
    """One deadline around the body of an ``async with``."""

    __slots__ = ("_deadlines", "_timeout", "due", "loop", "struck", "task")

    def __init__(self, deadlines: Deadlines, now: int, due: int | None) -> None:
        self._deadlines = deadlines
        self._timeout = asyncio.timeout(None if due is None else (due - now) / 1e9)
        self.due = due
        self.struck = False

    async def __aenter__(self) -> Limit:
        await self._timeout.__aenter__()
        if self.due is not None:
            self.task = asyncio.current_task()
            self.loop = asyncio.get_running_loop()
            self._deadlines.add(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        finally:
            if self.due is not None:
                self._deadlines.drop(self)

    def strike(self) -> None:
        """End the body now."""
        self.struck = True
        if not self._timeout.expired():
            self._timeout.reschedule(self.loop.time())

    def passed(self) -> bool:
        """Tell whether this deadline, and not one around it, has ended the body."""
        return self._timeout.expired()
