"""The display form of every value (language 5.3)."""

from __future__ import annotations

from harnpy.errors import runtime_error
from harnpy.runtime.values import (
    Builtin,
    Closure,
    Duration,
    EnumType,
    EnumValue,
    Handle,
    Namespace,
    Pair,
    RangeValue,
    SetValue,
    StructType,
    StructValue,
    VariantConstructor,
    is_decimal,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BYTES_SHOWN = 32
# A list that holds one list many times over can be small and have a text beyond any memory.
_MAX_PARTS = 20_000_000


def display(value: Any) -> str:
    """Give the display form of ``value``; nesting of any depth is fine."""
    show = _FLAT.get(type(value))
    if show is not None:
        return show(value)
    # Strings are shown raw, so brackets and separators wait among the values as strings do.
    parts: list[str] = []
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        kind = type(item)
        if kind is str:
            parts.append(item)
            continue
        show = _FLAT.get(kind)
        if show is not None:
            parts.append(show(item))
            continue
        unfold = _NESTED.get(kind)
        if unfold is not None:
            if len(parts) > _MAX_PARTS:
                raise runtime_error("the value is too large to be shown")
            pending.extend(reversed(unfold(item)))
        else:
            parts.append(_other(item))
    return "".join(parts)


def float_text(x: float) -> str:
    """Give the shortest digits of ``x`` that round-trip, never in exponent form."""
    text = repr(x)
    if "e" in text:
        return _expanded(text)
    if text.endswith(".0"):
        return text if -1e15 < x < 1e15 else text[:-2]
    return "NaN" if text == "nan" else text


def _expanded(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa[0] == "-" else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return sign + digits.ljust(point, "0")


def duration_text(ms: int) -> str:
    """Give a duration in the largest unit that divides it exactly."""
    for unit, name in ((3_600_000, "h"), (60_000, "m"), (1000, "s")):
        if ms and ms % unit == 0:
            return f"{ms // unit}{name}"
    return f"{ms}ms"


def _bytes_text(value: bytes) -> str:
    rest = len(value) - _BYTES_SHOWN
    more = f"...+{rest}" if rest > 0 else ""
    return f'b"{value[:_BYTES_SHOWN].hex()}{more}"'


def _closure_text(value: Closure) -> str:
    return f"<fn({', '.join([param.name for param in value.code.function.params])})>"


def _range_text(value: RangeValue) -> str:
    return f"{value.start} to {value.end}" + (" exclusive" if value.exclusive else "")


def _other(value: Any) -> str:
    text = getattr(value, "display_text", None)
    if text is not None:
        return str(text())
    return format(value, "f") if is_decimal(value) else f"<{type_of(value)}>"


def _sequence(opening: str, items: Any, closing: str) -> list[Any]:
    parts = [opening]
    for item in items:
        parts.append(item)
        parts.append(", ")
    if len(parts) > 1:
        parts.pop()
    parts.append(closing)
    return parts


def _dict_parts(value: dict[str, Any], opening: str = "{") -> list[Any]:
    parts = [opening]
    for key in sorted(value):
        parts += (key, ": ", value[key], ", ")
    if len(parts) > 1:
        parts.pop()
    parts.append("}")
    return parts


def _enum_parts(value: EnumValue) -> list[Any]:
    name = f"{value.type.name}.{value.variant}"
    return _sequence(name + "(", value.fields, ")") if value.fields else [name]


_FLAT: dict[type, Callable[[Any], str]] = {
    str: lambda value: value,
    int: str,
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "nil",
    float: float_text,
    bytes: _bytes_text,
    Duration: lambda value: duration_text(value.ms),
    RangeValue: _range_text,
    Closure: _closure_text,
    Builtin: lambda value: f"<builtin {value.name}>",
    VariantConstructor: lambda value: f"<builtin {value.type.name}.{value.variant}>",
    StructType: lambda value: f"<struct {value.name}>",
    EnumType: lambda value: f"<enum {value.name}>",
    Namespace: lambda value: f"<namespace {value.path}>",
    Handle: lambda value: f"<{value.type_name}>",
}

_NESTED: dict[type, Callable[[Any], list[Any]]] = {
    list: lambda value: _sequence("[", value, "]"),
    dict: _dict_parts,
    SetValue: lambda value: _sequence("set(", value.members.values(), ")"),
    Pair: lambda value: ["(", value.first, ", ", value.second, ")"],
    StructValue: lambda value: _dict_parts(value.fields, f"{value.type.name} {{"),
    EnumValue: _enum_parts,
}
