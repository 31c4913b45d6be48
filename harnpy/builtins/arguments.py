"""How builtins read their arguments: coercions and checks that many of them share (builtins 0.2)."""

from __future__ import annotations

from harnpy.errors import HarnError, runtime_error, thrown_text, type_error
from harnpy.runtime.display import display
from harnpy.runtime.values import CALLABLE_TYPES, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Absent:
    """The default of a parameter for which a missing argument differs from nil."""

    __slots__ = ()


ABSENT: Any = _Absent()

_CALLABLES = frozenset(CALLABLE_TYPES)


def text(value: Any) -> str:
    """Give a "text" argument: the display form of any value."""
    return value if type(value) is str else display(value)


def is_callable(value: Any) -> bool:
    """Tell whether ``value`` can be called."""
    return type(value) in _CALLABLES


def at_least(value: Any, least: int) -> int:
    """Give an int argument that is never below ``least``; anything else counts as ``least``."""
    return value if type(value) is int and value > least else least


def list_and_callback(name: str, items: Any, callback: Any) -> None:
    """Check the arguments of a collection function (builtins 1.7)."""
    if items is ABSENT:
        raise runtime_error(f"{name}: first argument must be a list")
    if type(items) is not list:
        raise type_error(f"{name}: first argument must be a list, got {type_of(items)}")
    if callback is ABSENT:
        raise runtime_error(f"{name}: callback is required")
    if not is_callable(callback):
        raise type_error(f"{name}: callback must be callable, got {type_of(callback)}")


def too_few(name: str, count: int) -> HarnError:
    """Make the error of a function that misses arguments."""
    return thrown_text(f"{name} requires {count} arguments")
