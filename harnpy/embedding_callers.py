"""Lets what a function of the host calls in Harn join the program that called the function."""

from __future__ import annotations

import threading
from contextvars import ContextVar, copy_context
from typing import Any

from harnpy.runtime.task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.runtime.context import Context

# The call of a host function that is going on, as the function and the asyncio tasks that it starts see it.
CALLER: ContextVar[Caller | None] = ContextVar("harnpy_caller", default=None)


class Caller:
    """One call of a host function: by which task of which run, and whether the task waits for an awaitable."""

    __slots__ = ("_blocked", "_context", "_depth", "_ended", "_task", "_thread", "_waits", "scheduler", "waiting")

    def __init__(self, context: Context) -> None:
        self._context = context
        self.scheduler = context.scheduler
        self._task = context.scheduler.current
        self._depth = context.depth
        self._thread = threading.get_ident()
        self.waiting = False
        # The asyncio tasks that have awaited Harn, and how often each does it now.
        self._waits: dict[Any, int] = {}
        self._blocked = False
        self._ended = False

    def join(self, main: Callable[[], Any]) -> Any:
        """Run ``main`` as a part of the calling task.

        Raises:
            RuntimeError: The task waits for the host function, or has another thread.
        """
        if self._thread != threading.get_ident():
            raise RuntimeError("what a program is to do for a host function must be asked for in the thread of the run")
        if self.waiting:
            raise RuntimeError("inside an async function of the host, await Harn functions: `await f.acall(...)`")
        context = self._context
        depth, loader = context.depth, context.loader
        try:
            return main()
        finally:
            context.depth, context.loader = depth, loader

    async def join_async(self, main: Callable[[], Any]) -> Any:
        """Run ``main`` as a task of its own, beside the calling one; cancelling this cancels it."""
        import asyncio

        loop, waiter = asyncio.get_running_loop(), asyncio.current_task()
        if loop is not self.scheduler.loop or waiter is None:
            raise RuntimeError("what a program is to do for a host function must be awaited on the loop of the run")
        if waiter not in self._waits:
            self._waits[waiter] = 0
            waiter.add_done_callback(self._forget)
        task = Task(main, (), "a function called by the host")
        ended = loop.create_future()

        def end(_task: Task) -> None:
            self._count(waiter, -1)
            if not ended.done():
                ended.set_result(None)

        task.on_done = end
        self._count(waiter, 1)
        self.scheduler.start(task, self._task, self._depth, copy_context())
        self.scheduler.ring()
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            self.scheduler.cancel(task)
            await asyncio.wait([ended])
            raise
        if task.error is not None:
            raise task.error
        return task.result

    def end(self) -> None:
        """Note that the host function has ended."""
        self._waits.clear()
        self._look()
        self._ended = True

    def _count(self, waiter: Any, more: int) -> None:
        if waiter in self._waits:
            self._waits[waiter] += more
            self._look()

    def _forget(self, waiter: Any) -> None:
        self._waits.pop(waiter, None)
        self._look()

    def _look(self) -> None:
        """While all that the host function does is waiting for Harn, it is no I/O that holds virtual time up."""
        blocked = bool(self._waits) and all(self._waits.values())
        if blocked != self._blocked and not self._ended:
            self._blocked = blocked
            self.scheduler.in_flight += -1 if blocked else 1
            self.scheduler.ring()
