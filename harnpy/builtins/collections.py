"""Collections in function form (builtins 1.7)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, at_least, list_and_callback
from harnpy.builtins.sizes import check_list
from harnpy.errors import runtime_error, type_error
from harnpy.runtime.calls import call
from harnpy.runtime.convert import key_text
from harnpy.runtime.equality import key_of
from harnpy.runtime.values import RangeValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def keys(value: Any = None) -> list[Any]:
    """Give the keys of a dict, sorted."""
    return sorted(value) if type(value) is dict else []


def values(value: Any = None) -> list[Any]:
    """Give the values of a dict in the order of their keys."""
    return [value[key] for key in sorted(value)] if type(value) is dict else []


def entries(value: Any = None) -> list[Any]:
    """Give ``{key, value}`` for every entry of a dict, sorted by key."""
    return [{"key": key, "value": value[key]} for key in sorted(value)] if type(value) is dict else []


def make_range(*bounds: Any) -> RangeValue:
    """``range``: the ints from ``start`` (0) up to, but without, ``end``."""
    if len(bounds) not in (1, 2):
        raise type_error(f"range expects 1 or 2 integer arguments, got {len(bounds)}")
    if any(type(bound) is not int for bound in bounds):
        one = len(bounds) == 1
        raise type_error(f"range({'n' if one else 'a, b'}): expected integer argument{'' if one else 's'}")
    return RangeValue(0 if len(bounds) == 1 else bounds[0], bounds[-1], True)


def chunks(items: list[Any], size: Any) -> list[Any]:
    """Cut a list into lists of ``size`` items; the last may be shorter."""
    step = at_least(size, 1)
    return [items[index : index + step] for index in range(0, len(items), step)]


def windows(ctx: Context, items: list[Any], size: Any, step: Any) -> list[Any]:
    """Give all runs of ``size`` items, each ``step`` further on."""
    width = max(size, 1) if type(size) is int else 2
    stop = len(items) - width + 1
    starts = range(0, stop, at_least(step, 1))
    check_list(ctx, len(starts) * width)
    return [items[index : index + width] for index in starts]


def _check_list(name: str, items: Any) -> None:
    if items is ABSENT:
        raise runtime_error(f"{name}: first argument must be a list")
    if type(items) is not list:
        raise type_error(f"{name}: first argument must be a list, got {type_of(items)}")


def chunk(items: Any = ABSENT, size: Any = 1) -> list[Any]:
    """Cut a list into lists of ``size`` items; the last one may be shorter."""
    _check_list("chunk", items)
    return chunks(items, size)


def window(ctx: Context, items: Any = ABSENT, size: Any = 2, step: Any = 1) -> list[Any]:
    """Give every run of ``size`` items in a row, ``step`` items apart; runs that would be shorter are left out."""
    _check_list("window", items)
    return windows(ctx, items, size, step)


def grouped(ctx: Context, items: list[Any], key: Any) -> dict[str, Any]:
    """Collect items under the display form of their key."""
    groups: dict[str, Any] = {}
    for item in items:
        groups.setdefault(key_text(call(ctx, key, [item])), []).append(item)
    return groups


def group_by(ctx: Context, items: Any = ABSENT, key: Any = ABSENT) -> dict[str, Any]:
    """Collect the items of a list in a dict of lists, under the display form of ``key(item)``."""
    list_and_callback("group_by", items, key)
    return grouped(ctx, items, key)


def parted(ctx: Context, items: list[Any], test: Any) -> tuple[list[Any], list[Any]]:
    """Split items by a predicate."""
    hits: list[Any] = []
    misses: list[Any] = []
    for item in items:
        (hits if call(ctx, test, [item]) else misses).append(item)
    return hits, misses


def partition(ctx: Context, items: Any = ABSENT, test: Any = ABSENT) -> dict[str, Any]:
    """Split the items of a list by ``test(item)`` into ``{match, no_match}``."""
    list_and_callback("partition", items, test)
    hits, misses = parted(ctx, items, test)
    return {"match": hits, "no_match": misses}


def dedup_by(ctx: Context, items: Any = ABSENT, key: Any = ABSENT) -> list[Any]:
    """Keep the first of all items with the same ``key(item)``."""
    list_and_callback("dedup_by", items, key)
    first: dict[Any, Any] = {}
    for item in items:
        first.setdefault(key_of(call(ctx, key, [item])), item)
    return list(first.values())


def flat_mapped(ctx: Context, items: list[Any], function: Any) -> list[Any]:
    """Map items and spread results that are lists."""
    results: list[Any] = []
    for item in items:
        result = call(ctx, function, [item])
        if type(result) is list:
            results += result
        else:
            results.append(result)
    return results


def flat_map(ctx: Context, items: Any = ABSENT, function: Any = ABSENT) -> list[Any]:
    """Give the results of ``function(item)`` for all items of a list; results that are lists are spread."""
    list_and_callback("flat_map", items, function)
    return flat_mapped(ctx, items, function)
