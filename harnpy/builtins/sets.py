"""Sets in function form (builtins 1.7)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.runtime.equality import key_of, make_set
from harnpy.runtime.values import SetValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def make(*items: Any) -> SetValue:
    """``set``: a set of its arguments; lists and sets among them are spread one level."""
    members: list[Any] = []
    for item in items:
        if type(item) is list:
            members += item
        elif type(item) is SetValue:
            members += item.members.values()
        else:
            members.append(item)
    return make_set(members)


def with_member(target: SetValue, value: Any) -> SetValue:
    """Give a set that has ``value`` too."""
    key = key_of(value)
    return target if key in target.members else SetValue({**target.members, key: value})


def without_member(target: SetValue, value: Any) -> SetValue:
    """Give a set that lacks ``value``."""
    key = key_of(value)
    if key not in target.members:
        return target
    members = target.members.copy()
    del members[key]
    return SetValue(members)


def united(a: SetValue, b: SetValue) -> SetValue:
    """Give the members of ``a``, then the new ones of ``b``."""
    return SetValue({**a.members, **{key: b.members[key] for key in b.members if key not in a.members}})


def common(a: SetValue, b: SetValue) -> SetValue:
    """Give the members of ``a`` that ``b`` has too."""
    return SetValue({key: item for key, item in a.members.items() if key in b.members})


def lacking(a: SetValue, b: SetValue) -> SetValue:
    """Give the members of ``a`` that ``b`` lacks."""
    return SetValue({key: item for key, item in a.members.items() if key not in b.members})


def in_one(a: SetValue, b: SetValue) -> SetValue:
    """Give the members that just one of both has."""
    return SetValue({**lacking(a, b).members, **lacking(b, a).members})


def within(a: SetValue, b: SetValue) -> bool:
    """Tell whether ``b`` has every member of ``a``."""
    return a.members.keys() <= b.members.keys()


def apart(a: SetValue, b: SetValue) -> bool:
    """Tell whether no member is in both."""
    return a.members.keys().isdisjoint(b.members.keys())


def _need_sets(name: str, a: Any, b: Any) -> None:
    if type(a) is not SetValue or type(b) is not SetValue:
        raise thrown_text(f"{name}: arguments must be sets")


def add(target: Any = None, value: Any = None) -> SetValue:
    """``set_add``: a copy of a set with one member more."""
    if type(target) is not SetValue:
        raise thrown_text("set_add: first argument must be a set")
    return with_member(target, value)


def remove(target: Any = None, value: Any = None) -> SetValue:
    """``set_remove``: a copy of a set without a member."""
    if type(target) is not SetValue:
        raise thrown_text("set_remove: first argument must be a set")
    return without_member(target, value)


def contains(target: Any = None, value: Any = None) -> bool:
    """``set_contains``: whether a value is a member of a set."""
    return type(target) is SetValue and key_of(value) in target.members


def union(a: Any = None, b: Any = None) -> SetValue:
    """``set_union``: the set of what is in ``a`` or ``b``."""
    _need_sets("set_union", a, b)
    return united(a, b)


def intersect(a: Any = None, b: Any = None) -> SetValue:
    """``set_intersect``: the set of what is in both ``a`` and ``b``."""
    _need_sets("set_intersect", a, b)
    return common(a, b)


def difference(a: Any = None, b: Any = None) -> SetValue:
    """``set_difference``: the set of what is in ``a`` but not in ``b``."""
    _need_sets("set_difference", a, b)
    return lacking(a, b)


def symmetric_difference(a: Any = None, b: Any = None) -> SetValue:
    """``set_symmetric_difference``: the set of what is in just one of ``a`` and ``b``."""
    _need_sets("set_symmetric_difference", a, b)
    return in_one(a, b)


def _are_sets(a: Any, b: Any) -> bool:
    return type(a) is SetValue and type(b) is SetValue


def is_subset(a: Any = None, b: Any = None) -> bool:
    """``set_is_subset``: whether ``b`` has all members of ``a``."""
    return _are_sets(a, b) and within(a, b)


def is_superset(a: Any = None, b: Any = None) -> bool:
    """``set_is_superset``: whether ``a`` has all members of ``b``."""
    return _are_sets(a, b) and within(b, a)


def is_disjoint(a: Any = None, b: Any = None) -> bool:
    """``set_is_disjoint``: whether ``a`` and ``b`` have no member in common."""
    return not _are_sets(a, b) or apart(a, b)
