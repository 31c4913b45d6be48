"""The arithmetic operators on any values (language 6.1); the compiled nodes call them where no inline path fits."""

from __future__ import annotations

from math import copysign, fmod, inf, isinf, nan

from harnpy.errors import HarnError, Site, runtime_error, type_error
from harnpy.runtime.convert import fit
from harnpy.runtime.equality import contains
from harnpy.runtime.values import INT_MAX, INT_MIN, Duration, is_decimal, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Operator = Callable[[Any, Any], Any]

DIVISION_BY_ZERO = "Division by zero"

# The longest text that repetition makes; more is a mistake of the program, not a need.
LONGEST_TEXT = 2**28

_NUMBERS = frozenset((int, float))


def add(left: Any, right: Any) -> Any:
    """``left + right``."""
    kind = type(left)
    other = type(right)
    if kind is other:
        if kind is str or kind is float or kind is list:
            return left + right
        if kind is int:
            return fit(left + right)
        if kind is dict:
            return left | right
        if kind is Duration:
            return _duration(left.ms + right.ms)
    if kind in _NUMBERS and other in _NUMBERS:
        return left + right
    if _exact(left, right):
        return _calculate("+", left, right)
    raise type_error(f"Cannot add {type_of(left)} and {type_of(right)}")


def subtract(left: Any, right: Any) -> Any:
    """``left - right``."""
    kind = type(left)
    other = type(right)
    if kind in _NUMBERS and other in _NUMBERS:
        result = left - right
        return fit(result) if type(result) is int else result
    if kind is Duration and other is Duration:
        return _duration(left.ms - right.ms)
    if _exact(left, right):
        return _calculate("-", left, right)
    raise type_error(f"Cannot subtract {type_of(right)} from {type_of(left)}")


def multiply(left: Any, right: Any) -> Any:
    """``left * right``."""
    kind = type(left)
    other = type(right)
    if kind in _NUMBERS and other in _NUMBERS:
        result = left * right
        return fit(result) if type(result) is int else result
    if kind is str and other is int:
        return _repeat(left, right)
    if kind is int and other is str:
        return _repeat(right, left)
    if kind is Duration and other is int:
        return _duration(left.ms * right)
    if kind is int and other is Duration:
        return _duration(left * right.ms)
    if _exact(left, right):
        return _calculate("*", left, right)
    raise type_error(f"Cannot multiply {type_of(left)} and {type_of(right)}")


def divide(left: Any, right: Any) -> Any:
    """``left / right``: ints truncate toward zero, floats follow IEEE 754."""
    kind = type(left)
    other = type(right)
    if kind is int and other is int:
        if right == 0:
            raise HarnError(DIVISION_BY_ZERO)
        quotient = abs(left) // abs(right)
        return fit(quotient if (left < 0) == (right < 0) else -quotient)
    if kind in _NUMBERS and other in _NUMBERS:
        return _divide_floats(float(left), float(right))
    if _exact(left, right):
        if right == 0:
            raise HarnError(DIVISION_BY_ZERO)
        return _calculate("/", left, right)
    raise runtime_error(f"Cannot divide {type_of(left)} by {type_of(right)}")


def _divide_floats(left: float, right: float) -> float:
    if right != 0.0:
        return left / right
    if left == 0.0 or left != left:
        return nan
    return copysign(inf, left) * copysign(1.0, right)


def modulo(left: Any, right: Any) -> Any:
    """``left % right``: the sign is that of the dividend."""
    kind = type(left)
    other = type(right)
    if kind in _NUMBERS and other in _NUMBERS:
        if right == 0:
            raise HarnError(DIVISION_BY_ZERO)
        if kind is int and other is int:
            rest = abs(left) % abs(right)
            return -rest if left < 0 else rest
        return nan if isinf(left) else fmod(left, right)
    if _exact(left, right):
        if right == 0:
            raise HarnError(DIVISION_BY_ZERO)
        return _calculate("%", left, right)
    raise runtime_error(f"Cannot modulo {type_of(left)} by {type_of(right)}")


def power(left: Any, right: Any) -> Any:
    """``left ** right``."""
    kind = type(left)
    other = type(right)
    if kind not in _NUMBERS or other not in _NUMBERS:
        raise runtime_error(f"Cannot exponentiate {type_of(left)} by {type_of(right)}")
    if kind is int and other is int and right >= 0:
        if -2 < left < 2:
            return left ** (2 - right % 2) if right else 1
        if right < 64:
            return fit(left**right)
    return _power_floats(float(left), float(right))


def _power_floats(base: float, exponent: float) -> float:
    odd = exponent % 2.0 == 1.0
    if base == 0.0 and exponent < 0.0:
        return copysign(inf, base) if odd else inf
    try:
        result = base**exponent
    except OverflowError:
        return -inf if base < 0.0 and odd else inf
    return nan if type(result) is complex else result


def negate(value: Any) -> Any:
    """``-value``."""
    kind = type(value)
    if kind is int:
        return fit(-value)
    if kind is float:
        return -value
    if kind is Duration:
        return _duration(-value.ms)
    if is_decimal(value):
        return _calculate("-", 0, value)  # Python's own sign would round to 28 digits
    raise runtime_error(f"Cannot negate value of type {type_of(value)}")


def _exact(left: Any, right: Any) -> bool:
    """Tell whether this is decimal arithmetic: two decimals, or one and an int."""
    if is_decimal(left):
        return type(right) is int or is_decimal(right)
    return type(left) is int and is_decimal(right)


def _calculate(op: str, left: Any, right: Any) -> Any:
    from harnpy.runtime.operators_decimal import calculate

    return calculate(op, left, right)


def _duration(ms: int) -> Duration:
    return Duration(min(max(ms, INT_MIN), INT_MAX))


def _repeat(text: str, count: int) -> str:
    if count * len(text) > LONGEST_TEXT:
        raise runtime_error(f"string repetition gives more than {LONGEST_TEXT} code points")
    return text * count


def within(item: Any, container: Any) -> bool:
    """``item in container``."""
    return contains(container, item)


def not_within(item: Any, container: Any) -> bool:
    """``item not in container``."""
    return not contains(container, item)


BINARY: dict[str, Operator] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": modulo,
    "**": power,
}


def placed(operator: Operator) -> Callable[[Any, Any, Site], Any]:
    """Give ``operator`` with the place of its node, for its errors."""

    def operate(left: Any, right: Any, site: Site) -> Any:
        try:
            return operator(left, right)
        except HarnError as error:
            error.locate(site)
            raise

    return operate


def negate_at(value: Any, site: Site) -> Any:
    """``-value`` at a place."""
    try:
        return negate(value)
    except HarnError as error:
        error.locate(site)
        raise
