"""Awaiting, cancelling and racing tasks (builtins 1.13)."""

from __future__ import annotations

from harnpy.errors import HarnError, runtime_error
from harnpy.runtime.calls import call
from harnpy.runtime.clock import MS
from harnpy.runtime.display import display
from harnpy.runtime.nursery import TaskHandle
from harnpy.runtime.task import TASK, TaskAborted
from harnpy.runtime.values import CALLABLE_TYPES, Duration, err, ok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.runtime.task import Task
    from harnpy.runtime.values import EnumValue

_PATIENCE_MS = 5000
_TOO_SLOW = "cancel_graceful: timeout, task forcefully aborted"


def await_task(ctx: Context, handle: Any = None) -> Any:
    """Wait for a task that ``spawn`` started and give its value; nil when that was taken already.

    A value that is no handle is given back. Errors: the error of a task that failed is thrown here.
    """
    if type(handle) is not TaskHandle:
        return handle
    if handle.task is ctx.scheduler.current:
        raise runtime_error("HARN-ORC-011: deadlock: a task cannot await itself")
    _wait(ctx, handle.task, None)
    if handle.consumed:
        return None
    handle.consumed = True
    if handle.task.error is not None:
        raise handle.task.error
    return handle.task.result


def cancel(ctx: Context, handle: Any = None) -> None:
    """Cancel a task: it gets the cancellation error where it waits next, and its ``finally`` and ``defer`` run."""
    if type(handle) is TaskHandle:
        handle.consumed = True
        ctx.scheduler.cancel(handle.task)


def cancel_graceful(ctx: Context, handle: Any = None, timeout: Any = None) -> EnumValue | None:
    """Cancel a task and wait for its outcome: ``Ok(value)`` or ``Err(text)``; nil for what is no handle.

    ``timeout`` is an int of ms or a duration; a task that takes longer to end is ended by force.
    """
    if type(handle) is not TaskHandle:
        return None
    if handle.consumed:
        return ok(None)
    handle.consumed = True
    task = handle.task
    if type(timeout) is Duration:
        timeout = timeout.ms
    limit = timeout if type(timeout) is int else _PATIENCE_MS
    ctx.scheduler.cancel(task)
    if not _wait(ctx, task, ctx.scheduler.clock.ticks() + max(0, limit) * MS):
        ctx.scheduler.cancel(task, TaskAborted)
        return err(_TOO_SLOW)
    if isinstance(task.error, HarnError):
        return err(display(task.error.value))
    return ok(task.result)


def _wait(ctx: Context, task: Task, due: int | None) -> bool:
    """Wait for the end of ``task``, at most until ``due``; tell whether it ended."""
    scheduler = ctx.scheduler
    current = scheduler.current
    while not task.done and (due is None or scheduler.clock.ticks() < due):
        task.waiters.append(current)
        try:
            scheduler.park(TASK, due)
        finally:
            if current in task.waiters:
                task.waiters.remove(current)
    return task.done


def is_cancelled(ctx: Context) -> bool:
    """Tell whether the running task was cancelled and is cleaning up."""
    return ctx.scheduler.current.cancelled is not None


def yield_now(ctx: Context) -> None:
    """Let every other task that is ready run before going on."""
    ctx.scheduler.yield_now()


def parallel_race(ctx: Context, items: Any = None, fn: Any = None, cap: Any = None) -> Any:
    """Call ``fn(item)`` for all items at once and give the first plain value or ``Ok`` payload; the others are
    cancelled.

    ``cap`` is how many run at once: an int, or ``{max_concurrent}``; 0 means all.
    Errors: throws when there are no items, and when all tasks failed.
    """
    from harnpy.runtime.fanout import race

    if type(items) is not list:
        raise runtime_error("parallel_race: first argument must be a list")
    if type(fn) not in CALLABLE_TYPES:
        raise runtime_error("parallel_race: second argument must be callable")
    if type(cap) is dict:
        cap = cap.get("max_concurrent")
    return race(ctx.scheduler, lambda item: call(ctx, fn, [item]), items, cap if type(cap) is int else 0)
