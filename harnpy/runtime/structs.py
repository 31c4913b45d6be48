"""Construction of struct values: required fields, types, unknown fields kept (language 12.2)."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site, type_error
from harnpy.runtime.display import display
from harnpy.runtime.templates import share
from harnpy.runtime.values import StructType, StructValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.templates import Builder


def build_struct(struct: StructType, value: Any) -> StructValue:
    """Build a value of ``struct`` from the dict ``value``.

    An optional field that is absent or nil is left as it is; reading an absent one gives nil.

    Raises:
        HarnError: a type error without place for a value that is no dict, a missing field, or one of the wrong type.
    """
    if type(value) is not dict:
        raise type_error(f"struct '{struct.name}' is built from a dict, got {type_of(value)}")
    check_fields(struct, value)
    return StructValue(struct, value.copy())


def check_fields(struct: StructType, value: dict[str, Any]) -> None:
    """Refuse fields that are missing or of the wrong type."""
    if struct.complete is not None:
        struct.fields = struct.complete()
        struct.complete = None
    for name, checker, optional in struct.fields:
        if name not in value:
            if not optional:
                raise type_error(f"struct '{struct.name}': missing field '{name}'{_type_text(checker)}")
        elif checker is not None and type(value[name]) not in checker.kinds and not checker.accepts(value[name]):
            if optional and value[name] is None:
                continue
            raise checker.field_error(struct.name, name, value[name])


def _type_text(checker: Any) -> str:
    return "" if checker is None else f" ({checker.text})"


def struct_at(struct: Any, fields: dict[str, Any], site: Site) -> StructValue:
    """Build the value of ``Name {...}`` at a place; nobody else holds ``fields``."""
    try:
        if type(struct) is not StructType:
            raise type_error(f"Cannot call {display(struct)}")
        check_fields(struct, fields)
        return StructValue(struct, fields)
    except HarnError as error:
        error.locate(site)
        raise


def _emit_struct(b: Builder, node: r.StructInit) -> str:
    struct, fields = b.values([node.struct, r.DictOf(node.span, node.entries)])
    return f"struct_at({struct}, {fields}, {b.bind(b.compiler.site(node))})"


share(struct_at=struct_at)

EMITTERS: dict[type, Callable[[Builder, Any], str]] = {r.StructInit: _emit_struct}
