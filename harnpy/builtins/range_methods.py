"""Methods of ranges that need no iterator (builtins 2.5)."""

from __future__ import annotations

from harnpy.runtime import equality
from harnpy.runtime.convert import fit
from harnpy.runtime.display import display
from harnpy.runtime.values import RangeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def length(span: RangeValue) -> int | float:
    """Count the ints; more than 64 bits hold are a float, as in a sum."""
    return fit(span.stop - span.start)


def empty(span: RangeValue) -> bool:
    """Tell whether there are none."""
    return span.stop == span.start


def contains(span: RangeValue, value: Any = None) -> bool:
    """Tell whether an int lies in the range."""
    return equality.contains(span, value)


def first(span: RangeValue) -> int | None:
    """Give the first int, or nil."""
    return None if empty(span) else span.start


def last(span: RangeValue) -> int | None:
    """Give the last int, or nil."""
    return None if empty(span) else span.stop - 1


def to_string(span: RangeValue) -> str:
    """Give the display form."""
    return display(span)
