"""Branches over a list of items: the ways to run them together and to gather their outcomes (language 11.2)."""

from __future__ import annotations

from contextvars import copy_context

from harnpy.errors import HarnError, runtime_error
from harnpy.runtime.task import BRANCHES, CANCELLED, Task, TaskAborted
from harnpy.runtime.values import EnumValue, err, ok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from harnpy.runtime.tasks import Scheduler


class Batch:
    """Runs ``fn(item)`` as one task per item, at most ``limit`` at once (0 or less: all)."""

    def __init__(self, scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int) -> None:
        self.scheduler = scheduler
        self.running: dict[int, Task] = {}
        self._fn = fn
        self._items = items
        self._limit = limit if limit > 0 else len(items)
        self._next = 0
        self._parent = scheduler.current
        self._depth = scheduler.ctx.depth
        self._context = copy_context()

    def ended(self, task: Task) -> None:
        """Take the outcome of a branch; the classes below say what it means."""

    def start(self) -> None:
        """Start as many branches as may run now, in the order of the items."""
        while not self.started_all() and len(self.running) < self._limit:
            index = self._next
            self._next += 1
            task = Task(self._fn, (self._items[index],), f"branch {index}", index)
            task.on_done = self._done
            self.running[index] = task
            self.scheduler.start(task, self._parent, self._depth, self._context.copy())

    def started_all(self) -> bool:
        """Tell whether no item waits for its branch to start."""
        return self._next >= len(self._items)

    def stop(self, kind: Callable[[], BaseException] | None = None) -> None:
        """Start no more branches and cancel those that run."""
        self._next = len(self._items)
        for task in list(self.running.values()):
            self.scheduler.cancel(task, kind)

    def finish(self) -> None:
        """Run all branches to their end; whatever ends the wait stops them first."""
        self.start()
        try:
            while self.running:
                self.scheduler.park(BRANCHES)
        except BaseException as error:
            self.stop(None if isinstance(error, HarnError) else TaskAborted)
            while self.running:
                self.scheduler.park(BRANCHES, shielded=True)
            raise

    def _done(self, task: Task) -> None:
        del self.running[task.index]
        if task.error is None or isinstance(task.error, HarnError):
            self.ended(task)
        else:  # the end of the run: nobody may catch it
            self.stop(TaskAborted)
        self.start()
        if not self.running:
            self.scheduler.wake(self._parent)


class _Each(Batch):
    """All results in order; the first failure stops the rest, of several the one with the lowest index wins."""

    def __init__(self, scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int) -> None:
        super().__init__(scheduler, fn, items, limit)
        self.results: list[Any] = [None] * len(items)
        self.failure: Task | None = None

    def ended(self, task: Task) -> None:
        if task.error is None:
            self.results[task.index] = task.result
        elif self.failure is None:
            self.failure = task
            self.stop()
        elif task.index < self.failure.index and not _was_cancelled(task):
            self.failure = task


class _Settle(Batch):
    """All outcomes in order."""

    def __init__(self, scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int) -> None:
        super().__init__(scheduler, fn, items, limit)
        self.results: list[Any] = [None] * len(items)
        self.failed = 0

    def ended(self, task: Task) -> None:
        if isinstance(task.error, HarnError):
            self.failed += 1
            self.results[task.index] = err(task.error.value)
        else:
            self.results[task.index] = ok(task.result)


class _Race(Batch):
    """The first success stops the rest; an ``Err`` counts as a failure."""

    def __init__(self, scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int) -> None:
        super().__init__(scheduler, fn, items, limit)
        self.winner: Task | None = None
        self.errors: list[Any] = [None] * len(items)

    def ended(self, task: Task) -> None:
        if isinstance(task.error, HarnError):
            self.errors[task.index] = task.error.value
        elif is_err(task.result):
            self.errors[task.index] = task.result.fields[0]
        elif self.winner is None:
            self.winner = task
            self.stop()


def run_all(scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int = 0) -> list[Any]:
    """Give ``fn(item)`` of all items in order; one failure ends all and is raised."""
    batch = _Each(scheduler, fn, items, limit)
    batch.finish()
    if batch.failure is not None and batch.failure.error is not None:
        raise batch.failure.error
    return batch.results


def settle(scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int = 0) -> dict[str, Any]:
    """Give ``Ok`` or ``Err`` of all items in order, with their counts."""
    batch = _Settle(scheduler, fn, items, limit)
    batch.finish()
    return {"results": batch.results, "succeeded": len(items) - batch.failed, "failed": batch.failed}


def race(scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int = 0) -> Any:
    """Give the first plain value or ``Ok`` payload; all others are cancelled."""
    from harnpy.runtime.display import display

    if not items:
        raise runtime_error("parallel_race: expected at least one item")
    batch = _Race(scheduler, fn, items, limit)
    batch.finish()
    if batch.winner is None:
        listed = "; ".join([display(error) for error in batch.errors])
        raise runtime_error(f"parallel_race: all {len(items)} task(s) failed: {listed}")
    result = batch.winner.result
    return result.fields[0] if is_result(result) else result


def is_result(value: Any) -> bool:
    """Tell whether ``value`` is ``Ok`` or ``Err``."""
    return type(value) is EnumValue and value.type.name == "Result"


def is_err(value: Any) -> bool:
    """Tell whether ``value`` is an ``Err``."""
    return is_result(value) and value.variant == "Err"


def _was_cancelled(task: Task) -> bool:
    return isinstance(task.error, HarnError) and task.error.value == CANCELLED
