"""``assert`` and its like (builtins 1.4)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.display import display
from harnpy.runtime.equality import equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _failure(message: Any, default: str) -> HarnError:
    return thrown_text(default if message is ABSENT or message is None else text(message))


def assert_true(condition: Any = None, message: Any = ABSENT) -> None:
    """``assert``: throw ``message``, or ``Assertion failed``, unless the condition is truthy."""
    if not condition:
        raise _failure(message, "Assertion failed")


def assert_eq(actual: Any = ABSENT, expected: Any = ABSENT, message: Any = ABSENT) -> None:
    """Throw ``message``, or what was expected and what came, unless both values are equal."""
    if expected is ABSENT:
        raise thrown_text("assert_eq requires at least 2 arguments")
    if not equal(actual, expected):
        raise _failure(message, f"Assertion failed: expected {display(expected)}, got {display(actual)}")


def assert_ne(first: Any = ABSENT, second: Any = ABSENT, message: Any = ABSENT) -> None:
    """Throw ``message``, or a text with the value, when both values are equal."""
    if second is ABSENT:
        raise thrown_text("assert_ne requires at least 2 arguments")
    if equal(first, second):
        raise _failure(message, f"Assertion failed: values should not be equal: {display(first)}")
