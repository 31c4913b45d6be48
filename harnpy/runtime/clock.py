"""The one clock of a run: wall time, monotonic time and their mocked form (builtins 1.12, 1.21, 3.3)."""

from __future__ import annotations

from time import monotonic_ns, time_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MS = 1_000_000
"""Nanoseconds in a millisecond."""


class Clock:
    """Real time, or virtual time that only moves when it is told to.

    All relative measures (sleeps, deadlines, lifetimes) use ``ticks``: whole nanoseconds on an axis
    that never goes back and runs on when the clock is mocked or unmocked. ``watchers`` are called after every change
    that was not the mere passing of real time.
    """

    __slots__ = ("_offset", "_start", "_ticks", "_wall_ms", "virtual", "watchers")

    def __init__(self) -> None:
        self.virtual = False
        self.watchers: tuple[Callable[[], None], ...] = ()
        self._offset = -monotonic_ns()
        self._ticks = 0
        self._start = 0
        self._wall_ms = 0

    def ticks(self) -> int:
        """Give the nanoseconds since the run began, on the axis that never goes back."""
        return self._ticks if self.virtual else monotonic_ns() + self._offset

    def common_ticks(self) -> int:
        """Give nanoseconds on an axis that the clocks of several runs have in common; virtual time is its own."""
        return self.now_ms() * MS if self.virtual else monotonic_ns()

    def now_ms(self) -> int:
        """Give the Unix time in ms."""
        return self._wall_ms + self.monotonic_ms() if self.virtual else time_ns() // MS

    def timestamp(self) -> float:
        """Give the Unix time in seconds."""
        return self.now_ms() / 1000 if self.virtual else time_ns() / 1_000_000_000

    def monotonic_ms(self) -> int:
        """Give the ms since the run began, or since the clock was mocked."""
        return (self.ticks() - self._start) // MS

    def mock(self, wall_ms: int) -> None:
        """Fix the wall clock at ``wall_ms`` and start the monotonic clock at 0."""
        self._ticks = self._start = self.ticks()
        self._wall_ms = wall_ms
        self.virtual = True
        self._tell()

    def advance(self, ms: int) -> None:
        """Move the mocked clock on; it never goes back."""
        self.jump(self._ticks + max(0, ms) * MS)

    def jump(self, ticks: int) -> None:
        """Move the mocked clock to ``ticks`` unless that lies in the past."""
        if self.virtual and ticks > self._ticks:
            self._ticks = ticks
            self._tell()

    def unmock(self) -> None:
        """Go on with real time; the monotonic clock counts from the start of the run again."""
        if self.virtual:
            self.virtual = False
            self._offset = self._ticks - monotonic_ns()
            self._start = 0
            self._tell()

    def _tell(self) -> None:
        for watcher in self.watchers:
            watcher()
