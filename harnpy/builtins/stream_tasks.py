"""The functions of ``stream`` that pull several sources at once, or one for several readers (builtins 1.20)."""

from __future__ import annotations

from collections import deque

from harnpy.builtins.arguments import ABSENT
from harnpy.builtins.streams import count_of, source_of, sources_of
from harnpy.errors import HarnError, type_error
from harnpy.runtime.channels import Channel, receive_any
from harnpy.runtime.iterators import END, Iter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.runtime.iterators import Pull
    from harnpy.runtime.task import Task

_NO_LIMIT = 1 << 60
_MOST_READERS = 10_000


class Pumps:
    """One task per source that puts its items into a common channel, as (source, item); started at the first pull.

    ``END`` as item means that the source is finished; an error comes out where the items are taken.
    """

    def __init__(self, ctx: Context, pulls: list[Pull], room: int) -> None:
        self._scheduler = ctx.scheduler
        self._pulls = pulls
        self._tasks: list[Task] = []
        self.channel = Channel(ctx.scheduler, "of a stream", room)
        self.running = len(pulls)

    def start(self) -> None:
        """Start the tasks unless they run."""
        if not self._tasks:
            self._tasks = [self._scheduler.spawn(self._pump, number) for number in range(len(self._pulls))]

    def _pump(self, number: int) -> None:
        pull = self._pulls[number]
        while True:
            try:
                item = pull()
            except HarnError as error:
                if self._scheduler.current.cancelled:
                    return
                item = error
            self.channel.send((number, item))
            if item is END or isinstance(item, HarnError):
                return

    def take(self, timeout_ms: int | None = None) -> tuple[int, Any] | None:
        """Give the next source and item; ``None`` at the timeout or when all sources are finished."""
        self.start()
        while self.running:
            found, value, _ = receive_any(self._scheduler, [self.channel], timeout_ms)
            if not found:
                return None
            number, item = value
            if isinstance(item, HarnError):
                self.keep(-1)
                raise item
            if item is not END:
                return number, item
            self.running -= 1
        return None

    def keep(self, number: int) -> None:
        """Stop the tasks of all other sources."""
        for other, task in enumerate(self._tasks):
            if other != number:
                self._scheduler.cancel(task)
        self.running = min(self.running, 1 if number >= 0 else 0)


def merge(ctx: Context, *sources: Any) -> Iter:
    """``merge``: the items of all sources in the order in which they come."""
    pumps = Pumps(ctx, sources_of(ctx, "merge", sources), 1)

    def step() -> Any:
        taken = pumps.take()
        return END if taken is None else taken[1]

    return Iter(step)


def race(ctx: Context, *sources: Any) -> Iter:
    """``race``: the items of the source that has one first; the others are stopped."""
    pumps = Pumps(ctx, sources_of(ctx, "race", sources), 1)
    winner: list[int] = []

    def step() -> Any:
        while (taken := pumps.take()) is not None:
            number, item = taken
            if not winner:
                winner.append(number)
                pumps.keep(number)
            if number == winner[0]:
                return item
        return END

    return Iter(step)


def debounce(ctx: Context, source: Any = ABSENT, quiet_ms: Any = ABSENT) -> Iter:
    """``debounce``: an item once no newer one has come for ``quiet_ms``, and the last one at the end."""
    pumps = Pumps(ctx, [source_of(ctx, "debounce", source)], _NO_LIMIT)
    quiet = count_of("debounce", quiet_ms)

    def step() -> Any:
        taken = pumps.take()
        newer = taken
        while newer is not None:
            taken = newer
            newer = pumps.take(quiet)
        return END if taken is None else taken[1]

    return Iter(step)


class _Shared:
    """One source for several readers; each has the items that it did not read yet."""

    def __init__(self, ctx: Context, pull: Pull, readers: int) -> None:
        self._scheduler = ctx.scheduler
        self._pull = pull
        self._waiting: list[deque[Any]] = [deque() for _ in range(readers)]
        self._finished = self._busy = False
        self._parked: list[Any] = []

    def next_for(self, reader: int) -> Any:
        """Give a reader its next item; only one task at a time pulls the source."""
        items = self._waiting[reader]
        while not items and not self._finished:
            if self._busy:
                self._parked.append(self._scheduler.current)
                self._scheduler.park("a broadcast item")
            else:
                self._fetch()
        return items.popleft() if items else END

    def _fetch(self) -> None:
        self._busy = True
        try:
            item = self._pull()
        finally:
            self._busy = False
            parked, self._parked = self._parked, []
            for task in parked:
                self._scheduler.wake(task)
        if item is END:
            self._finished = True
        else:
            for items in self._waiting:
                items.append(item)


def broadcast(ctx: Context, source: Any = ABSENT, readers: Any = ABSENT) -> list[Iter]:
    """``broadcast``: so many iterators that each give all items."""
    pull = source_of(ctx, "broadcast", source)
    if count_of("broadcast", readers) > _MOST_READERS:
        raise type_error(f"stream.broadcast: argument 2 must be at most {_MOST_READERS}, got {readers}")
    shared = _Shared(ctx, pull, readers)

    def reader(number: int) -> Iter:
        return Iter(lambda: shared.next_for(number))

    return [reader(number) for number in range(readers)]
