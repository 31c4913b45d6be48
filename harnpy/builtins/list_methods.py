"""Methods of lists that call nothing back (builtins 2.2)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.builtins.collections import chunks, windows
from harnpy.builtins.text import joined
from harnpy.runtime import equality
from harnpy.runtime.convert import fit, int_option, key_text
from harnpy.runtime.ordering import extreme_index, sorted_values
from harnpy.runtime.values import SetValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def length(items: list[Any]) -> int:
    """Count the items."""
    return len(items)


def empty(items: list[Any]) -> bool:
    """Tell whether there are no items."""
    return not items


def contains(items: list[Any], value: Any = None) -> bool:
    """Tell whether an item equals ``value``."""
    return equality.in_list(items, value)


def index_of(items: list[Any], value: Any = None) -> int:
    """Give the first index of an item that equals ``value``, or -1."""
    return equality.index_in(items, value)


def join(ctx: Context, items: list[Any], separator: Any = "") -> str:
    """Join the display forms of the items."""
    return joined(ctx, items, text(separator))


def ascending(items: list[Any]) -> list[Any]:
    """``sorted``: in ascending order; equal items keep their order."""
    return sorted_values(items)


def backwards(items: list[Any]) -> list[Any]:
    """``reversed``: a list with the items from last to first."""
    return items[::-1]


def appending(items: list[Any], value: Any = ABSENT) -> list[Any]:
    """Give a copy of a list with one item more at the end."""
    return items.copy() if value is ABSENT else [*items, value]


def dropping_last(items: list[Any]) -> list[Any]:
    """Give a copy of a list without its last item."""
    return items[:-1]


def cut(items: list[Any], start: Any = 0, end: Any = None) -> list[Any]:
    """``slice``: what ``xs[start:end]`` gives; negative positions count from the end, and both are clamped."""
    return items[int_option(start, 0) : int_option(end, len(items))]


def take(items: list[Any], count: Any = 0) -> list[Any]:
    """Give the first ``count`` items; none for a negative count."""
    return items[: max(int_option(count, 0), 0)]


def skip(items: list[Any], count: Any = 0) -> list[Any]:
    """Give all but the first ``count`` items."""
    return items[max(int_option(count, 0), 0) :]


def first(items: list[Any], count: Any = ABSENT) -> Any:
    """Give the first item, or with a number a list of the first items."""
    if type(count) is int:
        return take(items, count)
    return items[0] if items else None


def last(items: list[Any], count: Any = ABSENT) -> Any:
    """Give the last item, or with a number a list of the last items."""
    if type(count) is int:
        return items[max(len(items) - max(count, 0), 0) :]
    return items[-1] if items else None


def numbered(items: list[Any]) -> list[Any]:
    """``enumerate``: ``{index, value}`` for every item."""
    return [{"index": index, "value": value} for index, value in enumerate(items)]


def zipped(items: list[Any], other: Any = None) -> list[Any]:
    """``zip``: lists of two items, one of each list, as many as the shorter one has."""
    if type(other) is not list:
        return []
    return [[left, right] for left, right in zip(items, other, strict=False)]


def unique(items: list[Any]) -> list[Any]:
    """Keep the first of equal items."""
    return list(equality.make_set(items).members.values())


def flatten(items: list[Any]) -> list[Any]:
    """Spread the items that are lists, one level deep."""
    flat: list[Any] = []
    for item in items:
        if type(item) is list:
            flat += item
        else:
            flat.append(item)
    return flat


def compact(items: list[Any]) -> list[Any]:
    """Leave the items out that are nil."""
    return [item for item in items if item is not None]


def total(items: list[Any]) -> int | float:
    """``sum``: of the items that are numbers; others are passed over. A float if one of them is; 0 of nothing."""
    result: int | float = 0
    for item in items:
        if type(item) is int or type(item) is float:
            result += item
            if type(result) is int:
                result = fit(result)
    return result


def least(items: list[Any]) -> Any:
    """``min``: the first of the least items; nil of an empty list."""
    return items[extreme_index(items, greatest=False)] if items else None


def greatest(items: list[Any]) -> Any:
    """``max``: the first of the greatest items; nil of an empty list."""
    return items[extreme_index(items, greatest=True)] if items else None


def tally(items: list[Any]) -> dict[str, Any]:
    """Count the items by their display form."""
    counts: dict[str, Any] = {}
    for item in items:
        key = key_text(item)
        counts[key] = counts.get(key, 0) + 1
    return counts


def chunk(items: list[Any], size: Any = 1) -> list[Any]:
    """Cut into lists of a size; the last may be shorter."""
    return chunks(items, size)


def window(ctx: Context, items: list[Any], size: Any = 2, step: Any = 1) -> list[Any]:
    """Give every run of ``size`` items in a row, ``step`` items apart; shorter runs are left out."""
    return windows(ctx, items, size, step)


def to_list(items: list[Any]) -> list[Any]:
    """Give the list itself."""
    return items


def to_set(items: list[Any]) -> SetValue:
    """Give the items as a set."""
    return equality.make_set(items)
