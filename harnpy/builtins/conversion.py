"""Kinds, conversions and identity (builtins 1.2)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import runtime_error, thrown_text, type_error
from harnpy.runtime import convert
from harnpy.runtime.display import display
from harnpy.runtime.equality import same
from harnpy.runtime.values import Closure, Pair, RangeValue, SetValue, is_decimal, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SIZED = frozenset((str, bytes, list, dict))


def kind(value: Any = None) -> str:
    """``type_of``: the name of the kind of a value: ``nil bool int float string list dict set range closure`` and so
    on.
    """
    return type_of(value)


def to_text(value: Any = "") -> str:
    """``to_string``: the display form of a value, as ``println`` shows it."""
    return text(value)


def to_integer(value: Any = None) -> int | None:
    """``to_int``: an int, or nil. Texts are trimmed and must be a whole number; floats and decimals lose their
    fraction.
    """
    return convert.to_int(value)


def to_number(value: Any = None) -> float | None:
    """``to_float``: a float, or nil. Texts are trimmed; ``inf``, ``nan`` and exponents are read."""
    return convert.to_float(value)


def to_list(value: Any = None) -> list[Any]:
    """Give the items of a set or list; any other value, nil too, becomes a list of one."""
    if type(value) is SetValue:
        return list(value.members.values())
    return value if type(value) is list else [value]


def decimal(value: Any = None) -> Any:
    """Make an exact decimal of an int, float or text. Errors: throws a text for what is no number."""
    from decimal import Decimal, InvalidOperation

    if is_decimal(value):
        return value
    if type(value) is int:
        return Decimal(value)
    if type(value) is not str and type(value) is not float:
        raise thrown_text(f"decimal: cannot convert {type_of(value)} to a decimal")
    source = display(value).strip(convert.WHITESPACE)
    try:
        number = Decimal(source) if "_" not in source else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite():
        raise thrown_text(f'decimal: cannot parse "{display(value)}" as a decimal')
    return number


def length(value: Any = None) -> int | float:
    """``len``: code points of a text, bytes, items, members or entries; 0 for every other kind."""
    if type(value) in _SIZED:
        return len(value)
    if type(value) is SetValue:
        return len(value.members)
    if type(value) is RangeValue:
        return convert.fit(value.stop - value.start)
    return 0


def is_same(first: Any = None, second: Any = None) -> bool:
    """Tell whether both are the same object, or equal values of a kind without identity."""
    return same(first, second)


def addr_of(value: Any = None) -> str:
    """Give a text that is stable for one identity; equal primitives give equal text."""
    if type(value) in (list, dict, SetValue, Closure, Pair):
        return f"{type_of(value)}@{id(value):x}"
    from harnpy.builtins.hash_values import hash_value

    return f"{type_of(value)}@{hash_value(value) % 2**64:x}"


def unreachable(*values: Any) -> None:
    """Throw ``unreachable code was reached``, with the display form of a value if one is given."""
    detail = f": {display(values[0])}" if values else ""
    raise runtime_error(f"unreachable code was reached{detail}")


def make_pair(*items: Any) -> Pair:
    """``pair``: two values as one, with ``.first`` and ``.second``. Errors: throws unless there are two arguments."""
    if len(items) != 2:
        raise type_error(f"pair: expected 2 arguments, got {len(items)}")
    return Pair(*items)
