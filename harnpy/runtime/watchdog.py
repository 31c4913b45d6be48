"""The one thread that flags a busy program whose deadline or time limit passes in real time."""

from __future__ import annotations

import sys
import threading
from heapq import heappop, heappush
from time import monotonic_ns

from harnpy.runtime.clock import MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.runtime.stops import Stops

# The program's thread gives up the interpreter lock this often while a watchdog is needed, in seconds.
_SWITCH_INTERVAL = 0.0005
_interval_lock = threading.Lock()
_watchdogs = 0
_usual_interval = 0.0
# How long clean-up may take after the time limit before it is stopped as well.
_GRACE_MS = 1000


class Watchdog:
    """Sleeps until the next moment that it was armed for, then has the running task look at its limits."""

    def __init__(self, stops: Stops) -> None:
        self._stops = stops
        self._moments: list[int] = []
        self._limit: int | None = None
        self._closed = False
        self._changed = threading.Condition()
        _count_watchdogs(1)
        self._thread = threading.Thread(target=self._run, name="harn-watchdog", daemon=True)
        self._thread.start()

    def arm(self, ticks: int) -> None:
        """Have the running task look at ``ticks`` of the run's clock, which must not be mocked."""
        moment = monotonic_ns() + ticks - self._stops.clock.ticks()
        with self._changed:
            heappush(self._moments, moment)
            if self._moments[0] == moment:
                self._changed.notify()

    def arm_limit(self, wall_ms: int) -> None:
        """Stop the run ``wall_ms`` from now, and its clean-up when that takes too long."""
        with self._changed:
            self._limit = monotonic_ns() + wall_ms * MS
            self._changed.notify()

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()
        _count_watchdogs(-1)

    def _run(self) -> None:
        with self._changed:
            while not self._closed:
                now = monotonic_ns()
                if self._limit is not None and now >= self._limit:
                    self._limit = now + _GRACE_MS * MS
                    self._stops.time_out()
                if self._moments and now >= self._moments[0]:
                    while self._moments and now >= self._moments[0]:
                        heappop(self._moments)
                    self._stops.look()
                self._changed.wait(self._seconds())

    def _seconds(self) -> float | None:
        moments = [*self._moments[:1], *([] if self._limit is None else [self._limit])]
        if not moments:
            return None
        # The moment may be too far away for a float.
        return min(max(0, min(moments) - monotonic_ns()), 3600 * 10**9) / 1e9


def _count_watchdogs(change: int) -> None:
    """Set the interval of the whole process while there is a watchdog in any of its threads."""
    global _watchdogs, _usual_interval
    with _interval_lock:
        if _watchdogs == 0:
            _usual_interval = sys.getswitchinterval()
        _watchdogs += change
        sys.setswitchinterval(min(_usual_interval, _SWITCH_INTERVAL) if _watchdogs else _usual_interval)
