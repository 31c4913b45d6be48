"""Methods of iterators that give another iterator, and ``iter`` itself (builtins 2.6)."""

from __future__ import annotations

from harnpy.builtins.arguments import is_callable
from harnpy.builtins.sizes import check_list
from harnpy.errors import type_error
from harnpy.runtime.calls import call
from harnpy.runtime.iterators import END, Iter, pull_from
from harnpy.runtime.values import Pair, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.runtime.iterators import Pull


def iterator(ctx: Context, *sources: Any) -> Iter:
    """Give an iterator over a list, set, dict (pairs of key and value), string, range, generator, stream or channel.

    An iterator gives itself. Errors: other kinds throw.
    """
    if not sources:
        raise type_error("iter: expected 1 argument")
    source = sources[0]
    return source if type(source) is Iter else Iter(pull_of(ctx, "iter", source))


def pull_of(ctx: Context, name: str, source: Any) -> Pull:
    """Give the pull function of an iterable argument."""
    pull = pull_from(ctx, source)
    if pull is None:
        raise type_error(f"{name}: value of type {type_of(source)} is not iterable")
    return pull


def callback(name: str, value: Any) -> Any:
    """Give a callback argument."""
    if not is_callable(value):
        raise type_error(f"iter.{name}: expected callable")
    return value


def _count(name: str, value: Any) -> int:
    if type(value) is not int or value < 0:
        raise type_error(f"iter.{name}: expected non-negative int")
    return value


def mapped(ctx: Context, source: Any, fn: Any = None) -> Iter:
    """``map``: what the function gives for each item, pulled one by one."""
    pull = pull_of(ctx, "iter.map", source)
    fn = callback("map", fn)

    def step() -> Any:
        item = pull()
        return END if item is END else call(ctx, fn, [item])

    return Iter(step)


def filtered(ctx: Context, source: Any, test: Any = None) -> Iter:
    """``filter``: the items that pass a test, pulled one by one."""
    pull = pull_of(ctx, "iter.filter", source)
    test = callback("filter", test)

    def step() -> Any:
        while (item := pull()) is not END:
            if call(ctx, test, [item]):
                return item
        return END

    return Iter(step)


def flat_mapped(ctx: Context, source: Any, fn: Any = None) -> Iter:
    """``flat_map``: the items of what the callback gives; a value that is no iterable counts as one item."""
    pull = pull_of(ctx, "iter.flat_map", source)
    fn = callback("flat_map", fn)
    inner: list[Pull] = []

    def step() -> Any:
        while True:
            if inner:
                item = inner[0]()
                if item is not END:
                    return item
                inner.clear()
            outer = pull()
            if outer is END:
                return END
            value = call(ctx, fn, [outer])
            found = None if type(value) is str else pull_from(ctx, value)
            if found is None:
                return value
            inner.append(found)

    return Iter(step)


def take_while(ctx: Context, source: Any, test: Any = None) -> Iter:
    """``take_while``: the items before the first that fails a test."""
    pull = pull_of(ctx, "iter.take_while", source)
    test = callback("take_while", test)

    def step() -> Any:
        item = pull()
        return item if item is not END and call(ctx, test, [item]) else END

    return Iter(step)


def skip_while(ctx: Context, source: Any, test: Any = None) -> Iter:
    """``skip_while``: the items from the first on that fails a test."""
    pull = pull_of(ctx, "iter.skip_while", source)
    test = callback("skip_while", test)
    skipping = [True]

    def step() -> Any:
        item = pull()
        while skipping and item is not END:
            if not call(ctx, test, [item]):
                skipping.clear()
                break
            item = pull()
        return item

    return Iter(step)


def take(ctx: Context, source: Any, count: Any = None) -> Iter:
    """``take``: the first ``count`` items, a non-negative int; the source is not pulled beyond them."""
    pull = pull_of(ctx, "iter.take", source)
    left = _count("take", count)

    def step() -> Any:
        nonlocal left
        if left == 0:
            return END
        left -= 1
        return pull()

    return Iter(step)


def skip(ctx: Context, source: Any, count: Any = None) -> Iter:
    """``skip``: all items but the first ``count``, a non-negative int."""
    pull = pull_of(ctx, "iter.skip", source)
    left = _count("skip", count)

    def step() -> Any:
        nonlocal left
        while left:
            left -= 1
            if ctx.stop:
                ctx.stop()
            if pull() is END:
                left = 0
                return END
        return pull()

    return Iter(step)


def zipped(ctx: Context, source: Any, other: Any = None) -> Iter:
    """``zip``: pairs, as long as both have items."""
    pull = pull_of(ctx, "iter.zip", source)
    second = pull_of(ctx, "iter.zip", other)

    def step() -> Any:
        a = pull()
        if a is END:
            return END
        b = second()
        return END if b is END else Pair(a, b)

    return Iter(step)


def chained(ctx: Context, source: Any, other: Any = None) -> Iter:
    """``chain``: the items of one, then of the other."""
    pulls = [pull_of(ctx, "iter.chain", other), pull_of(ctx, "iter.chain", source)]

    def step() -> Any:
        while pulls:
            item = pulls[-1]()
            if item is not END:
                return item
            pulls.pop()
        return END

    return Iter(step)


def enumerated(ctx: Context, source: Any) -> Iter:
    """``enumerate``: pairs of index and item."""
    pull = pull_of(ctx, "iter.enumerate", source)
    index = -1

    def step() -> Any:
        nonlocal index
        item = pull()
        index += 1
        return END if item is END else Pair(index, item)

    return Iter(step)


def chunks(ctx: Context, source: Any, size: Any = None) -> Iter:
    """``chunks``: lists of ``size`` items, the last one maybe shorter."""
    pull = pull_of(ctx, "iter.chunks", source)
    if type(size) is not int or size < 1:
        raise type_error("iter.chunks: chunk size must be positive")

    def step() -> Any:
        items: list[Any] = []
        while len(items) < size and (item := pull()) is not END:
            if ctx.stop:
                ctx.stop()
            items.append(item)
            check_list(ctx, len(items))
        return items or END

    return Iter(step)


def windows(ctx: Context, source: Any, size: Any = None) -> Iter:
    """``windows``: every run of ``size`` neighbours."""
    pull = pull_of(ctx, "iter.windows", source)
    if type(size) is not int or size < 1:
        raise type_error("iter.windows: window size must be positive")
    window: list[Any] = []

    def step() -> Any:
        del window[:1]
        while len(window) < size:
            item = pull()
            if item is END:
                return END
            if ctx.stop:
                ctx.stop()
            window.append(item)
            check_list(ctx, len(window))
        return window.copy()

    return Iter(step)


def advance(ctx: Context, source: Any) -> dict[str, Any]:
    """``next``: pull one item: ``{value, done: false}``, or ``{value: nil, done: true}`` after the end."""
    item = pull_of(ctx, "iter.next", source)()
    return {"done": True, "value": None} if item is END else {"done": False, "value": item}
