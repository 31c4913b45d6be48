"""Locks with a first-come queue: mutexes, permits and read-write locks (language 11.8; builtins 1.13)."""

from __future__ import annotations

from harnpy.errors import runtime_error
from harnpy.runtime.clock import MS
from harnpy.runtime.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque

    from harnpy.runtime.task import Task
    from harnpy.runtime.tasks import Scheduler
else:
    from _collections import deque


class _Request:
    """A task that waits for ``count`` units; ``granted`` once it holds them."""

    __slots__ = ("count", "granted", "task")

    def __init__(self, task: Task, count: int) -> None:
        self.task = task
        self.count = count
        self.granted = False


class Lock:
    """``capacity`` units that tasks take and give back; whoever asked first is served first."""

    __slots__ = ("_queue", "_scheduler", "acquired", "capacity", "free", "label", "timeouts")

    def __init__(self, scheduler: Scheduler, label: str, capacity: int) -> None:
        self._scheduler = scheduler
        self._queue: deque[_Request] = deque()
        self.label = label
        self.capacity = capacity
        self.free = capacity
        self.acquired = 0
        self.timeouts = 0

    @property
    def waiting(self) -> int:
        """How many tasks wait."""
        return len(self._queue)

    def acquire(self, count: int = 1, timeout_ms: int | None = None) -> bool:
        """Take ``count`` units, waiting for them; false when the timeout passes first."""
        if not self._queue and count <= self.free:
            self._take(count)
            return True
        scheduler = self._scheduler
        due = None if timeout_ms is None else scheduler.clock.ticks() + max(0, timeout_ms) * MS
        request = _Request(scheduler.current, count)
        self._queue.append(request)
        try:
            while not request.granted and (due is None or scheduler.clock.ticks() < due):
                scheduler.park(self.label, due)
        finally:
            if not request.granted:
                self._queue.remove(request)
                self._serve()
        if not request.granted:
            self.timeouts += 1
        return request.granted

    def release(self, count: int = 1) -> None:
        """Give ``count`` units back."""
        self.free += count
        self._serve()

    def _take(self, count: int) -> None:
        self.free -= count
        self.acquired += 1

    def _serve(self) -> None:
        while self._queue and self._queue[0].count <= self.free:
            request = self._queue.popleft()
            self._take(request.count)
            request.granted = True
            self._scheduler.wake(request.task)


class Mutex:
    """A lock with one holder, which must not ask for it again."""

    __slots__ = ("_holder", "_lock", "_scheduler")

    def __init__(self, scheduler: Scheduler, label: str) -> None:
        self._scheduler = scheduler
        self._lock = Lock(scheduler, label, 1)
        self._holder: Task | None = None

    def enter(self) -> None:
        """Become the holder, waiting for the mutex to be free."""
        task = self._scheduler.current
        if self._holder is task:
            raise runtime_error(f"HARN-ORC-011: deadlock: the task already holds {self._lock.label}")
        self._lock.acquire()
        self._holder = task

    def leave(self) -> None:
        """Let the next one in."""
        self._holder = None
        self._lock.release()


class Permit(Value):
    """Units of a named lock that a program holds until it releases them."""

    __slots__ = ("count", "key", "kind", "lock", "released")
    type_name = "sync_permit"

    def __init__(self, lock: Lock, kind: str, key: str, count: int) -> None:
        self.lock = lock
        self.kind = kind
        self.key = key
        self.count = count
        self.released = False

    def release(self) -> bool:
        """Give the units back; false when that was done before."""
        if self.released:
            return False
        self.released = True
        self.lock.release(self.count)
        return True

    def display_text(self) -> str:
        """Give the display form."""
        return f"<sync_permit:{self.kind}:{self.key}>"

    def equals(self, other: object) -> bool:
        """Permits are never equal, not even to themselves."""
        return False
