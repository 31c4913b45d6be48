"""Tasks that run against each other: wait for whichever ends next, then stop the rest."""

from __future__ import annotations

from contextvars import copy_context

from harnpy.errors import HarnError
from harnpy.runtime.task import BRANCHES, EXPIRED, Task, TaskAborted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

    from harnpy.runtime.context import Context


class Race:
    """A context manager: whatever still runs at its end is cancelled and waited for."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._parent = ctx.scheduler.current
        self._running: list[Task] = []
        self._ended: list[Task] = []

    def __enter__(self) -> Race:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        aborted = error is not None and not isinstance(error, HarnError)
        for task in list(self._running):
            self._ctx.scheduler.cancel(task, TaskAborted if aborted else None)
        while self._running:
            self._ctx.scheduler.park(BRANCHES, shielded=True)

    def start(self, work: Callable[[], Any], name: str) -> Task:
        """Start ``work`` as a task; it runs up to its first wait before this returns."""
        scheduler = self._ctx.scheduler
        task = Task(work, (), name, len(self._running))
        task.on_done = self._done
        self._running.append(task)
        scheduler.start(task, self._parent, self._ctx.depth, copy_context())
        scheduler.yield_now()
        return task

    def next_ended(self, due: int | None = None) -> Task | None:
        """Wait for the next task to end; ``None`` when the clock reaches ``due`` (in ticks) before."""
        while not self._ended:
            expired = self._ctx.scheduler.park(BRANCHES, due) is EXPIRED
            if expired and not self._ended:
                return None
        task = self._ended.pop(0)
        if task.error is not None and not isinstance(task.error, HarnError):
            raise task.error
        return task

    def is_running(self, task: Task) -> bool:
        """Tell whether ``task`` has not ended."""
        return task in self._running

    def _done(self, task: Task) -> None:
        self._running.remove(task)
        self._ended.append(task)
        self._ctx.scheduler.wake(self._parent)
