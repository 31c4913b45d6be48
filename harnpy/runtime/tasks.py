"""The scheduler of a run: it starts tasks, parks them while they wait and wakes them in order (language 11)."""

from __future__ import annotations

from contextvars import copy_context
from heapq import heappop, heappush

from harnpy.errors import ControlSignal, HarnError, runtime_error, thrown_text
from harnpy.runtime.clock import MS
from harnpy.runtime.limits import enter_run, leave_run, translated
from harnpy.runtime.stops import Stops
from harnpy.runtime.task import (
    BRANCHES,
    CANCELLED,
    EXPIRED,
    FOR_TASKS,
    IO,
    TASK,
    Task,
    TaskAborted,
    cancellation,
    no_work,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Awaitable, Callable
    from typing import Any

    from harnpy.runtime.context import Context
else:
    from _collections import deque

# The longest single wait in seconds; longer ones are waited for in pieces.
_LONGEST_WAIT = 3600.0


class Scheduler(Stops):
    """Runs the tasks of one run, one at a time, in the order in which they became ready.

    A task keeps running until it parks. Timers fire one by one, by due time and then by the order in which
    the waits began, and only when no task is ready. On a virtual clock time jumps to the next timer unless
    real I/O is in flight. Greenlets and the asyncio loop come into being when they are first needed.
    """

    def __init__(self, ctx: Context) -> None:
        super().__init__(ctx)
        self.ready: deque[Task] = deque()
        self.hub: Any = None
        self.getcurrent: Callable[[], Any] = no_work
        self.in_flight = 0
        self.quit = False
        self.fault: BaseException | None = None
        self.handles = 0
        self._ending = False
        self.producers: dict[int, Any] = {}
        self.abandoned: list[Any] = []
        # The times at which timers are due, as a heap, and the waits that end at each of them, in order.
        self._timers: list[int] = []
        self._waits: dict[int, deque[tuple[Task, int]]] = {}
        self._closers: list[Callable[[], Awaitable[Any]]] = []
        self._last_id = 0

    # --- the life of a run --------------------------------------------------------------------

    def run(self, main: Callable[[], Any]) -> Any:
        """Run ``main`` as the main task in this thread, then end every other task."""
        enter_run(self.ctx.limits.call_depth)
        self.limit_time()
        make_error: Callable[[], BaseException] = cancellation
        try:
            return main()
        except (RecursionError, KeyboardInterrupt) as error:
            raise translated(error) from None
        except ControlSignal:
            make_error = TaskAborted
            raise
        finally:
            self._end(make_error)

    def _end(self, make_error: Callable[[], BaseException]) -> None:
        """End all tasks and producers and close what was opened."""
        self.main.deadline = None
        self.main.cancelled = None
        try:
            self._cancel_all(make_error)
            self.abandoned += self.producers.values()
            self.close_abandoned()
            self.pending, self.hurried = None, False  # there is no program left to stop
            for close in self._closers:
                self.wait(close)
        finally:
            self._closers.clear()
            self.dismiss_watchdog()
            if self.hub is not None:
                from harnpy.runtime.hub import stop_hub

                stop_hub(self)
            self._timers.clear()
            self._waits.clear()
            self.clock.watchers = ()
            self.ctx.stop = None
            leave_run()

    def _cancel_all(self, make_error: Callable[[], BaseException]) -> None:
        self._ending = True
        for task in list(self.live.values()):
            self.cancel(task, make_error)
        while self.live:
            try:
                self.park(BRANCHES, shielded=True)
            except HarnError:  # they wait for each other for ever
                break

    def on_close(self, make_awaitable: Callable[[], Awaitable[Any]]) -> None:
        """Have an awaitable run on the loop when the run ends, for instance to close connections."""
        self._closers.append(make_awaitable)

    # --- tasks --------------------------------------------------------------------------------

    def spawn(self, fn: Callable[..., Any], *args: Any, name: str = "") -> Task:
        """Make a task of ``fn(*args)``; it starts when the running task waits."""
        return self.start(Task(fn, args, name), self.current, self.ctx.depth, copy_context())

    def start(self, task: Task, parent: Task, depth: int, context: Any) -> Task:
        """Make ``task`` ready for the first time; it inherits limits and local values of ``parent``."""
        self._last_id += 1
        task.id = self._last_id
        task.depth = depth
        task.deadline = parent.deadline
        task.locals = parent.locals
        task.context = context
        self.live[task.id] = task
        self.ready.append(task)
        if self._ending:  # clean-up may start tasks, but nothing will wait for them
            self.cancel(task)
        return task

    def work(self, task: Task) -> None:
        """Run tasks from their start to their end in one greenlet, as long as the next one starts afresh."""
        own = self.getcurrent()
        ready = self.ready
        while True:
            own.gr_context = task.context
            self._run_task(task)
            if not ready or ready[0].greenlet is not None or ready[0].done:
                return
            task = self.current = ready.popleft()
            task.greenlet = own

    def _run_task(self, task: Task) -> None:
        ctx = self.ctx
        ctx.depth = task.depth
        ctx.tail_run = 0
        self.set_stop(task)
        try:
            task.result = task.fn(*task.args)
        except BaseException as error:  # noqa: BLE001 (kept for whoever joins the task)
            task.error = translated(error)
            task.error.__traceback__ = None
        self._finished(task)

    def _finished(self, task: Task) -> None:
        task.done = True
        self.live.pop(task.id, None)
        error = task.error
        if isinstance(error, TaskAborted):
            task.error = thrown_text(CANCELLED)
        elif error is not None and not isinstance(error, HarnError) and task.cancelled is None:
            self._end_of_run(error)
        if task.on_done is not None:
            task.on_done(task)
            task.on_done = None
        for waiter in task.waiters:
            self.wake(waiter)
        task.waiters.clear()
        task.fn, task.args, task.greenlet = no_work, (), None
        if not self.live and self.main.shielded:
            self.wake(self.main)

    def _end_of_run(self, signal: BaseException) -> None:
        """Have the main task raise what ended another task (``exit``, an interrupt, an internal fault)."""
        if self.main.parked and not self.main.shielded:
            self.wake_with(self.main, signal)
        else:
            self.pending, self.asked = signal, True

    def join(self, task: Task) -> Any:
        """Wait for ``task``; give its result or raise its error."""
        while not task.done:
            task.waiters.append(self.current)
            try:
                self.park(TASK)
            except BaseException:
                if self.current in task.waiters:
                    task.waiters.remove(self.current)
                raise
        if task.error is not None:
            raise task.error
        return task.result

    def cancel(self, task: Task, make_error: Callable[[], BaseException] | None = None) -> None:
        """Let ``task`` get the cancellation error at its wait; one that has not started never starts."""
        if task.done or task is self.main:
            return
        task.cancelled = make_error or task.cancelled or cancellation
        if task.greenlet is None:
            task.error = cancellation()
            self._finished(task)
        elif task.parked and not task.shielded:
            task.deliveries += 1
            self.wake_with(task, task.cancelled())

    # --- waiting ------------------------------------------------------------------------------

    def park(self, why: str, due: int | None = None, *, shielded: bool = False) -> Any:
        """Wait until the task is woken or the clock reaches ``due``; give the value of the waking.

        A shielded wait is not ended by cancellation or a deadline: it is clean-up that must be finished.
        """
        if self.fault is not None:
            raise self.fault
        if not shielded:
            self.before_wait()
        task = self.current
        task.stamp += 1
        limit = None if shielded else task.deadline
        if limit is not None and (due is None or limit <= due):
            self._add_timer(limit, task)
        elif due is not None:
            self._add_timer(due, task)
        task.why = why
        task.shielded = shielded
        task.parked = True
        self._leave(task)
        task.shielded = False
        value = task.value
        task.value = None
        if task.thrown is not None:
            thrown, task.thrown = task.thrown, None
            raise thrown
        if value is EXPIRED and not shielded:
            self.check_deadline()
        return value

    def _add_timer(self, due: int, task: Task) -> None:
        waits = self._waits.get(due)
        if waits is None:
            waits = self._waits[due] = deque()
            heappush(self._timers, due)
        waits.append((task, task.stamp))

    def _switch(self, task: Task) -> None:
        """Go over to the hub; without one there is only this task to wait for."""
        if self.hub is None:
            ready = self.ready
            while not ready:
                if not self.fire_timer():
                    self.sleep_plain()
            if ready[0] is task:
                ready.popleft()
                return
            from harnpy.runtime.hub import start_hub

            start_hub(self)
        task.greenlet = self.getcurrent()
        self.hub.switch()
        if task.parked:
            raise RuntimeError("the hub ended while a task was waiting") from self.fault

    def broken(self, fault: BaseException) -> None:
        """End the run because the scheduler itself failed: no task may wait any more."""
        if self.fault is None:
            self.fault = fault
        self.wake_with(self.main, fault)

    def wake(self, task: Task, value: Any = None) -> None:
        """Make a parked task ready; its ``park`` gives ``value``. Any other task stays as it is."""
        if task.parked:
            task.parked = False
            task.value = value
            self.ready.append(task)
            if self.alarm is not None:
                self.alarm()

    def wake_with(self, task: Task, error: BaseException) -> None:
        """Make a parked task ready to raise ``error``."""
        if task.parked:
            task.thrown = error
            self.wake(task)

    def sleep(self, ms: int, why: str = "the clock") -> None:
        """Wait ``ms`` of the run's clock for ``why``; not at all when it is not positive."""
        if ms > 0:
            self.park(why, self.clock.ticks() + ms * MS)

    def yield_now(self) -> None:
        """Give every ready task a turn, and those whose time has come."""
        self.before_wait()
        self.fire_timer(jump=False)
        task = self.current
        if self.ready or self.in_flight:
            task.parked = True
            self.wake(task)
            self._leave(task)

    def _leave(self, task: Task) -> None:
        """Let others run until ``task`` is woken, then give the context its state of this task again."""
        ctx = self.ctx
        depth, run = ctx.depth, ctx.tail_run
        self._switch(task)
        self.current = task
        ctx.depth, ctx.tail_run = depth, run
        self.set_stop(task)

    def wait(self, make_awaitable: Callable[[], Awaitable[Any]]) -> Any:
        """Run real I/O on the asyncio loop and give its result; other tasks run meanwhile."""
        from harnpy.runtime.hub import wait_for_io

        return wait_for_io(self, make_awaitable)

    # --- when no task is ready ----------------------------------------------------------------

    def fire_timer(self, *, jump: bool = True) -> bool:
        """Wake the task of the next timer if it is due, or if the virtual clock may jump to it."""
        timers = self._timers
        while timers:
            due = timers[0]
            waits = self._waits[due]
            while waits:
                task, stamp = waits[0]
                if task.stamp == stamp and task.parked:
                    if due > self.clock.ticks():
                        if not jump or not self.clock.virtual or self.in_flight or self.pending is not None:
                            return False
                        self.clock.jump(due)
                    waits.popleft()
                    self.wake(task, EXPIRED)
                    return True
                waits.popleft()
            heappop(timers)
            del self._waits[due]
        return False

    def patience(self) -> float | None:
        """Give the seconds until the next timer; ``None`` when only I/O or a signal can wake a task.

        Call it when ``fire_timer`` gave nothing; it makes a task ready (and gives 0) rather than let the run hang.
        """
        if self.pending is not None and self._interrupt_parked():
            return 0.0
        if self._timers and not self.clock.virtual:
            return min(max(0.0, (self._timers[0] - self.clock.ticks()) / 1e9), _LONGEST_WAIT)
        if not self.in_flight:
            self._break_deadlock()
            return 0.0
        return None

    def sleep_plain(self) -> None:
        """Wait for the next timer or a signal without an asyncio loop."""
        seconds = self.patience()
        if seconds != 0.0:
            self.doorbell.acquire(timeout=-1 if seconds is None else seconds)

    def _interrupt_parked(self) -> bool:
        """Hand what is pending to a task that may be woken; where none may, it stays pending."""
        for task in (self.main, *self.live.values()):
            if self.pending is not None and task.parked and not task.shielded:
                signal, self.pending = self.pending, None
                self.wake_with(task, signal)
                return True
        return False

    def recall(self) -> None:
        """Ask I/O again that was cancelled and does not end."""
        for task in (self.main, *self.live.values()):
            if task.shielded and task.why == IO:
                self.wake(task)

    def _break_deadlock(self) -> None:
        """Tell one of the tasks that wait for ever; the main task before others, in order of their start."""
        parked = [task for task in (self.main, *self.live.values()) if task.parked]
        open_to_errors = [task for task in parked if not task.shielded] or parked
        stuck = [task for task in open_to_errors if task.why not in FOR_TASKS]
        code = "HARN-ORC-011" if len(parked) == 1 else "HARN-ORC-012"
        waits = "; ".join(f"{task.name or 'task'} waits for {task.why}" for task in parked[:4])
        more = "" if len(parked) <= 4 else f" and {len(parked) - 4} more"
        error = runtime_error(f"{code}: deadlock, no task can go on: {waits}{more}")
        self.wake_with((stuck or open_to_errors)[0], error)

    # --- task-local values and producers --------------------------------------------------------

    def local(self, name: str, default: Any = None) -> Any:
        """Give a value of the running task; a child has what its parent had when it started the child."""
        return self.current.locals.get(name, default)

    def set_local(self, name: str, value: Any) -> None:
        """Set a value of the running task."""
        self.current.locals = {**self.current.locals, name: value}

    def close_abandoned(self) -> None:
        """End generators that nobody can pull any more, so that their clean-up runs."""
        while self.abandoned:
            self.abandoned.pop().close()
