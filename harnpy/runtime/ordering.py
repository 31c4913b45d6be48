"""The order of values: relational operators, sorting, least and greatest (language 5.5)."""

from __future__ import annotations

from harnpy.runtime.equality import STEPS, too_large
from harnpy.runtime.values import Duration, Pair, is_decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_NUMBERS = frozenset((int, float))


def _order(a: Any, b: Any) -> int | None:
    """Give -1, 0 or 1, or ``None`` when NaN takes part; kinds without an order are 0."""
    # Pairs still to compare, those that decide first on top; nothing recurses.
    pending: list[Iterator[tuple[Any, Any]]] = [iter([(a, b)])]
    for _ in STEPS:
        if not pending:
            return 0
        for x, y in pending[-1]:
            kind = type(x)
            if (kind is list or kind is Pair) and type(y) is kind:
                pending.append(_item_pairs(x, y))
                break
            order = _order_flat(x, y)
            if order != 0:
                return order
        else:
            pending.pop()
    raise too_large()


def _item_pairs(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    left, right = (a, b) if type(a) is list else ((a.first, a.second), (b.first, b.second))
    yield from zip(left, right, strict=False)
    yield len(left), len(right)


def _order_flat(a: Any, b: Any) -> int | None:
    kind = type(a)
    if kind is not type(b):
        if kind not in _NUMBERS or type(b) not in _NUMBERS:
            return 0
    elif kind is Duration:
        a, b = a.ms, b.ms
    elif kind not in _NUMBERS and kind is not str and not is_decimal(a):
        return 0
    if a < b:
        return -1
    if a > b:
        return 1
    return 0 if a == b else None


def less(a: Any, b: Any) -> bool:
    """Tell whether ``a < b``."""
    return _order(a, b) == -1


def less_equal(a: Any, b: Any) -> bool:
    """Tell whether ``a <= b``."""
    order = _order(a, b)
    return order is not None and order <= 0


def compare(a: Any, b: Any) -> int:
    """Give -1, 0 or 1 for sorting; what has no order counts as equal."""
    return _order(a, b) or 0


def _native(keys: Sequence[Any]) -> bool:
    """Tell whether Python orders ``keys`` as Harn does.

    That is so for strings, for numbers but NaN, and for lists whose items are so at each place.
    """
    kinds = {type(key) for key in keys}
    if kinds == {list}:
        return all(_native_flat(column) for column in _columns(keys))
    return _native_flat(keys, kinds)


def _native_flat(keys: Sequence[Any], kinds: set[type] | None = None) -> bool:
    if kinds is None:
        kinds = {type(key) for key in keys}
    if kinds == {str}:
        return True
    return kinds <= _NUMBERS and all(key == key for key in keys)


def _columns(rows: Sequence[list[Any]]) -> Iterator[list[Any]]:
    """Give the first items of all rows that have one, the second ones, and so on."""
    for place in range(max([len(row) for row in rows])):
        rows = [row for row in rows if len(row) > place]
        yield [row[place] for row in rows]


def sorted_values(items: Sequence[Any]) -> list[Any]:
    """Give the items in ascending order, equal ones in their old order."""
    if _native(items):
        return sorted(items)
    from functools import cmp_to_key

    return sorted(items, key=cmp_to_key(compare))


def sorted_by_keys(items: Sequence[Any], keys: Sequence[Any]) -> list[Any]:
    """Give ``items`` in ascending order of ``keys`` (one for each), equal ones in their old order."""
    if _native(keys):
        order = sorted(range(len(items)), key=keys.__getitem__)
    else:
        from functools import cmp_to_key

        wrapped = [cmp_to_key(compare)(key) for key in keys]
        order = sorted(range(len(items)), key=wrapped.__getitem__)
    return [items[index] for index in order]


def extreme_index(keys: Sequence[Any], greatest: bool) -> int:
    """Give the index of the first least (or greatest) of ``keys``, which must not be empty."""
    best = 0
    for index in range(1, len(keys)):
        challenger, champion = keys[index], keys[best]
        if less(champion, challenger) if greatest else less(challenger, champion):
            best = index
    return best
