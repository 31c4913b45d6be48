"""Methods of lists that call a function back, item by item (builtins 2.2).

A missing callback gives the neutral result of builtins 2.0. The loops are plain: a call through
``map`` or ``sorted(key=)`` would use up the C stack.
"""

from __future__ import annotations

from harnpy.builtins.arguments import is_callable
from harnpy.builtins.collections import flat_mapped, grouped, parted
from harnpy.runtime.calls import call
from harnpy.runtime.convert import key_text
from harnpy.runtime.ordering import extreme_index, sorted_by_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def mapped(ctx: Context, items: list[Any], function: Any = None) -> list[Any] | None:
    """``map``: the results of ``function(item)`` for all items; nil when it is no function."""
    if not is_callable(function):
        return None
    return [call(ctx, function, [item]) for item in items]


def filtered(ctx: Context, items: list[Any], test: Any = None) -> list[Any] | None:
    """``filter``: the items for which ``test(item)`` is truthy; nil when it is no function."""
    if not is_callable(test):
        return None
    return [item for item in items if call(ctx, test, [item])]


def flat_map(ctx: Context, items: list[Any], function: Any = None) -> list[Any] | None:
    """Give the results of ``function(item)`` for all items; results that are lists are spread."""
    return flat_mapped(ctx, items, function) if is_callable(function) else None


def reduce(ctx: Context, items: list[Any], initial: Any = None, function: Any = None) -> Any:
    """Combine all items by ``function(so_far, item)``, starting from ``initial``; nil when it is no function."""
    if not is_callable(function):
        return None
    result = initial
    for item in items:
        result = call(ctx, function, [result, item])
    return result


def find(ctx: Context, items: list[Any], test: Any = None) -> Any:
    """Give the first item that passes a test, or nil."""
    if is_callable(test):
        for item in items:
            if call(ctx, test, [item]):
                return item
    return None


def find_index(ctx: Context, items: list[Any], test: Any = None) -> int:
    """Give the index of the first item that passes a test, or -1."""
    if is_callable(test):
        for index, item in enumerate(items):
            if call(ctx, test, [item]):
                return index
    return -1


def some(ctx: Context, items: list[Any], test: Any = None) -> bool:
    """Tell whether ``test(item)`` is truthy for an item; stops at the first."""
    return find_index(ctx, items, test) >= 0


def every(ctx: Context, items: list[Any], test: Any = None) -> bool:
    """``all``: whether ``test(item)`` is truthy for all items; stops at the first that fails."""
    if is_callable(test):
        for item in items:
            if not call(ctx, test, [item]):
                return False
    return True


def none(ctx: Context, items: list[Any], test: Any = None) -> bool:
    """Tell whether no item passes a test."""
    return not some(ctx, items, test) if is_callable(test) else not items


def _keys(ctx: Context, items: list[Any], key: Any) -> list[Any]:
    return [call(ctx, key, [item]) for item in items]


def sorted_by(ctx: Context, items: list[Any], key: Any = None) -> list[Any] | None:
    """Sort by ``key(item)``, which is taken once of every item; items of equal keys keep their order."""
    return sorted_by_keys(items, _keys(ctx, items, key)) if is_callable(key) else None


def _edge(ctx: Context, items: list[Any], test: Any) -> int:
    """Give the index of the first item that fails a test."""
    for index, item in enumerate(items):
        if not call(ctx, test, [item]):
            return index
    return len(items)


def take_while(ctx: Context, items: list[Any], test: Any = None) -> list[Any] | None:
    """Give the items before the first that fails a test."""
    return items[: _edge(ctx, items, test)] if is_callable(test) else None


def drop_while(ctx: Context, items: list[Any], test: Any = None) -> list[Any] | None:
    """Give the items from the first that fails a test on."""
    return items[_edge(ctx, items, test) :] if is_callable(test) else None


def _extreme_by(ctx: Context, items: list[Any], key: Any, greatest: bool) -> Any:
    if not items or not is_callable(key):
        return None
    return items[extreme_index(_keys(ctx, items, key), greatest)]


def min_by(ctx: Context, items: list[Any], key: Any = None) -> Any:
    """Give the first item with the least key, or nil."""
    return _extreme_by(ctx, items, key, greatest=False)


def max_by(ctx: Context, items: list[Any], key: Any = None) -> Any:
    """Give the first item with the greatest key, or nil."""
    return _extreme_by(ctx, items, key, greatest=True)


def partition(ctx: Context, items: list[Any], test: Any = None) -> list[Any] | None:
    """Split by a test into a list of two lists: the items that pass, and the others."""
    return list(parted(ctx, items, test)) if is_callable(test) else None


def group_by(ctx: Context, items: list[Any], key: Any = None) -> dict[str, Any] | None:
    """Collect the items in a dict of lists, under the display form of ``key(item)``."""
    return grouped(ctx, items, key) if is_callable(key) else None


def count_by(ctx: Context, items: list[Any], key: Any = None) -> dict[str, Any] | None:
    """Count the items by the display form of their key."""
    if not is_callable(key):
        return None
    counts: dict[str, Any] = {}
    for item in items:
        name = key_text(call(ctx, key, [item]))
        counts[name] = counts.get(name, 0) + 1
    return counts
