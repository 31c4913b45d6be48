"""Threads with a large stack that run one program after another.

A thread that has run a program waits for the next one instead of ending: the end of a thread and the
collection of the greenlets that it leaves behind is a race inside greenlet that can kill the process.
"""

from __future__ import annotations

import os
import threading
from contextvars import copy_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

STACK_BYTES = 64 * 1024 * 1024
# Python runs the handlers of signals in the main thread, between two steps of it. A signal that comes just before a
# wait begins does not end the wait, so that none is longer than this many seconds.
LOOK_SECONDS = 0.1


class _Worker:
    """A thread and the work that it is to do next: a list of one, out of which who comes first takes it."""

    __slots__ = ("_ready", "_work")

    def __init__(self) -> None:
        self._work: list[Callable[[], None]] = []
        self._ready = threading.Lock()
        self._ready.acquire()
        previous = threading.stack_size(STACK_BYTES)
        try:
            threading.Thread(target=self._serve, name="harn", daemon=True).start()
        finally:
            threading.stack_size(previous)

    def begin(self, work: list[Callable[[], None]]) -> None:
        """Have the thread do ``work``, which raises nothing."""
        self._work = work
        self._ready.release()

    def _serve(self) -> None:
        while True:
            self._ready.acquire()
            work = _taken(self._work)
            if work is not None:
                work()
            work = None  # what the program leaves must not live until the next one


def _taken(work: list[Callable[[], None]]) -> Callable[[], None] | None:
    try:
        return work.pop()
    except IndexError:
        return None


_idle: list[_Worker] = []
# The threads of the parent do not exist in a forked child.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def run_on_worker(main: Callable[[], Any], interrupt: Callable[[], None]) -> Any:
    """Give what ``main`` gives on a thread with a large stack, or raise what it raises.

    The handlers of signals are the caller's. What one of them raises interrupts ``main`` first, and is raised when
    ``main`` has ended; ``main`` does not begin when it comes before that.
    """
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    outcome: list[tuple[Any, BaseException | None]] = []
    ended = threading.Lock()
    ended.acquire()
    host_context = copy_context()

    def carry_out() -> None:
        try:
            ending: tuple[Any, BaseException | None] = (host_context.run(main), None)
        except BaseException as error:  # noqa: BLE001 (raised again in the host's thread)
            ending = (None, error)
        _idle.append(worker)
        outcome.append(ending)
        ended.release()

    work = [carry_out]
    try:
        worker.begin(work)
        _wait(ended, outcome)
    except BaseException:
        if _taken(work) is None:  # it has begun
            _stop(ended, outcome, interrupt)
        raise
    result, error = outcome.pop()
    if error is None:
        return result
    try:
        raise error
    finally:
        del error


def _wait(ended: threading.Lock, outcome: list[Any]) -> None:
    while not outcome:
        ended.acquire(timeout=LOOK_SECONDS)


def _stop(ended: threading.Lock, outcome: list[Any], interrupt: Callable[[], None]) -> None:
    """Interrupt the program and wait for its end; what a handler raises meanwhile interrupts its clean-up as well."""
    try:
        interrupt()
        _wait(ended, outcome)
    except BaseException:
        _stop(ended, outcome, interrupt)
        raise
