"""Conversions between the simple kinds (builtins 0.2, 1.2)."""

from __future__ import annotations

from harnpy.runtime.display import display
from harnpy.runtime.values import INT_MAX, INT_MIN, is_decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Unicode White_Space; Python's strip() would also remove U+001C to U+001F.
WHITESPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def key_text(value: Any) -> str:
    """Give the dict key that ``value`` stands for."""
    return value if type(value) is str else display(value)


def fit(number: int) -> int | float:
    """Give ``number`` when it has 64 bits, else the nearest float."""
    return number if INT_MIN <= number <= INT_MAX else float(number)


def wrap(number: int) -> int:
    """Wrap ``number`` to signed 64 bits."""
    return (number - INT_MIN) % 2**64 + INT_MIN


def int_option(value: Any, default: int) -> int:
    """Give ``value`` when it is an int; anything else counts as absent."""
    return value if type(value) is int else default


def to_int(value: Any) -> int | None:
    """Convert to int as the builtin ``to_int`` does, or give ``None``."""
    kind = type(value)
    if kind is int:
        return value  # type: ignore[no-any-return]
    if kind is bool:
        return 1 if value else 0
    if kind is str:
        return int_from_text(value.strip(WHITESPACE))
    if kind is float or is_decimal(value):
        if not -1e19 < value < 1e19:
            return None
        number = int(value)
        return number if INT_MIN <= number <= INT_MAX else None
    return None


def int_from_text(text: str) -> int | None:
    """Read a whole decimal int with an optional sign, or give ``None``."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits.lstrip("0")) > 19:
        return None
    number = int(digits.lstrip("0") or "0")
    if text[0] == "-":
        number = -number
    return number if INT_MIN <= number <= INT_MAX else None


def to_float(value: Any) -> float | None:
    """Convert to float as the builtin ``to_float`` does, or give ``None``."""
    kind = type(value)
    if kind is float:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return float(value)
    if kind is str:
        text = value.strip(WHITESPACE)
        if "_" in text or not text.isascii():
            return None
        try:
            return float(text)
        except ValueError:
            return None
    return float(value) if is_decimal(value) else None
