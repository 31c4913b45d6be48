"""Numeric functions (builtins 1.8); an argument that is no number gives nil."""

from __future__ import annotations

import math

from harnpy.errors import runtime_error
from harnpy.runtime.convert import fit
from harnpy.runtime.values import INT_MAX, INT_MIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NUMBERS = frozenset((int, float))
_NAN = math.nan
_INFINITY = math.inf


def _is_number(value: Any) -> bool:
    return type(value) in _NUMBERS


def absolute(number: Any = None) -> int | float | None:
    """``abs``: a number without its sign; nil for what is no number."""
    if not _is_number(number):
        return None
    return fit(abs(number)) if type(number) is int else abs(number)


def _picked(first: Any, second: Any, pick: Callable[[Any, Any], Any]) -> int | float | None:
    if not (_is_number(first) and _is_number(second)):
        return None
    if type(first) is int and type(second) is int:
        return pick(first, second)  # type: ignore[no-any-return]
    left, right = float(first), float(second)
    # A NaN does not win over a number.
    if left != left or right != right:
        return right if left != left else left
    return pick(left, right)  # type: ignore[no-any-return]


def lesser(first: Any = None, second: Any = None) -> int | float | None:
    """``min``: the lesser of two numbers; nil when one of them is no number."""
    return _picked(first, second, lambda a, b: b if b < a else a)


def greater(first: Any = None, second: Any = None) -> int | float | None:
    """``max``: the greater of two numbers; nil when one of them is no number."""
    return _picked(first, second, lambda a, b: b if b > a else a)


def _whole(number: Any, rounded: Callable[[float], int]) -> int | None:
    if type(number) is not float:
        return number if type(number) is int else None
    if not math.isfinite(number):
        raise runtime_error("cannot convert non-finite float to int")
    result = rounded(number)
    if not INT_MIN <= result <= INT_MAX:
        raise runtime_error("float is outside the representable int range")
    return result


def floor(number: Any = None) -> int | None:
    """Round down to the next int; nil for what is no finite number or does not fit into 64 bits."""
    return _whole(number, math.floor)


def ceil(number: Any = None) -> int | None:
    """Round up to the next int; nil for what is no finite number or does not fit into 64 bits."""
    return _whole(number, math.ceil)


def round_half_away(number: Any = None) -> int | None:
    """``round``: to the nearest int, halves away from zero; nil for what is no finite number."""
    return _whole(number, _nearest)


def _nearest(number: float) -> int:
    whole = math.trunc(number)
    # The difference is exact, unlike `number + 0.5`.
    if abs(number - whole) >= 0.5:
        whole += 1 if number > 0 else -1
    return whole


def power(base: Any = None, exponent: Any = None) -> int | float | None:
    """``pow``: an int when both are ints, the exponent is not negative and the result fits."""
    if not (_is_number(base) and _is_number(exponent)):
        return None
    if type(base) is int and type(exponent) is int and exponent >= 0:
        small = base in (0, 1, -1) or exponent < 64
        result = base ** (exponent if exponent < 64 else 2 + exponent % 2) if small else INT_MAX + 1
        if small and INT_MIN <= result <= INT_MAX:
            return result
    return _float_power(float(base), float(exponent))


def _float_power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -_INFINITY if base < 0 and exponent % 2 == 1 else _INFINITY
    except ValueError:
        # A zero to a negative power is a pole, a negative base with a fraction has no real power.
        if base != 0:
            return _NAN
        odd = exponent % 2 == 1
        return math.copysign(_INFINITY, base) if odd else _INFINITY


def _real(number: Any, function: Callable[[float], float]) -> float | None:
    if not _is_number(number):
        return None
    try:
        return function(float(number))
    except ValueError:
        return _NAN
    except OverflowError:
        return _INFINITY


def sqrt(number: Any = None) -> float | None:
    """Give the square root as a float, NaN of a negative number; nil for what is no number."""
    return _real(number, math.sqrt)


def sin(number: Any = None) -> float | None:
    """Give the sine of an angle in radians; nil for what is no number."""
    return _real(number, math.sin)


def cos(number: Any = None) -> float | None:
    """Give the cosine of an angle in radians; nil for what is no number."""
    return _real(number, math.cos)


def tan(number: Any = None) -> float | None:
    """Give the tangent of an angle in radians; nil for what is no number."""
    return _real(number, math.tan)


def asin(number: Any = None) -> float | None:
    """Give the arc sine in radians; nil for what is no number."""
    return _real(number, math.asin)


def acos(number: Any = None) -> float | None:
    """Give the arc cosine in radians; nil for what is no number."""
    return _real(number, math.acos)


def atan(number: Any = None) -> float | None:
    """Give the arc tangent in radians; nil for what is no number."""
    return _real(number, math.atan)


def _logarithm(number: Any, function: Callable[[float], float]) -> float | None:
    if _is_number(number) and number == 0:
        return -_INFINITY
    return _real(number, function)


def log2(number: Any = None) -> float | None:
    """Give the logarithm to base 2; nil for what is no number."""
    return _logarithm(number, math.log2)


def log10(number: Any = None) -> float | None:
    """Give the logarithm to base 10; nil for what is no number."""
    return _logarithm(number, math.log10)


def ln(number: Any = None) -> float | None:
    """Give the natural logarithm; nil for what is no number."""
    return _logarithm(number, math.log)


def exp(number: Any = None) -> float | None:
    """Give e to the power of a number; nil for what is no number."""
    return _real(number, math.exp)


def atan2(y: Any = None, x: Any = None) -> float | None:
    """Give the angle of the point (x, y) in radians; nil for what is no number."""
    return math.atan2(y, x) if _is_number(y) and _is_number(x) else None


def sign(number: Any = None) -> int | float | None:
    """Give -1, 0 or 1 by the sign of a number, NaN for NaN; nil for what is no number."""
    if not _is_number(number):
        return None
    if number != number:
        return _NAN
    return 1 if number > 0 else -1 if number < 0 else 0


def is_nan(number: Any = None) -> bool:
    """Tell whether a value is the float NaN."""
    return type(number) is float and math.isnan(number)


def is_infinite(number: Any = None) -> bool:
    """Tell whether a value is an infinite float."""
    return type(number) is float and math.isinf(number)
