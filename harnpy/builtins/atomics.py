"""Functions of atomics (builtins 1.13)."""

from __future__ import annotations

from harnpy.runtime.atomics import Atomic
from harnpy.runtime.convert import wrap
from harnpy.runtime.values import INT_MAX, INT_MIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def atomic(initial: Any = 0) -> Atomic:
    """Make a cell with a 64-bit int that tasks and closures share; a float is truncated, a bool counts 1 or 0, others
    0.
    """
    kind = type(initial)
    if kind is int or kind is bool:
        return Atomic(int(initial))
    return Atomic(_truncated(initial) if kind is float else 0)


def _truncated(number: float) -> int:
    if number != number:
        return 0
    return max(INT_MIN, min(INT_MAX, int(max(-1e300, min(1e300, number)))))


def atomic_get(cell: Any = None) -> int | None:
    """Give the value of a cell, or nil for what is no atomic."""
    return cell.value if type(cell) is Atomic else None


def atomic_set(cell: Any = None, value: Any = None) -> int | None:
    """Write an int; gives the previous value, or nil when cell or value are of the wrong kind."""
    if type(cell) is not Atomic or type(value) is not int:
        return None
    previous = cell.value
    cell.value = value
    return previous


def atomic_add(cell: Any = None, delta: Any = None) -> int | None:
    """Add an int in one step, wrapping at 64 bits; gives the previous value, or nil for wrong kinds."""
    if type(cell) is not Atomic or type(delta) is not int:
        return None
    previous = cell.value
    cell.value = wrap(previous + delta)
    return previous


def atomic_cas(cell: Any = None, expected: Any = None, new: Any = None) -> bool:
    """Write ``new`` if the value is ``expected``, in one step; tells whether it was written."""
    if type(cell) is not Atomic or type(expected) is not int or type(new) is not int or cell.value != expected:
        return False
    cell.value = new
    return True
