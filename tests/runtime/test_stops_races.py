"""Interrupts at the worst moment: none is lost, none leaves the program running behind its host."""

from __future__ import annotations

import asyncio
import signal
import threading

import pytest

from harnpy.errors import Interrupted
from harnpy.runtime.clock import Clock
from harnpy.runtime.context import Context
from harnpy.runtime.limits import Limits, run_in_thread
from harnpy.runtime.tasks import Scheduler
from harnpy.runtime.worker import _Worker


class MeddlingClock(Clock):
    """A clock during whose reading another thread has its turn."""

    __slots__ = ("meddle",)

    def ticks(self) -> int:
        now = super().ticks()
        meddle, self.meddle = getattr(self, "meddle", None), None
        if meddle is not None:
            meddle()
        return now


def make_context(clock: Clock | None = None) -> Context:
    ctx = Context()
    ctx.clock = clock or Clock()
    ctx.limits = Limits()
    ctx.scheduler = Scheduler(ctx)
    return ctx


def spin(ctx: Context) -> None:
    while True:
        if ctx.stop:
            ctx.stop()


@pytest.mark.parametrize("what", ["interrupt", "look"])
def test_what_another_thread_asks_while_a_task_sets_its_stop_holds(what: str) -> None:
    clock = MeddlingClock()
    ctx = make_context(clock)
    scheduler = ctx.scheduler
    scheduler.begin_deadline(60_000)
    clock.meddle = getattr(scheduler, what)
    scheduler.set_stop(scheduler.current)
    assert ctx.stop is not None
    scheduler.dismiss_watchdog()


def test_an_interrupt_while_i_o_is_being_ended_comes_after_it() -> None:
    ctx = make_context()
    scheduler = ctx.scheduler
    ended = []

    async def slow_to_end() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            scheduler.interrupt()
            await asyncio.sleep(0.01)
            ended.append("I/O")

    def main() -> None:
        scheduler.begin_deadline(100)
        try:
            scheduler.wait(slow_to_end)
        except Exception:
            ended.append("deadline")
        scheduler.end_deadline(None)
        spin(ctx)

    with pytest.raises(Interrupted):
        run_in_thread(ctx, main)
    assert ended == ["I/O", "deadline"]


def test_a_second_signal_ends_all_clean_up_of_all_tasks() -> None:
    ctx = make_context()
    scheduler = ctx.scheduler
    log = []

    def branch(name: str) -> None:
        try:
            scheduler.sleep(600_000)
        finally:
            log.append(name)
            if len(log) == 2:
                scheduler.hurry()
            try:
                scheduler.sleep(600_000)
            finally:
                spin(ctx)

    def main() -> None:
        for name in ("a", "b"):
            scheduler.spawn(branch, name)
        scheduler.sleep(1)
        scheduler.interrupt()
        scheduler.sleep(600_000)

    with pytest.raises(Interrupted):
        run_in_thread(ctx, main)
    assert log == ["a", "b"]


def test_a_second_signal_asks_again_i_o_that_does_not_end() -> None:
    ctx = make_context()
    scheduler = ctx.scheduler

    async def stubborn() -> None:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            scheduler.hurry()
            await asyncio.sleep(600)

    def main() -> None:
        threading.Timer(0.01, scheduler.interrupt).start()
        scheduler.wait(stubborn)

    with pytest.raises(Interrupted):
        run_in_thread(ctx, main)


def test_the_end_of_a_run_closes_what_was_opened_although_it_was_hurried() -> None:
    ctx = make_context()
    closed = []

    async def close() -> None:
        closed.append(True)

    def main() -> None:
        ctx.scheduler.on_close(close)
        ctx.scheduler.hurry()
        spin(ctx)

    with pytest.raises(Interrupted):
        run_in_thread(ctx, main)
    assert closed == [True]


def test_a_signal_that_does_not_end_the_wait_of_the_main_thread_is_handled_all_the_same() -> None:
    ctx = make_context()

    def main() -> None:
        # As when it comes just before the main thread begins to wait: that wait goes on.
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        spin(ctx)

    with pytest.raises(KeyboardInterrupt):
        run_in_thread(ctx, main)


@pytest.mark.parametrize("begun", [True, False])
def test_what_a_handler_raises_before_the_wait_leaves_no_program_behind(
    monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    ctx = make_context()
    log = []
    started = threading.Event()
    begin = _Worker.begin

    def begin_and_fail(worker: _Worker, work: list[object]) -> None:
        if begun:
            begin(worker, work)
            started.wait(30)
        raise SystemExit(3)  # what a host's handler of SIGTERM may raise

    monkeypatch.setattr(_Worker, "begin", begin_and_fail)

    def main() -> None:
        try:
            log.append("begun")
            started.set()
            spin(ctx)
        finally:
            log.append("cleaned")

    with pytest.raises(SystemExit):
        run_in_thread(ctx, main)
    assert log == (["begun", "cleaned"] if begun else [])
