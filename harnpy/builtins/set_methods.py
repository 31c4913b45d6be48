"""Methods of sets (builtins 2.4)."""

from __future__ import annotations

from harnpy.builtins import sets
from harnpy.builtins.arguments import is_callable
from harnpy.runtime.calls import call
from harnpy.runtime.equality import key_of, make_set
from harnpy.runtime.values import SetValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def length(target: SetValue) -> int:
    """Count the members."""
    return len(target.members)


def empty(target: SetValue) -> bool:
    """Tell whether there are no members."""
    return not target.members


def contains(target: SetValue, value: Any = None) -> bool:
    """Tell whether there is a member equal to ``value``."""
    return key_of(value) in target.members


def adding(target: SetValue, value: Any = None) -> SetValue:
    """Give a set with one member more."""
    return sets.with_member(target, value)


def removing(target: SetValue, value: Any = None) -> SetValue:
    """Give a set without a member."""
    return sets.without_member(target, value)


def union(target: SetValue, other: Any = None) -> SetValue:
    """Give what is in one of both."""
    return sets.united(target, other) if type(other) is SetValue else target


def intersect(target: SetValue, other: Any = None) -> SetValue:
    """Give what is in both."""
    return sets.common(target, other) if type(other) is SetValue else SetValue({})


def difference(target: SetValue, other: Any = None) -> SetValue:
    """Give what is only in this set."""
    return sets.lacking(target, other) if type(other) is SetValue else target


def symmetric_difference(target: SetValue, other: Any = None) -> SetValue:
    """Give what is in just one of both."""
    return sets.in_one(target, other) if type(other) is SetValue else target


def is_subset(target: SetValue, other: Any = None) -> bool:
    """Tell whether the other set has all members."""
    return sets.is_subset(target, other)


def is_superset(target: SetValue, other: Any = None) -> bool:
    """Tell whether this set has all members of the other."""
    return sets.is_superset(target, other)


def is_disjoint(target: SetValue, other: Any = None) -> bool:
    """Tell whether both have no member in common."""
    return sets.is_disjoint(target, other)


def to_list(target: SetValue) -> list[Any]:
    """Give the members as a list."""
    return list(target.members.values())


def to_set(target: SetValue) -> SetValue:
    """Give the set itself."""
    return target


def mapped(ctx: Context, target: SetValue, function: Any = None) -> SetValue | None:
    """``map``: the set of the results of a function."""
    if not is_callable(function):
        return None
    return make_set([call(ctx, function, [item]) for item in target.members.values()])


def filtered(ctx: Context, target: SetValue, test: Any = None) -> SetValue | None:
    """``filter``: the members that pass a test."""
    if not is_callable(test):
        return None
    return SetValue({key: item for key, item in target.members.items() if call(ctx, test, [item])})


def some(ctx: Context, target: SetValue, test: Any = None) -> bool:
    """``any``: whether a member passes a test."""
    if is_callable(test):
        for item in target.members.values():
            if call(ctx, test, [item]):
                return True
    return False


def every(ctx: Context, target: SetValue, test: Any = None) -> bool:
    """``all``: whether all members pass a test."""
    if is_callable(test):
        for item in target.members.values():
            if not call(ctx, test, [item]):
                return False
    return True
