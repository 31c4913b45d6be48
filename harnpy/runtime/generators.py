"""Generators and streams: bodies that run on a greenlet of their own, from one pull to the next (language 10)."""

from __future__ import annotations

from contextvars import copy_context

from greenlet import getcurrent, greenlet

from harnpy.errors import ControlSignal, HarnError, runtime_error
from harnpy.runtime.access import PROPERTIES
from harnpy.runtime.calls import OVERFLOW, TAIL, follow_tails
from harnpy.runtime.fanout import Batch
from harnpy.runtime.iterators import END, Pullable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.runtime.task import Task
    from harnpy.runtime.tasks import Scheduler

    Body = Callable[[list[Any]], Any]

# How often a body that goes on yielding is told to end before it is given up.
_CLOSING_ATTEMPTS = 100


class ProducerClosed(ControlSignal):
    """Ends the body of a generator that nobody pulls any more."""


class Producer:
    """The running body of a generator.

    Its depth, deadline and clean-up count are set aside between pulls: they belong to the task that pulls.
    """

    __slots__ = ("_body", "_deadline", "_depth", "_frame", "_greenlet", "_running", "ctx", "done")

    def __init__(self, ctx: Context, body: Body, frame: list[Any]) -> None:
        self.ctx = ctx
        self.done = False
        self._body: Body | None = body
        self._frame: list[Any] | None = frame
        self._greenlet: Any = None
        self._depth = 0
        self._deadline: int | None = None
        self._running = False

    def pull(self) -> Any:
        """Run the body to its next ``yield``; give the value, or ``END``."""
        if self.done:
            return END
        if self._running:
            raise runtime_error("generator is already being pulled")
        if self._greenlet is None:
            self._begin()
        return self._resume()

    def _begin(self) -> None:
        ctx = self.ctx
        if ctx.depth >= ctx.max_depth:
            raise HarnError(OVERFLOW)
        self._depth = ctx.depth + 1
        body, frame = self._body, self._frame
        self._body = self._frame = None
        self._greenlet = greenlet(lambda: _run_body(ctx, body, frame))
        self._greenlet.gr_context = copy_context()
        ctx.scheduler.producers[id(self)] = self

    def _resume(self) -> Any:
        ctx = self.ctx
        task = ctx.scheduler.current
        depth, run, deadline, cleanups = ctx.depth, ctx.tail_run, task.deadline, task.cleanups
        ctx.depth = self._depth
        ctx.tail_run = 0
        if self._deadline is not None:
            task.deadline = self._deadline if deadline is None else min(self._deadline, deadline)
            ctx.scheduler.set_stop(task)
        body = self._greenlet
        body.parent = getcurrent()
        self._running = True
        try:
            value = body.switch()
        finally:
            self._running = False
            self._depth = ctx.depth
            ctx.depth, ctx.tail_run, task.cleanups = depth, run, cleanups
            self._deadline = task.deadline if task.deadline != deadline else None
            if self._deadline is not None:
                task.deadline = deadline
                ctx.scheduler.set_stop(task)
            if body.dead:
                self._finish()
        return END if self.done else value

    def _finish(self) -> None:
        self.done = True
        self._greenlet = None
        self.ctx.scheduler.producers.pop(id(self), None)

    def close(self) -> None:
        """End the body at the ``yield`` where it stands: its ``defer`` and ``finally`` run; errors are dropped."""
        body = self._greenlet
        if body is None or self._running:
            return
        depth = self.ctx.depth
        self._running = True
        body.parent = getcurrent()
        for _ in range(_CLOSING_ATTEMPTS):
            try:  # noqa: SIM105 (contextlib is not imported at start-up)
                body.throw(ProducerClosed())
            except (ProducerClosed, HarnError):
                pass
            if body.dead:
                break
        self.ctx.depth = depth
        self._finish()


def _run_body(ctx: Context, body: Any, frame: Any) -> Any:
    if body(frame) is TAIL:
        follow_tails(ctx)
    return END


class Generator(Pullable):
    """What a call of a function with ``yield`` gives."""

    __slots__ = ("_producer", "last")
    type_name = "generator"

    def __init__(self, producer: Producer) -> None:
        self._producer = producer
        self.last: Any = None

    @property
    def done(self) -> bool:
        """Tell whether nothing more will come."""
        return self._producer.done

    def pull(self) -> Any:
        """Give the next item or ``END``."""
        item = self._producer.pull()
        self.last = None if item is END else item
        return item

    def display_text(self) -> str:
        """Give the display form."""
        return f"<{self.type_name} (done)>" if self.done else f"<{self.type_name}>"

    def equals(self, other: object) -> bool:
        """Generators are never equal, not even to themselves."""
        return False

    def __del__(self) -> None:
        # Harn code must not run while Python collects garbage: the scheduler ends the body at a safe moment.
        producer = self._producer
        if not producer.done and id(producer) in producer.ctx.scheduler.producers:
            producer.ctx.scheduler.abandoned.append(producer)


class Stream(Generator):
    """What a call of a ``gen fn`` gives."""

    __slots__ = ()
    type_name = "stream"


class _Arrivals(Batch):
    """Branches whose results are taken one by one in the order in which they end."""

    def __init__(self, scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int) -> None:
        super().__init__(scheduler, fn, items, limit)
        self._arrived: list[Task] = []
        self._pullers: list[Task] = []
        self.done = False

    def ended(self, task: Task) -> None:
        self._arrived.append(task)
        last = not self.running and self.started_all()
        for puller in self._pullers[: None if last else 1]:
            self._pullers.remove(puller)
            self.scheduler.wake(puller)

    def pull(self) -> Any:
        """Give the next result or ``END``; an error ends all branches."""
        if self.done:
            return END
        self.start()
        scheduler = self.scheduler
        while not self._arrived and self.running:
            puller = scheduler.current
            self._pullers.append(puller)
            try:
                scheduler.park("a stream")
            except BaseException:
                self._pullers = [other for other in self._pullers if other is not puller]
                raise
        if not self._arrived:
            self.done = True
            return END
        task = self._arrived.pop(0)
        if task.error is None:
            return task.result
        self.done = True
        self.stop()
        raise task.error


class CompletionStream(Stream):
    """What ``parallel each ... as stream`` gives."""

    __slots__ = ()

    def __init__(self, scheduler: Scheduler, fn: Callable[[Any], Any], items: Sequence[Any], limit: int) -> None:
        arrivals: Any = _Arrivals(scheduler, fn, items, limit)
        arrivals.start()
        super().__init__(arrivals)

    def __del__(self) -> None:
        # Its branches are tasks: they go on, and end with the run at the latest.
        return


def _property(generator: Generator, name: str) -> Any:
    if name == "done":
        return generator.done
    return generator.last if name == "value" else None


for _kind in (Generator, Stream, CompletionStream):
    PROPERTIES[_kind] = _property


def make_producer(ctx: Context, produces: str, body: Body, frame: list[Any]) -> Generator:
    """Give what a call of a function with ``yield`` or ``emit`` gives; the body starts at the first pull."""
    scheduler = ctx.scheduler
    if scheduler.abandoned:
        scheduler.close_abandoned()
    producer = Producer(ctx, body, frame)
    return Stream(producer) if produces == "stream" else Generator(producer)


def hand_over(value: Any) -> None:
    """Give ``value`` to whoever pulls the running body, and wait for the next pull."""
    puller = getcurrent().parent
    if puller is None:
        raise runtime_error("a value can only be produced inside a generator")
    puller.switch(value)
