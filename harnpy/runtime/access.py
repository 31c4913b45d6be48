"""Reading parts of values: properties, indices, slices (language 6.4, 6.5)."""

from __future__ import annotations

from harnpy.errors import HarnError, Site, runtime_error, type_error
from harnpy.runtime.convert import key_text
from harnpy.runtime.values import (
    UNSET,
    EnumType,
    EnumValue,
    Handle,
    Namespace,
    Pair,
    RangeValue,
    StructValue,
    VariantConstructor,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def get_property(value: Any, name: str) -> Any:
    """Give ``value.name``."""
    read = PROPERTIES.get(type(value))
    if read is None:
        raise type_error(f"cannot access property `{name}` on {type_of(value)}")
    return read(value, name)


def _of_list(value: list[Any], name: str) -> Any:
    if name == "count":
        return len(value)
    if name == "empty":
        return not value
    if name == "first":
        return value[0] if value else None
    if name == "last":
        return value[-1] if value else None
    return None


def _of_string(value: str, name: str) -> Any:
    if name == "count":
        return len(value)
    return not value if name == "empty" else None


def _of_enum(value: EnumValue, name: str) -> Any:
    if name == "variant":
        return value.variant
    return list(value.fields) if name == "fields" else None


def _of_pair(value: Pair, name: str) -> Any:
    if name == "first":
        return value.first
    return value.second if name == "second" else None


def _of_enum_type(value: EnumType, name: str) -> Any:
    if name not in value.variants:
        raise runtime_error(f"enum {value.name} has no variant `{name}`")
    if value.variants[name] is None:
        return EnumValue(value, name, ())
    return VariantConstructor(value, name)


def _of_namespace(value: Namespace, name: str) -> Any:
    cell = value.cells.get(name)
    if cell is None:
        raise HarnError(f"Import error: '{name}' is not exported by {value.path}")
    if cell[0] is UNSET:
        raise HarnError(f"Undefined variable: {name} (of {value.path}, which is still being loaded)")
    return cell[0]


def _of_handle(value: Handle, name: str) -> Any:
    member = value.members.get(name)
    if member is None:
        member = value.methods.get(name)
    if member is None:
        raise type_error(f"value of type {value.type_name} has no method `{name}`")
    return member


# How each kind is read; modules of kinds that load late add theirs.
PROPERTIES: dict[type, Callable[[Any, str], Any]] = {
    dict: lambda value, name: value.get(name),
    list: _of_list,
    str: _of_string,
    StructValue: lambda value, name: value.fields.get(name),
    EnumValue: _of_enum,
    Pair: _of_pair,
    EnumType: _of_enum_type,
    Namespace: _of_namespace,
    Handle: _of_handle,
}


def get_index(value: Any, index: Any) -> Any:
    """Give ``value[index]``."""
    kind = type(value)
    if kind is dict:
        return value.get(index if type(index) is str else key_text(index))
    if type(index) is int:
        if kind is list or kind is str:
            return value[index] if -len(value) <= index < len(value) else None
        if kind is RangeValue:
            return _range_item(value, index)
    if kind is StructValue and type(index) is str:
        return value.fields.get(index)
    raise type_error(f"cannot index into {type_of(value)} with {type_of(index)}")


def _range_item(value: RangeValue, index: int) -> int:
    length = value.stop - value.start
    if not 0 <= index < length:
        raise runtime_error(f"range index out of range: index {index} for range of length {length}")
    return value.start + index


SLICED = frozenset((list, str))


def get_slice(value: Any, start: Any, end: Any) -> Any:
    """Give ``value[start:end]``; ``None`` stands for an omitted bound (see ``check_bound``)."""
    if type(value) in SLICED:
        return value[start:end]
    raise type_error(f"cannot slice {type_of(value)}")


def check_bound(which: str, bound: Any) -> int:
    """Refuse a written slice bound that is not an int."""
    if type(bound) is int:
        return bound
    raise type_error(f"slice {which} must be an integer, got {type_of(bound)}")


def property_at(value: Any, name: str, site: Site) -> Any:
    """``value.name`` at a place."""
    kind = type(value)
    if kind is StructValue:
        return value.fields.get(name)
    if kind is Handle:
        member = value.members.get(name)
        if member is not None:
            return member
    try:
        return get_property(value, name)
    except HarnError as error:
        error.locate(site)
        raise


def index_at(value: Any, index: Any, site: Site) -> Any:
    """``value[index]`` at a place."""
    try:
        return get_index(value, index)
    except HarnError as error:
        error.locate(site)
        raise


def slice_at(value: Any, bounds: dict[str, Any], site: Site) -> Any:
    """``value[start:end]`` at a place; ``bounds`` holds the written ones."""
    try:
        start, end = [check_bound(which, bounds[which]) if which in bounds else None for which in ("start", "end")]
        return get_slice(value, start, end)
    except HarnError as error:
        error.locate(site)
        raise
