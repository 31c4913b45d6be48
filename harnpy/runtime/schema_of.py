"""Types as schema values: the dict that a type alias stands for (language 13.4)."""

from __future__ import annotations

from harnpy.analysis import resolved
from harnpy.runtime.typecheck import TypeAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    LookupType = Callable[[str], Any]

_NAMES = frozenset(("string", "int", "float", "bool", "nil", "list", "dict", "set", "bytes", "closure", "number"))


def schema_of(type: resolved.Type, lookup_type: LookupType) -> dict[str, Any] | None:
    """Give the schema of ``type``, or ``None`` when it cannot be lowered."""
    return _lower(type, lookup_type, frozenset())


def _lower(type_: resolved.Type, lookup: LookupType, expanding: frozenset[int]) -> dict[str, Any] | None:
    """Give the schema; ``expanding`` are the aliases around, by identity: modules may give one name to several."""
    if isinstance(type_, resolved.TName):
        return _named(type_, lookup, expanding)
    if isinstance(type_, resolved.TLiteral):
        return _literal(type_.value)
    if isinstance(type_, resolved.TUnion):
        return _union(type_, lookup, expanding)
    if isinstance(type_, resolved.TBoth):
        parts = [part for part in [_lower(member, lookup, expanding) for member in type_.members] if part is not None]
        return {"all_of": parts} if parts else None
    if isinstance(type_, resolved.TShape):
        return _shape(type_, lookup, expanding)
    return {"type": "closure"}


def _named(type_: resolved.TName, lookup: LookupType, expanding: frozenset[int]) -> dict[str, Any] | None:
    name = type_.name
    if name in _NAMES:
        schema: dict[str, Any] = {"type": name}
        item = _lower(type_.args[-1], lookup, expanding) if type_.args else None
        if item is not None:
            schema["additional_properties" if name == "dict" else "items"] = item
        return schema
    if name == "owned" and type_.args:
        return _lower(type_.args[0], lookup, expanding)
    found = lookup(name)
    if not isinstance(found, TypeAlias) or found.type is None or id(found.type) in expanding:
        return None
    return _lower(found.type, found.lookup, expanding | {id(found.type)})


def _literal(value: str | int | bool | None) -> dict[str, Any]:
    if value is None:
        return {"type": "nil"}
    return {"type": _literal_kind(value), "const": value}


def _literal_kind(value: object) -> str:
    return {str: "string", int: "int", bool: "bool"}[type(value)]


def _union(type_: resolved.TUnion, lookup: LookupType, expanding: frozenset[int]) -> dict[str, Any] | None:
    values = [member.value for member in type_.members if isinstance(member, resolved.TLiteral)]
    kinds = {type(value) for value in values}
    if len(values) == len(type_.members) and kinds in ({str}, {int}):
        return {"type": _literal_kind(values[0]), "enum": values}
    branches = [_lower(member, lookup, expanding) for member in type_.members]
    known = [branch for branch in branches if branch is not None]
    return {"union": known} if known else None


def _shape(type_: resolved.TShape, lookup: LookupType, expanding: frozenset[int]) -> dict[str, Any]:
    properties = {}
    for name, field_type, _ in type_.fields:
        schema = _lower(field_type, lookup, expanding)
        properties[name] = {} if schema is None else schema
    required = [name for name, _, optional in type_.fields if not optional]
    shape: dict[str, Any] = {"type": "dict", "properties": properties}
    if required:
        shape["required"] = required
    return shape
