"""Equality, structural keys and membership (language 5.4, 6.3)."""

from __future__ import annotations

from harnpy.errors import HarnError, runtime_error
from harnpy.runtime.display import display
from harnpy.runtime.values import (
    Builtin,
    Duration,
    EnumValue,
    Pair,
    RangeValue,
    SetValue,
    StructValue,
    VariantConstructor,
    is_decimal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import Any

# Kinds for which Python's own == between two values of the kind is Harn's.
_PLAIN = frozenset((int, str, float, bool, type(None), bytes))
_NUMBERS = frozenset((int, float))

# Bounds every walk: a list that holds one list many times over is small and takes for ever to walk.
STEPS = range(10_000_000)


def too_large() -> HarnError:
    """Make the error of a comparison that would not end."""
    return runtime_error("the values are too large to be compared")


def equal(a: Any, b: Any) -> bool:
    """Tell whether ``a == b`` in Harn; nesting of any depth is fine."""
    kind = type(a)
    if kind in _PLAIN:
        other = type(b)
        return (kind is other or (kind in _NUMBERS and other in _NUMBERS)) and a == b
    pending = [(a, b)]
    for _ in STEPS:
        if not pending:
            return True
        a, b = pending.pop()
        kind = type(a)
        if kind is list and type(b) is list:
            if len(a) != len(b) or not _pairwise(a, b, pending):
                return False
        elif kind is dict and type(b) is dict:
            if a.keys() != b.keys() or not _pairwise(a.values(), [b[key] for key in a], pending):
                return False
        elif kind is not type(b) or not _same_kind(a, b, pending):
            return False
    raise too_large()


def _pairwise(left: Iterable[Any], right: Iterable[Any], pending: list[tuple[Any, Any]]) -> bool:
    """Compare plain items at once and leave the others in ``pending``."""
    for x, y in zip(left, right, strict=True):
        kind = type(x)
        if kind in _PLAIN:
            if kind is not type(y) and not (kind in _NUMBERS and type(y) in _NUMBERS):
                return False
            if x != y:
                return False
        elif type(y) is not kind:
            return False
        else:
            pending.append((x, y))
    return True


def _same_kind(a: Any, b: Any, pending: list[tuple[Any, Any]]) -> bool:
    kind = type(a)
    if kind is StructValue:
        pending.append((a.fields, b.fields))
        return bool(a.type.name == b.type.name)
    if kind is EnumValue:
        same = a.type.name == b.type.name and a.variant == b.variant and len(a.fields) == len(b.fields)
        return same and _pairwise(a.fields, b.fields, pending)
    if kind is Pair:
        return _pairwise((a.first, a.second), (b.first, b.second), pending)
    test = _TESTS.get(kind)
    if test is not None:
        return test(a, b)
    if is_decimal(a):
        return bool(a == b)
    own = getattr(a, "equals", None)
    return own(b) if own is not None else a is b


_TESTS: dict[type, Callable[[Any, Any], bool]] = {
    SetValue: lambda a, b: a.members.keys() == b.members.keys(),
    Duration: lambda a, b: a.ms == b.ms,
    RangeValue: lambda a, b: a.start == b.start and a.end == b.end and a.exclusive == b.exclusive,
    Builtin: lambda a, b: a.name == b.name,
    VariantConstructor: lambda a, b: a.type.name == b.type.name and a.variant == b.variant,
}


class _Mark:
    """A part of a structural key that no value can be."""

    __slots__ = ()


_TRUE, _FALSE, _LIST, _DICT, _SET, _PAIR, _ENUM, _STRUCT = [_Mark() for _ in range(8)]
_DURATION, _RANGE, _BUILTIN, _DECIMAL = [_Mark() for _ in range(4)]


def key_of(value: Any) -> Hashable:
    """Give a hashable key that two values share exactly when they are equal (NaN: never).

    Ints, floats, strings and nil are their own keys. A container's key is one flat tuple of marks,
    lengths and plain keys, since hashing nested tuples would recurse in C.
    """
    kind = type(value)
    if kind is int or kind is str or value is None or kind is bytes:
        return value  # type: ignore[no-any-return]
    parts: list[Any] = []
    pending: list[Any] = [value]
    for _ in STEPS:
        if not pending:
            return parts[0] if len(parts) == 1 else tuple(parts)
        _add_key(pending.pop(), parts, pending)
    raise too_large()


def _add_key(value: Any, parts: list[Any], pending: list[Any]) -> None:
    kind = type(value)
    if kind is bool:
        parts.append(_TRUE if value else _FALSE)
    elif kind is float:
        parts.append(value if value == value else _Mark())
    elif kind in _PLAIN:
        parts.append(value)
    elif kind is list:
        parts += (_LIST, len(value))
        pending.extend(reversed(value))
    elif kind is dict:
        parts += (_DICT, *sorted(value), _DICT)
        pending.extend([value[key] for key in sorted(value, reverse=True)])
    elif kind is StructValue:
        parts += (_STRUCT, value.type.name)
        pending.append(value.fields)
    elif kind is EnumValue:
        parts += (_ENUM, value.type.name, value.variant, len(value.fields))
        pending.extend(reversed(value.fields))
    elif kind is Pair:
        parts.append(_PAIR)
        pending += (value.second, value.first)
    else:
        _add_other_key(value, parts)


def _add_other_key(value: Any, parts: list[Any]) -> None:
    kind = type(value)
    if kind is SetValue:
        parts += (_SET, _frozen(value))
    elif kind is Duration:
        parts += (_DURATION, value.ms)
    elif kind is RangeValue:
        parts += (_RANGE, value.start, value.end, value.exclusive)
    elif kind is Builtin:
        parts += (_BUILTIN, value.name)
    elif kind is VariantConstructor:
        parts += (_BUILTIN, value.type.name, value.variant)
    elif is_decimal(value):
        parts += (_DECIMAL, value)
    else:
        own = getattr(value, "equals", None)
        parts.append(value if own is None or own(value) else _Mark())


_MAX_SET_DEPTH = 200


class _Members(frozenset["Hashable"]):
    """The keys of the members of a set, and how deep sets nest in them.

    Python hashes and compares these by recursion in C, so their depth is bounded.
    """

    __slots__ = ("depth",)
    depth: int


def _frozen(value: SetValue) -> _Members:
    members = _Members(value.members)
    inner = 0
    for key in members:
        if type(key) is tuple:
            inner = max([inner, *[part.depth for part in key if type(part) is _Members]])
    members.depth = inner + 1
    if inner >= _MAX_SET_DEPTH:
        raise runtime_error(f"sets are nested deeper than {_MAX_SET_DEPTH}")
    return members


def make_set(items: Iterable[Any]) -> SetValue:
    """Make a set; of equal items the first stays."""
    members: dict[Any, Any] = {}
    for item in items:
        members.setdefault(key_of(item), item)
    return SetValue(members)


def in_list(items: list[Any], item: Any) -> bool:
    """Tell whether ``items`` has a member equal to ``item``."""
    return index_in(items, item) >= 0


def index_in(items: list[Any], item: Any) -> int:
    """Give the first index of a member equal to ``item``, or -1."""
    if type(item) in _PLAIN:
        return _index_of_plain(items, item)
    for index, member in enumerate(items):
        if equal(member, item):
            return index
    return -1


def _index_of_plain(items: list[Any], item: Any) -> int:
    # What Harn calls equal to a plain value Python does too, so Python may search; its finds are
    # checked, for it also takes true for 1 and NaN for itself.
    at = -1
    try:
        while True:
            at = items.index(item, at + 1)
            if equal(items[at], item):
                return at
    except ValueError:
        return -1


def contains(container: Any, item: Any) -> bool:
    """Tell whether ``item in container`` (language 6.3)."""
    kind = type(container)
    if kind is list:
        return in_list(container, item)
    if kind is dict:
        return (item if type(item) is str else display(item)) in container
    if kind is str:
        return (item if type(item) is str else display(item)) in container
    if kind is SetValue:
        return key_of(item) in container.members
    if kind is RangeValue:
        return type(item) is int and container.start <= item < container.stop
    return False


def same(a: Any, b: Any) -> bool:
    """Tell whether both are one object, or equal values of a kind without identity."""
    if type(a) in _IDENTITY_KINDS or type(b) in _IDENTITY_KINDS:
        return a is b
    return equal(a, b) or a is b


def _identity_kinds() -> frozenset[type]:
    from harnpy.runtime.values import Closure

    return frozenset((list, dict, SetValue, Closure, Pair))


_IDENTITY_KINDS = _identity_kinds()
