"""The scheduler by itself: order, virtual time, cancellation, deadlines, I/O, leaks."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import sys
import threading

import pytest

from harnpy.errors import Exit, HarnError, Interrupted, TimeLimit
from harnpy.runtime import fanout
from harnpy.runtime.clock import Clock
from harnpy.runtime.context import Context
from harnpy.runtime.hub import run_async
from harnpy.runtime.limits import Limits, run_in_thread
from harnpy.runtime.task import CANCELLED, DEADLINE
from harnpy.runtime.tasks import Scheduler


def make_context(virtual=True, **limits):
    ctx = Context()
    ctx.clock = Clock()
    if virtual:
        ctx.clock.mock(0)
    ctx.limits = Limits(**limits)
    ctx.scheduler = Scheduler(ctx)
    return ctx


def run(ctx, main):
    return ctx.scheduler.run(main)


def failure(action, *args):
    try:
        action(*args)
    except HarnError as error:
        return error.value
    return None


def workers():
    return [thread for thread in threading.enumerate() if thread.name == "harn"]


def watchdogs():
    return [thread for thread in threading.enumerate() if thread.name.startswith("harn-")]


def test_tasks_start_in_order_and_timers_fire_by_due_time_then_by_order_of_waiting():
    ctx = make_context()
    scheduler = ctx.scheduler
    log = []

    def nap(name, ms):
        log.append(name)
        scheduler.sleep(ms)
        log.append((name, ctx.clock.monotonic_ms()))
        return name

    def main():
        tasks = [scheduler.spawn(nap, name, ms) for name, ms in (("a", 30), ("b", 10), ("c", 20), ("d", 10))]
        return [scheduler.join(task) for task in tasks]

    assert run(ctx, main) == ["a", "b", "c", "d"]
    assert log == ["a", "b", "c", "d", ("b", 10), ("d", 10), ("c", 20), ("a", 30)]


def test_a_task_that_never_waits_ends_before_the_next_starts():
    ctx = make_context()
    log = []

    def work(name):
        log.extend((name, name))

    def main():
        for name in "abc":
            ctx.scheduler.spawn(work, name)
        ctx.scheduler.yield_now()

    run(ctx, main)
    assert log == list("aabbcc")


def test_only_the_task_of_the_next_timer_wakes():
    ctx = make_context()
    scheduler = ctx.scheduler
    log = []

    def first():
        scheduler.sleep(10)
        log.append("first")
        scheduler.cancel(second_task)

    def second():
        scheduler.sleep(10)
        log.append("second")

    def main():
        nonlocal second_task
        first_task = scheduler.spawn(first)
        second_task = scheduler.spawn(second)
        scheduler.join(first_task)
        return failure(scheduler.join, second_task)

    second_task = None
    assert run(ctx, main) == CANCELLED
    assert log == ["first"]


def test_deadline_ends_the_wait_and_is_raised_again_until_the_block_is_left():
    ctx = make_context()
    scheduler = ctx.scheduler

    def main():
        outer = scheduler.begin_deadline(50)
        assert failure(scheduler.sleep, 100) == DEADLINE
        assert ctx.clock.monotonic_ms() == 50
        assert failure(scheduler.sleep, 1) == DEADLINE
        assert failure(ctx.stop) == DEADLINE
        scheduler.begin_cleanup()
        assert failure(ctx.stop) is None
        scheduler.end_cleanup()
        scheduler.end_deadline(outer)
        assert ctx.stop is None
        scheduler.sleep(10)
        return ctx.clock.monotonic_ms()

    assert run(ctx, main) == 60


def test_nested_deadlines_the_earlier_wins():
    ctx = make_context()
    scheduler = ctx.scheduler

    def main():
        outer = scheduler.begin_deadline(100)
        inner = scheduler.begin_deadline(5000)
        assert failure(scheduler.sleep, 1000) == DEADLINE
        scheduler.end_deadline(inner)
        scheduler.end_deadline(outer)
        return ctx.clock.monotonic_ms()

    assert run(ctx, main) == 100


def test_children_inherit_the_deadline():
    ctx = make_context()
    scheduler = ctx.scheduler

    def main():
        outer = scheduler.begin_deadline(20)
        task = scheduler.spawn(scheduler.sleep, 1000)
        scheduler.end_deadline(outer)
        return failure(scheduler.join, task), ctx.clock.monotonic_ms()

    assert run(ctx, main) == (DEADLINE, 20)


def test_advancing_the_clock_past_a_deadline_stops_running_code():
    ctx = make_context()

    def main():
        ctx.scheduler.begin_deadline(20)
        ctx.clock.advance(20)
        return failure(ctx.stop)

    assert run(ctx, main) == DEADLINE


def test_a_busy_loop_is_stopped_in_real_time():
    ctx = make_context(virtual=False)

    def main():
        ctx.scheduler.begin_deadline(20)
        while True:
            if ctx.stop:
                ctx.stop()

    assert failure(run_in_thread, ctx, main) == DEADLINE
    assert watchdogs() == []


def test_cancellation_reaches_every_wait_and_then_loops_too():
    ctx = make_context()
    scheduler = ctx.scheduler
    seen = []

    def stubborn():
        seen.extend(failure(scheduler.sleep, 10) for _ in range(3))
        seen.append(failure(ctx.stop))

    def main():
        task = scheduler.spawn(stubborn)
        scheduler.sleep(1)
        scheduler.cancel(task)
        scheduler.join(task)
        return ctx.clock.monotonic_ms()

    assert run(ctx, main) == 1
    assert seen == [CANCELLED] * 4


def test_a_task_cancelled_before_it_starts_never_starts():
    ctx = make_context()

    def main():
        task = ctx.scheduler.spawn(pytest.fail, "started")
        ctx.scheduler.cancel(task)
        return failure(ctx.scheduler.join, task)

    assert run(ctx, main) == CANCELLED


def test_tasks_left_at_the_end_are_cancelled_and_clean_up():
    ctx = make_context()
    log = []

    def endless():
        try:
            ctx.scheduler.sleep(1_000_000)
        finally:
            log.append(ctx.clock.monotonic_ms())

    def main():
        ctx.scheduler.spawn(endless)
        ctx.scheduler.sleep(5)

    run(ctx, main)
    assert log == [5]


def test_exit_in_a_task_ends_the_main_program():
    ctx = make_context()

    def leave():
        raise Exit(3)

    with pytest.raises(Exit) as caught:
        run(ctx, lambda: ctx.scheduler.join(ctx.scheduler.spawn(leave)))
    assert caught.value.code == 3


def test_interrupt_from_another_thread_wakes_a_sleeping_program():
    ctx = make_context(virtual=False)
    timer = threading.Timer(0.01, ctx.scheduler.interrupt)
    timer.start()
    cleaned = []

    def main():
        try:
            ctx.scheduler.sleep(60_000)
        finally:
            ctx.scheduler.sleep(1)
            cleaned.append(True)

    with pytest.raises(Interrupted):
        run_in_thread(ctx, main)
    timer.join()
    assert cleaned == [True]


@pytest.mark.parametrize("busy", [False, True])
def test_time_limit_of_the_run(busy):
    ctx = make_context(virtual=False, wall_ms=20)

    def main():
        while busy:
            if ctx.stop:
                ctx.stop()
        ctx.scheduler.join(ctx.scheduler.spawn(ctx.scheduler.sleep, 60_000))

    with pytest.raises(TimeLimit):
        run_in_thread(ctx, main)


def test_step_limit_counts_checks():
    ctx = make_context(steps=10)

    def main():
        for _ in range(11):
            ctx.stop()

    with pytest.raises(TimeLimit):
        run(ctx, main)


def test_a_wait_that_nothing_can_end_is_reported():
    ctx = make_context()
    assert "HARN-ORC-011" in failure(run, ctx, lambda: ctx.scheduler.park("channel jobs"))


def test_two_tasks_that_wait_for_each_other_are_reported_to_the_one_that_started_first():
    ctx = make_context()
    scheduler = ctx.scheduler

    def main():
        first = scheduler.spawn(scheduler.park, "a")
        scheduler.spawn(scheduler.park, "b")
        return failure(scheduler.join, first)

    assert "HARN-ORC-012" in run(ctx, main)


async def answer(value, seconds=0.0):
    await asyncio.sleep(seconds)
    return value


async def refuse():
    await asyncio.sleep(0)
    raise HarnError("refused")


def io_program(scheduler):
    tasks = [scheduler.spawn(scheduler.wait, lambda n=n: answer(n)) for n in range(5)]
    outer = scheduler.begin_deadline(10)
    assert failure(scheduler.wait, lambda: answer(None, 60)) == DEADLINE
    scheduler.end_deadline(outer)
    assert failure(scheduler.wait, refuse) == "refused"
    return [scheduler.join(task) for task in tasks]


def test_real_io_runs_beside_tasks():
    ctx = make_context(virtual=False)
    assert run_in_thread(ctx, lambda: io_program(ctx.scheduler)) == [0, 1, 2, 3, 4]


def test_an_awaitable_is_cancelled_before_it_started():
    ctx = make_context()

    def main():
        task = ctx.scheduler.spawn(ctx.scheduler.wait, lambda: answer(1, 60))
        ctx.scheduler.yield_now()
        ctx.scheduler.cancel(task)
        return failure(ctx.scheduler.join, task)

    assert run_in_thread(ctx, main) == CANCELLED


def test_virtual_time_stands_still_while_io_is_in_flight():
    ctx = make_context()

    def main():
        nap = ctx.scheduler.spawn(ctx.scheduler.sleep, 1000)
        ctx.scheduler.wait(lambda: answer(1, 0.005))
        before = ctx.clock.monotonic_ms()
        ctx.scheduler.join(nap)
        return before, ctx.clock.monotonic_ms()

    assert run_in_thread(ctx, main) == (0, 1000)


def test_closers_run_on_the_loop_when_the_run_ends():
    ctx = make_context()
    closed = []

    async def close():
        closed.append(asyncio.get_running_loop() is not None)

    ctx.scheduler.on_close(close)
    run_in_thread(ctx, lambda: ctx.scheduler.wait(lambda: answer(1)))
    assert closed == [True]


def test_inside_a_running_loop():
    async def host():
        ctx = make_context(virtual=False)
        results = await asyncio.gather(run_async(ctx, lambda: io_program(ctx.scheduler)), answer("host"))
        assert results == [[0, 1, 2, 3, 4], "host"]
        assert await run_async(make_context(), lambda: 7) == 7

    asyncio.run(host())


def test_cancelling_the_awaiting_host_task_interrupts_the_program():
    cleaned = []

    async def host():
        ctx = make_context(virtual=False)

        def main():
            try:
                ctx.scheduler.sleep(60_000)
            finally:
                cleaned.append(True)

        task = asyncio.create_task(run_async(ctx, main))
        await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(host())
    assert cleaned == [True]


def test_each_stops_the_rest_and_the_lowest_index_wins():
    ctx = make_context()
    scheduler = ctx.scheduler
    log = []

    def branch(n):
        try:
            scheduler.sleep(10 if n == 1 else 1000)
        except HarnError as error:
            log.append((n, error.value))
            raise HarnError("zero") if n == 0 else error from None
        raise HarnError("one")

    assert failure(run, ctx, lambda: fanout.run_all(scheduler, branch, [0, 1, 2])) == "zero"
    assert log == [(0, CANCELLED), (2, CANCELLED)]


def test_limit_starts_the_next_item_when_one_ends():
    ctx = make_context()
    scheduler = ctx.scheduler
    log = []

    def branch(ms):
        log.append((ms, ctx.clock.monotonic_ms()))
        scheduler.sleep(ms)
        return ms

    assert run(ctx, lambda: fanout.run_all(scheduler, branch, [30, 10, 5], 2)) == [30, 10, 5]
    assert log == [(30, 0), (10, 0), (5, 10)]


def test_branches_inherit_from_the_starter_not_from_a_sibling():
    ctx = make_context()
    scheduler = ctx.scheduler
    ctx.depth = 7
    seen = []

    def branch(n):
        seen.append((scheduler.local("who"), ctx.depth))
        scheduler.set_local("who", n)
        ctx.depth += 5

    def main():
        scheduler.set_local("who", "main")
        fanout.run_all(scheduler, branch, [1, 2], 1)
        return scheduler.local("who")

    assert run(ctx, main) == "main"
    assert seen == [("main", 7), ("main", 7)]


def test_a_deadline_in_the_starter_stops_and_joins_the_branches():
    ctx = make_context()
    scheduler = ctx.scheduler
    ended = []

    def branch(n):
        try:
            scheduler.sleep(1000)
        finally:
            ended.append(n)

    def main():
        scheduler.begin_deadline(10)
        fanout.run_all(scheduler, branch, [1, 2])

    assert failure(run, ctx, main) == DEADLINE
    assert sorted(ended) == [1, 2]


def test_race_gives_the_first_success():
    ctx = make_context()
    scheduler = ctx.scheduler

    def branch(ms):
        scheduler.sleep(ms)
        if ms == 10:
            raise HarnError("early")
        return ms

    assert run(ctx, lambda: fanout.race(scheduler, branch, [30, 10, 20])) == 20


def test_ten_thousand_branches_and_a_thousand_runs_leave_nothing_behind():
    gc.collect()
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    ctx = make_context()
    assert len(run(ctx, lambda: fanout.run_all(ctx.scheduler, ctx.scheduler.sleep, [50] * 10_000))) == 10_000
    for _ in range(300):
        ctx = make_context()
        run_in_thread(ctx, lambda ctx=ctx: fanout.run_all(ctx.scheduler, ctx.scheduler.sleep, [1, 2]))
    gc.collect()
    assert watchdogs() == []
    assert sum(type(item).__name__ == "greenlet" for item in gc.get_objects()) <= 1 + len(workers())
    if files:
        assert len(os.listdir("/proc/self/fd")) == files


def test_limits_refuse_depths_out_of_range():
    for depth in (15, 10_001):
        with pytest.raises(ValueError, match="call depth"):
            Limits(call_depth=depth)
    assert Limits(call_depth=16).call_depth == 16


def test_a_python_recursion_error_becomes_the_overflow_error():
    ctx = make_context()

    def endless():
        return endless() + 1

    def main():
        return failure(ctx.scheduler.join, ctx.scheduler.spawn(endless))

    assert run_in_thread(ctx, main) == "Stack overflow: too many nested calls"
    assert failure(run, make_context(), endless) == "Stack overflow: too many nested calls"


def test_the_watchdog_leaves_the_switch_interval_as_it_was():
    before = sys.getswitchinterval()
    first, second = make_context(virtual=False), make_context(virtual=False)
    first.scheduler.begin_deadline(1000)
    second.scheduler.begin_deadline(1000)
    assert sys.getswitchinterval() < before
    run(first, lambda: None)
    run(second, lambda: None)
    assert sys.getswitchinterval() == before


def test_exit_in_one_branch_cannot_be_caught_by_its_siblings():
    ctx = make_context()
    scheduler = ctx.scheduler
    caught = []

    def branch(n):
        if n == 1:
            raise Exit(4)
        caught.append(failure(scheduler.sleep, 10))

    with pytest.raises(Exit):
        run(ctx, lambda: fanout.settle(scheduler, branch, [0, 1, 2]))
    assert caught == []


def test_context_variables_of_the_host_reach_branches_and_stay_apart():
    name = contextvars.ContextVar("name", default="none")
    name.set("host")
    ctx = make_context()
    seen = []

    def branch(n):
        seen.append(name.get())
        name.set(n)
        if n == 1:
            ctx.scheduler.sleep(1)
        seen.append(name.get())

    run_in_thread(ctx, lambda: fanout.run_all(ctx.scheduler, branch, [0, 1, 2]))
    assert seen == ["host", 0, "host", "host", 2, 1]
    assert name.get() == "host"


def test_a_thousand_waiting_tasks_of_io_and_timers_together():
    ctx = make_context(virtual=False)
    scheduler = ctx.scheduler

    def branch(n):
        if n % 2:
            scheduler.sleep(1)
            return n
        return scheduler.wait(lambda: answer(n))

    assert run_in_thread(ctx, lambda: fanout.run_all(scheduler, branch, range(1000), 100)) == list(range(1000))


def test_the_recursion_limit_of_the_host_is_put_back():
    usual, inside = sys.getrecursionlimit(), []
    sys.setrecursionlimit(2000)  # commands that ran in this process have raised it for good
    try:
        run_in_thread(make_context(), lambda: inside.append(sys.getrecursionlimit()))
        assert inside[0] > 2000
        assert sys.getrecursionlimit() == 2000
    finally:
        sys.setrecursionlimit(usual)


@pytest.mark.parametrize("where", ["branch", "callback"])
def test_an_internal_fault_ends_the_run_and_never_hangs(where):
    ctx = make_context()
    scheduler = ctx.scheduler

    def branch(n):
        if where == "branch" and n == 1:
            raise ZeroDivisionError
        scheduler.sleep(1)

    class Broken(fanout.Batch):
        def ended(self, task):
            if where == "callback":
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_in_thread(ctx, lambda: Broken(scheduler, branch, [0, 1, 2], 0).finish())
    assert watchdogs() == []


def test_a_task_that_clean_up_starts_at_the_end_never_runs():
    ctx = make_context()
    scheduler = ctx.scheduler

    def sleeper():
        try:
            scheduler.sleep(1000)
        finally:
            scheduler.spawn(pytest.fail, "started")

    def main():
        scheduler.spawn(sleeper)
        scheduler.sleep(1)

    run(ctx, main)
    assert ctx.clock.monotonic_ms() == 1


def test_a_depth_that_the_loops_thread_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="to_thread"):
        asyncio.run(run_async(make_context(call_depth=10_000), lambda: None))
