"""The clock that a host may put in the place of that of a run: its protocol and its adapter."""

from __future__ import annotations

from typing import Protocol

from harnpy.runtime.clock import MS, Clock


class HostClock(Protocol):
    """Tells the time of a run."""

    def time_ns(self) -> int:
        """Give the Unix time in nanoseconds."""

    def monotonic_ns(self) -> int:
        """Give nanoseconds that never go back. Waits last as long as this clock needs to reach their end."""


class AdaptedClock(Clock):
    """The clock of a run that reads a clock of the host."""

    __slots__ = ("_host",)

    def __init__(self, host: HostClock) -> None:
        super().__init__()
        for name in ("time_ns", "monotonic_ns"):
            if not callable(getattr(host, name, None)):
                raise TypeError(
                    f"a clock has the methods time_ns and monotonic_ns; a {type(host).__name__} has no {name}"
                )
        self._host = host
        self._offset = -host.monotonic_ns()

    def ticks(self) -> int:
        """Give the nanoseconds since the run began, on the axis that never goes back."""
        return self._ticks if self.virtual else self._host.monotonic_ns() + self._offset

    def common_ticks(self) -> int:
        """Give nanoseconds on an axis that the clocks of several runs have in common; virtual time is its own."""
        return self.now_ms() * MS if self.virtual else self._host.monotonic_ns()

    def now_ms(self) -> int:
        """Give the Unix time in ms."""
        return self._wall_ms + self.monotonic_ms() if self.virtual else self._host.time_ns() // MS

    def timestamp(self) -> float:
        """Give the Unix time in seconds."""
        return self.now_ms() / 1000 if self.virtual else self._host.time_ns() / 1_000_000_000

    def unmock(self) -> None:
        """Go on with the time of the host."""
        if self.virtual:
            super().unmock()
            self._offset = self._ticks - self._host.monotonic_ns()
