"""The greenlets behind the scheduler: the hub that resumes tasks, with and without an asyncio loop."""

from __future__ import annotations

from greenlet import getcurrent, greenlet

from harnpy.errors import Interrupted
from harnpy.runtime.task import IO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.runtime.task import Task
    from harnpy.runtime.tasks import Scheduler

# Rounds of ready tasks after which the loop gets a turn although tasks are still ready.
_ROUNDS = 64


def start_hub(scheduler: Scheduler) -> None:
    """Make the hub, a child of the greenlet in which the main task began."""
    scheduler.getcurrent = getcurrent
    root = getcurrent()
    while root.parent is not None:
        root = root.parent
    scheduler.hub = greenlet(lambda: _serve_plain(scheduler), root)


def stop_hub(scheduler: Scheduler) -> None:
    """Let the hub return and close a loop that it made; called by the main task when no other is left."""
    scheduler.quit = True
    hub = scheduler.hub
    if hub.parent is getcurrent():
        hub.switch()
    scheduler.hub = None


def _resume(scheduler: Scheduler, task: Task) -> None:
    """Run ``task`` until it parks or ends. Its own errors stay inside it: one that gets here is a fault of ours."""
    if task.done:
        return
    scheduler.current = task
    try:
        if task.greenlet is None:
            task.greenlet = greenlet(scheduler.work)
            task.greenlet.switch(task)
        else:
            task.greenlet.switch()
    except BaseException as fault:  # noqa: BLE001 (the main task raises it)
        scheduler.broken(fault)


def _run_ready(scheduler: Scheduler) -> None:
    ready = scheduler.ready
    for _ in range(len(ready)):
        if not ready:  # a task that started took others along
            break
        _resume(scheduler, ready.popleft())


def _serve_plain(scheduler: Scheduler) -> None:
    """Resume tasks until the run ends; goes over to an asyncio loop when one is needed."""
    while not scheduler.quit:
        if scheduler.loop is not None:
            _serve_own_loop(scheduler)
        elif scheduler.ready:
            _run_ready(scheduler)
        elif not scheduler.fire_timer():
            scheduler.sleep_plain()


def _serve_own_loop(scheduler: Scheduler) -> None:
    loop = scheduler.loop
    served = False
    try:
        loop.run_until_complete(_serve(scheduler))
        served = True
    finally:
        scheduler.loop = None
        kept = scheduler.ctx.services.get("kept_loop")
        # A thread, for instance one that looks up a name, cannot be stopped: a run that was broken off waits for none.
        patient = served and not scheduler.broken_off
        if kept is None or not patient:
            from harnpy.runtime.kept_loop import end_loop

            end_loop(loop, patient=patient)


async def _serve(scheduler: Scheduler) -> None:
    """Resume tasks from inside an asyncio loop until the run ends."""
    from asyncio import CancelledError, get_running_loop, sleep

    loop = get_running_loop()
    rounds = 0
    cancelled: BaseException | None = None
    while not scheduler.quit:
        rounds += 1
        try:
            if rounds % _ROUNDS == 0:
                await sleep(0)
            if scheduler.ready:
                _run_ready(scheduler)
            elif not scheduler.fire_timer():
                await _idle(scheduler, loop, scheduler.patience())
        except CancelledError as error:
            cancelled = error
            scheduler.interrupt()
    if cancelled is not None:
        raise cancelled


async def _idle(scheduler: Scheduler, loop: Any, seconds: float | None) -> None:
    """Wait until a task becomes ready, a signal comes or ``seconds`` have passed."""
    if seconds == 0.0:
        return
    bell = loop.create_future()

    def ring() -> None:
        if not bell.done():
            bell.set_result(None)

    scheduler.alarm = ring
    timer = None if seconds is None else loop.call_later(seconds, ring)
    try:
        await bell
    finally:
        scheduler.alarm = None
        if timer is not None:
            timer.cancel()


def wait_for_io(scheduler: Scheduler, make: Callable[[], Awaitable[Any]]) -> Any:
    """Park the running task until the awaitable that ``make`` gives has its outcome."""
    scheduler.before_wait()
    if scheduler.hub is None:
        start_hub(scheduler)
    if scheduler.loop is None:
        kept = scheduler.ctx.services.get("kept_loop")
        if kept is None:
            from asyncio import new_event_loop

            scheduler.loop = new_event_loop()
        else:
            scheduler.loop = kept.get()
    task = scheduler.current

    async def fly() -> Any:
        return await make()

    def land(_flight: object) -> None:
        scheduler.in_flight -= 1
        scheduler.wake(task)

    flight = scheduler.loop.create_task(fly())
    scheduler.in_flight += 1
    flight.add_done_callback(land)
    try:
        while not flight.done():
            scheduler.park(IO)
    except BaseException:
        while not flight.done():
            flight.cancel()
            scheduler.park(IO, shielded=True)
        if not flight.cancelled():
            flight.exception()  # looked at, so that asyncio does not report it
        raise
    return flight.result()


# The deepest calls for which the stack of the host's own thread is surely large enough.
MAX_DEPTH_IN_LOOP = 2000


async def run_async(ctx: Context, main: Callable[[], Any]) -> Any:
    """Run ``main`` as the main program of ``ctx`` inside the running asyncio loop.

    Cancelling the awaiting task interrupts the program: its ``finally`` and ``defer`` run first.

    Raises:
        ValueError: The run's call depth needs a larger stack than the loop's thread may have.
    """
    if ctx.limits.call_depth > MAX_DEPTH_IN_LOOP:
        raise ValueError(
            f"call depth {ctx.limits.call_depth} is above {MAX_DEPTH_IN_LOOP}, the limit inside a running loop: "
            "run the program in a thread of its own (asyncio.to_thread)"
        )
    from asyncio import get_running_loop

    scheduler = ctx.scheduler
    outcome: list[Any] = []

    def work(_task: Task) -> None:
        try:
            outcome.append((scheduler.run(main), None))
        except BaseException as error:  # noqa: BLE001 (raised again in the coroutine)
            outcome.append((None, error))

    scheduler.hub = getcurrent()
    scheduler.getcurrent = getcurrent
    scheduler.loop = get_running_loop()
    from contextvars import copy_context

    scheduler.main.greenlet = greenlet(work)
    scheduler.main.greenlet.gr_context = copy_context()
    scheduler.main.greenlet.switch(scheduler.main)
    if not outcome:
        try:
            await _serve(scheduler)
        except BaseException as error:
            if not outcome or not isinstance(outcome[0][1], Interrupted):
                raise
            raise error from None
    result, failure = outcome[0]
    if failure is not None:
        raise failure
    return result
