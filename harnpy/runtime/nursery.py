"""Task handles, and the nursery of ``scope``: tasks that end with the block that started them (language 11.3, 11.4)."""

from __future__ import annotations

from harnpy.errors import HarnError
from harnpy.runtime.task import BRANCHES, TaskAborted
from harnpy.runtime.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.task import Task
    from harnpy.runtime.tasks import Scheduler

# The task-local value with the innermost open nursery.
NURSERY = "nursery"


class TaskHandle(Value):
    """What ``spawn`` gives; ``consumed`` once its outcome was taken or it was cancelled."""

    __slots__ = ("consumed", "id", "task")
    type_name = "task_handle"

    def __init__(self, number: int, task: Task) -> None:
        self.id = number
        self.task = task
        self.consumed = False

    def display_text(self) -> str:
        """Give the display form."""
        return f"<task:vm_task_{self.id}>"

    def equals(self, other: TaskHandle) -> bool:
        """Two handles are equal when they are of the same task."""
        return self.id == other.id


class Nursery:
    """The tasks started in one run of a ``scope`` block."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._parent = scheduler.current
        self._running: dict[int, Task] = {}
        self._failure: BaseException | None = None
        self.open = True

    def adopt(self, task: Task) -> None:
        """Make ``task`` one of the block's."""
        self._running[task.id] = task
        task.on_done = self._ended

    def _ended(self, task: Task) -> None:
        del self._running[task.id]
        if task.error is not None and task.cancelled is None and self._failure is None:
            self._failure = task.error
            self._stop(None if isinstance(task.error, HarnError) else TaskAborted)
            if not self._parent.shielded:
                self._scheduler.wake_with(self._parent, task.error)
        if not self._running and not self.open:
            self._scheduler.wake(self._parent)

    def _stop(self, kind: Callable[[], BaseException] | None = None) -> None:
        for task in list(self._running.values()):
            self._scheduler.cancel(task, kind)

    def run(self, body: Callable[[list[Any]], Any], frame: list[Any]) -> Any:
        """Run the block and give what it gives, once all its tasks have ended."""
        scheduler = self._scheduler
        outer = scheduler.local(NURSERY)
        scheduler.set_local(NURSERY, self)
        try:
            value = body(frame)
            self.open = False
            while self._running and self._failure is None:
                scheduler.park(BRANCHES)
        except BaseException as error:
            self._stop(None if isinstance(error, HarnError) else TaskAborted)
            raise
        finally:
            self.open = False
            while self._running:
                scheduler.park(BRANCHES, shielded=True)
            scheduler.set_local(NURSERY, outer)
        if self._failure is not None:
            raise self._failure
        return value
