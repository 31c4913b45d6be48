"""Methods that drain an iterator into a value (builtins 2.6)."""

from __future__ import annotations

from harnpy.builtins.arguments import is_callable
from harnpy.builtins.iterators import callback, pull_of
from harnpy.builtins.sizes import check_list
from harnpy.errors import type_error
from harnpy.runtime.calls import call
from harnpy.runtime.convert import fit, key_text
from harnpy.runtime.equality import make_set
from harnpy.runtime.iterators import END
from harnpy.runtime.ordering import less
from harnpy.runtime.values import Pair, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.runtime.values import SetValue


def to_list(ctx: Context, source: Any) -> list[Any]:
    """Gather all items."""
    pull = pull_of(ctx, "iter.to_list", source)
    items: list[Any] = []
    most = ctx.limits.max_list
    while (item := pull()) is not END:
        items.append(item)
        if ctx.stop:
            ctx.stop()
        if len(items) > most:
            check_list(ctx, len(items))
    return items


def to_set(ctx: Context, source: Any) -> SetValue:
    """Gather the distinct items."""
    return make_set(to_list(ctx, source))


def to_dict(ctx: Context, source: Any) -> dict[str, Any]:
    """Gather pairs of key and value."""
    result: dict[str, Any] = {}
    for item in to_list(ctx, source):
        if type(item) is not Pair:
            raise type_error(f"iter.to_dict: expected pair, got {type_of(item)}")
        result[key_text(item.first)] = item.second
    return result


def count(ctx: Context, source: Any) -> int:
    """Count the items."""
    pull = pull_of(ctx, "iter.count", source)
    found = 0
    while pull() is not END:
        found += 1
        if ctx.stop:
            ctx.stop()
    return found


def total(ctx: Context, source: Any) -> Any:
    """``sum``: of numbers; ints that leave 64 bits become a float. Errors: throws for an item that is no number."""
    pull = pull_of(ctx, "iter.sum", source)
    result: Any = 0
    while (item := pull()) is not END:
        if ctx.stop:
            ctx.stop()
        if type(item) is not int and type(item) is not float:
            raise type_error(f"iter.sum: expected number, got {type_of(item)}")
        result += item
        if type(result) is int:
            result = fit(result)
    return result


def least(ctx: Context, source: Any) -> Any:
    """``min``: the first of the smallest items, or nil."""
    pull = pull_of(ctx, "iter.min", source)
    best = pull()
    while (item := pull()) is not END:
        if ctx.stop:
            ctx.stop()
        if less(item, best):
            best = item
    return None if best is END else best


def greatest(ctx: Context, source: Any) -> Any:
    """``max``: the last of the greatest items, or nil."""
    pull = pull_of(ctx, "iter.max", source)
    best = pull()
    while (item := pull()) is not END:
        if ctx.stop:
            ctx.stop()
        if not less(item, best):
            best = item
    return None if best is END else best


def first(ctx: Context, source: Any) -> Any:
    """Pull one item; nil when there is none."""
    item = pull_of(ctx, "iter.first", source)()
    return None if item is END else item


def last(ctx: Context, source: Any) -> Any:
    """Give the last item, or nil."""
    pull = pull_of(ctx, "iter.last", source)
    newest = None
    while (item := pull()) is not END:
        newest = item
        if ctx.stop:
            ctx.stop()
    return newest


def some(ctx: Context, source: Any, test: Any = None) -> bool:
    """``any``: whether the test holds for an item; pulls no further than that."""
    pull = pull_of(ctx, "iter.any", source)
    test = callback("any", test)
    while (item := pull()) is not END:
        if call(ctx, test, [item]):
            return True
    return False


def every(ctx: Context, source: Any, test: Any = None) -> bool:
    """``all``: whether the test holds for all items."""
    pull = pull_of(ctx, "iter.all", source)
    test = callback("all", test)
    while (item := pull()) is not END:
        if not call(ctx, test, [item]):
            return False
    return True


def find(ctx: Context, source: Any, test: Any = None) -> Any:
    """Give the first item for which the test holds, or nil."""
    pull = pull_of(ctx, "iter.find", source)
    test = callback("find", test)
    while (item := pull()) is not END:
        if call(ctx, test, [item]):
            return item
    return None


def for_each(ctx: Context, source: Any, fn: Any = None) -> None:
    """Call ``fn(item)`` for every item, for its effects."""
    pull = pull_of(ctx, "iter.for_each", source)
    fn = callback("for_each", fn)
    while (item := pull()) is not END:
        call(ctx, fn, [item])


def reduce(ctx: Context, source: Any, *args: Any) -> Any:
    """Fold all items from ``initial`` by ``fn(so_far, item)``. Errors: throws when ``fn`` is no function."""
    if len(args) < 2:
        raise type_error("iter.reduce: expected (init, fn)")
    result, fn = args[0], args[1]
    if not is_callable(fn):
        raise type_error("iter.reduce: second arg must be callable")
    pull = pull_of(ctx, "iter.reduce", source)
    while (item := pull()) is not END:
        result = call(ctx, fn, [result, item])
    return result
