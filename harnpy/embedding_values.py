"""Turns values of the host into Harn values and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from harnpy.runtime.equality import key_of
from harnpy.runtime.iterators import END, Iter, Pullable
from harnpy.runtime.values import (
    CALLABLE_TYPES,
    INT_MAX,
    INT_MIN,
    Duration,
    EnumType,
    EnumValue,
    RangeValue,
    SetValue,
    StructValue,
    Value,
)

_PLAIN = (type(None), bool, float, bytes, Decimal)
_MILLISECOND = timedelta(milliseconds=1)


class Variant:
    """A value of a Harn enum: ``Result.Ok(1)`` has ``enum`` "Result", ``name`` "Ok" and ``fields`` ``(1,)``."""

    __slots__ = ("_type", "enum", "fields", "name")

    def __init__(self, type: EnumType, name: str, fields: tuple[Any, ...]) -> None:
        self._type = type
        self.enum = type.name
        self.name = name
        self.fields = fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variant) and (self.enum, self.name, self.fields) == (
            other.enum,
            other.name,
            other.fields,
        )

    def __hash__(self) -> int:
        return hash((self.enum, self.name))

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.fields))
        return f"{self.enum}.{self.name}({inner})" if self.fields else f"{self.enum}.{self.name}"

    def to_harn(self, wrap: Callable[[Any], Value]) -> EnumValue:
        """Give the Harn value again."""
        return EnumValue(self._type, self.name, tuple(to_harn(field, wrap) for field in self.fields))


def to_harn(value: Any, wrap: Callable[[Any], Value]) -> Any:
    """Give the Harn value of ``value``; ``wrap`` makes a Harn callable of a Python one.

    A dataclass becomes the dict of its fields.

    Raises:
        TypeError: Harn has no such kind of value.
        ValueError: The value nests too deeply or is out of range.
    """
    try:
        return _to_harn(value, wrap)
    except RecursionError:
        raise ValueError("the value nests too deeply, or contains itself") from None


def _to_harn(value: Any, wrap: Callable[[Any], Value]) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.isascii() else _checked(value)
    if kind in _PLAIN or isinstance(value, Value) or value is END:
        return value
    if kind is int:
        if not INT_MIN <= value <= INT_MAX:
            raise ValueError(f"{value} does not fit into Harn's 64-bit int")
        return value
    if isinstance(value, (list, tuple)):
        return [_to_harn(item, wrap) for item in value]
    if isinstance(value, Mapping):
        return _dict_to_harn(value, wrap)
    if isinstance(value, (set, frozenset)):
        items = [_to_harn(item, wrap) for item in value]
        return SetValue({key_of(item): item for item in items})
    return _other_to_harn(value, wrap)


def _dict_to_harn(value: Mapping[Any, Any], wrap: Callable[[Any], Value]) -> dict[str, Any]:
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"keys of a Harn dict are strings, not {type(key).__name__}: {key!r}")
    return {_to_harn(str(key), wrap): _to_harn(item, wrap) for key, item in value.items()}


def _checked(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"a text holds half of a surrogate pair: {text[:40]!r}") from None
    return text


def _other_to_harn(value: Any, wrap: Callable[[Any], Value]) -> Any:
    if isinstance(value, Variant):
        return value.to_harn(wrap)
    if isinstance(value, timedelta):
        return Duration(value // _MILLISECOND)
    plain: Any
    for plain in (int, float, str, bytes):  # enum members and other subclasses
        if isinstance(value, plain):
            return _to_harn(plain(value), wrap)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, range) and value.step == 1:
        return RangeValue(value.start, value.stop, exclusive=True)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _to_harn(getattr(value, field.name), wrap) for field in fields(value)}
    own = getattr(value, "harn_value", None)
    if isinstance(own, Value):
        return own
    if callable(value):
        return wrap(value)
    raise TypeError(f"Harn has no value like a {type(value).__name__}{_hint(value)}")


def _hint(value: Any) -> str:
    """Say what to hand over instead of a value that has more than one form in Harn."""
    if isinstance(value, date):
        return ": hand over its isoformat() or its timestamp()"
    if isinstance(value, Enum):
        return ": hand over its value or its name"
    if isinstance(value, Iterable):
        return ": hand over a list of its items"
    return ""


def to_python(value: Any, wrap: Callable[[Any], Any]) -> Any:
    """Give the Python value of a Harn value; ``wrap`` makes a Python object of a function or a stream.

    A struct becomes the dict of its fields, an enum value a ``Variant``, a duration a ``timedelta``, a set a list
    in its order. What Python has no form for (channels, handles) comes back as it is and may be handed in again.
    """
    try:
        return _to_python(value, wrap)
    except RecursionError:
        raise ValueError("the value nests too deeply") from None


def _to_python(value: Any, wrap: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if kind is list:
        return [_to_python(item, wrap) for item in value]
    if kind is dict:
        # Dicts are sorted when somebody looks at them.
        return {key: _to_python(value[key], wrap) for key in sorted(value)}
    if kind is StructValue:
        return {key: _to_python(item, wrap) for key, item in value.fields.items()}
    if kind is SetValue:
        return [_to_python(item, wrap) for item in value.members.values()]
    if kind is EnumValue:
        return Variant(value.type, value.variant, tuple(_to_python(field, wrap) for field in value.fields))
    if kind is Duration:
        return timedelta(milliseconds=value.ms)
    if kind is RangeValue:
        return range(value.start, value.stop)
    if kind in CALLABLE_TYPES or isinstance(value, (Iter, Pullable)):
        return wrap(value)
    return value
