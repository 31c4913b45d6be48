"""The namespace ``stream``: lazy functions over one iterable, and those that drain it (builtins 1.20)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, is_callable
from harnpy.builtins.sizes import check_list
from harnpy.errors import type_error
from harnpy.runtime.calls import call
from harnpy.runtime.clock import MS
from harnpy.runtime.iterators import END, Iter, pull_from
from harnpy.runtime.values import Pair, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.runtime.iterators import Pull

_MOST = 10_000
_SECOND = 1000 * MS


def source_of(ctx: Context, name: str, value: Any, number: int = 1) -> Pull:
    """Give the pull function of an argument that must be iterable."""
    if value is ABSENT:
        raise type_error(f"stream.{name}: missing argument {number}")
    pull = pull_from(ctx, value)
    if pull is None:
        raise type_error(f"stream.{name}: argument {number} must be iterable, got {type_of(value)}")
    return pull


def _callback(name: str, value: Any, number: int = 2) -> Any:
    if value is ABSENT:
        raise type_error(f"stream.{name}: missing argument {number}")
    if not is_callable(value):
        raise type_error(f"stream.{name}: argument {number} must be callable, got {type_of(value)}")
    return value


def count_of(name: str, value: Any, number: int = 2) -> int:
    """Give an argument that must be an int and not negative."""
    if value is ABSENT:
        raise type_error(f"stream.{name}: missing argument {number}")
    if type(value) is not int or value < 0:
        raise type_error(f"stream.{name}: argument {number} must be a non-negative int, got {type_of(value)}")
    return value


def mapped(ctx: Context, source: Any = ABSENT, fn: Any = ABSENT) -> Iter:
    """``map``: what the function gives for each item of a source."""
    pull, fn = source_of(ctx, "map", source), _callback("map", fn)

    def step() -> Any:
        item = pull()
        return END if item is END else call(ctx, fn, [item])

    return Iter(step)


def filtered(ctx: Context, source: Any = ABSENT, test: Any = ABSENT) -> Iter:
    """``filter``: the items of a source that pass a test."""
    pull, test = source_of(ctx, "filter", source), _callback("filter", test)

    def step() -> Any:
        while (item := pull()) is not END:
            if ctx.stop:
                ctx.stop()
            if call(ctx, test, [item]):
                return item
        return END

    return Iter(step)


def tapped(ctx: Context, source: Any = ABSENT, fn: Any = ABSENT) -> Iter:
    """``tap``: the items as they are, each shown to the callback first."""
    pull, fn = source_of(ctx, "tap", source), _callback("tap", fn)

    def step() -> Any:
        item = pull()
        if item is not END:
            call(ctx, fn, [item])
        return item

    return Iter(step)


def scan(ctx: Context, source: Any = ABSENT, initial: Any = None, fn: Any = ABSENT) -> Iter:
    """``scan``: each intermediate result of ``fold``."""
    pull, fn = source_of(ctx, "scan", source), _callback("scan", fn, 3)
    state = [initial]

    def step() -> Any:
        item = pull()
        if item is END:
            return END
        state[0] = call(ctx, fn, [state[0], item])
        return state[0]

    return Iter(step)


def fold(ctx: Context, source: Any = ABSENT, initial: Any = None, fn: Any = ABSENT) -> Any:
    """``fold``: combine all items, starting from ``initial``."""
    pull, fn = source_of(ctx, "fold", source), _callback("fold", fn, 3)
    result = initial
    while (item := pull()) is not END:
        if ctx.stop:
            ctx.stop()
        result = call(ctx, fn, [result, item])
    return result


def collect(ctx: Context, source: Any = ABSENT, most: Any = _MOST) -> list[Any]:
    """``collect``: a list of the items, at most ``most`` of them."""
    pull = source_of(ctx, "collect", source)
    # One more than a list may have is enough to know that it is too long.
    rest = min(count_of("collect", most), ctx.limits.max_list + 1)
    items: list[Any] = []
    while rest and (item := pull()) is not END:
        if ctx.stop:
            ctx.stop()
        items.append(item)
        rest -= 1
    check_list(ctx, len(items))
    return items


def first(ctx: Context, source: Any = ABSENT) -> Any:
    """``first``: the next item, or nil."""
    item = source_of(ctx, "first", source)()
    return None if item is END else item


def take(ctx: Context, source: Any = ABSENT, count: Any = ABSENT) -> Iter:
    """``take``: the first items."""
    pull = source_of(ctx, "take", source)
    rest = [count_of("take", count)]

    def step() -> Any:
        if not rest[0]:
            return END
        rest[0] -= 1
        return pull()

    return Iter(step)


def take_until(ctx: Context, source: Any = ABSENT, test: Any = ABSENT) -> Iter:
    """``take_until``: the items before the first for which the callback gives something truthy."""
    pull, test = source_of(ctx, "take_until", source), _callback("take_until", test)

    def step() -> Any:
        item = pull()
        return END if item is END or call(ctx, test, [item]) else item

    return Iter(step)


def zipped(ctx: Context, *sources: Any) -> Iter:
    """``zip``: pairs, as long as both have items."""
    if len(sources) != 2:
        raise type_error(f"stream.zip: expected 2 streams, got {len(sources)}")
    left, right = [source_of(ctx, "zip", source, number) for number, source in enumerate(sources, 1)]

    def step() -> Any:
        one = left()
        other = END if one is END else right()
        return END if other is END else Pair(one, other)

    return Iter(step)


def interleave(ctx: Context, *sources: Any) -> Iter:
    """``interleave``: one item of each in turn; a finished one is passed over."""
    pulls = sources_of(ctx, "interleave", sources)

    def step() -> Any:
        while pulls:
            pull = pulls.pop(0)
            item = pull()
            if item is not END:
                pulls.append(pull)
                return item
        return END

    return Iter(step)


def sources_of(ctx: Context, name: str, sources: tuple[Any, ...]) -> list[Pull]:
    """Give the pull functions of streams that are the arguments, or the items of one list."""
    given = sources[0] if len(sources) == 1 and type(sources[0]) is list else sources
    if not given:
        raise type_error(f"stream.{name}: expected at least one stream")
    return [source_of(ctx, name, source, number) for number, source in enumerate(given, 1)]


def throttle(ctx: Context, source: Any = ABSENT, per_second: Any = ABSENT) -> Iter:
    """``throttle``: at most so many items a second; the others wait."""
    pull = source_of(ctx, "throttle", source)
    if per_second is ABSENT:
        raise type_error("stream.throttle: missing argument 2")
    if type(per_second) not in (int, float) or not per_second > 0:
        raise type_error(f"stream.throttle: argument 2 must be a positive number, got {type_of(per_second)}")
    next_ticks = [ctx.clock.ticks()]

    def step() -> Any:
        item = pull()
        if item is END:
            return END
        wait = next_ticks[0] - ctx.clock.ticks()
        if wait > 0:
            ctx.scheduler.sleep(-(-wait // MS))
        next_ticks[0] = max(next_ticks[0], ctx.clock.ticks()) + int(_SECOND / per_second)
        return item

    return Iter(step)
