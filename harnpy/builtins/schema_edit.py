"""Schemas made from schemas: extend, partial, pick, omit (builtins 1.10)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.builtins.schema_dialect import canonical_deep, map_parts
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def schema_extend(base: Any = None, extension: Any = None) -> dict[str, Any]:
    """Give a schema with the keys of ``extension`` laid over those of ``base``, which they replace."""
    return {**canonical_deep(base), **canonical_deep(extension)}


def schema_partial(schema: Any = None) -> dict[str, Any]:
    """Give a schema in which no property has to be there, at any depth."""
    return _partial(canonical_deep(schema))


def _partial(node: dict[str, Any]) -> dict[str, Any]:
    result = map_parts(node, _partial)
    result.pop("required", None)
    return result


def _filtered(name: str, schema: Any, keys: Any, keep: Callable[[bool], bool]) -> dict[str, Any]:
    node = canonical_deep(schema)
    if type(keys) is not list:
        raise thrown_text(f"{name}: keys must be a list")
    named = {text(key) for key in keys}
    properties, required = node.get("properties"), node.get("required")
    if type(properties) is dict:
        node["properties"] = {key: properties[key] for key in properties if keep(key in named)}
    if type(required) is list:
        node["required"] = [key for key in required if keep(text(key) in named)]
    return node


def schema_pick(schema: Any = None, keys: Any = None) -> dict[str, Any]:
    """Give a dict schema with only the properties in the list ``keys``."""
    return _filtered("schema_pick", schema, keys, lambda named: named)


def schema_omit(schema: Any = None, keys: Any = None) -> dict[str, Any]:
    """Give a dict schema without the properties in the list ``keys``."""
    return _filtered("schema_omit", schema, keys, lambda named: not named)
