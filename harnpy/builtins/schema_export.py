"""Schemas to and from JSON Schema and OpenAPI (builtins 1.10)."""

from __future__ import annotations

from harnpy.builtins.schema_dialect import canonical_deep, map_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEYS = {
    "additional_properties": "additionalProperties",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min": "minimum",
    "max": "maximum",
    "union": "oneOf",
    "all_of": "allOf",
}

_TYPES = {"dict": "object", "list": "array", "int": "integer", "float": "number", "bool": "boolean", "nil": "null"}


def _exported(node: dict[str, Any], openapi: bool) -> dict[str, Any]:
    inner = map_parts(node, lambda part: _exported(part, openapi))
    result = {_KEYS.get(key, key): value for key, value in inner.items()}
    kind = node.get("type")
    if kind == "set":
        result |= {"type": "array", "uniqueItems": True}
    elif kind in _TYPES:
        result["type"] = _TYPES[kind]
    elif kind == "any":
        del result["type"]
    if node.get("nullable") is True and not openapi:
        _allow_null(result)
    return result


def _allow_null(result: dict[str, Any]) -> None:
    del result["nullable"]
    if "type" in result:
        result["type"] = [result["type"], "null"]
    if "enum" in result and None not in result["enum"]:
        result["enum"] = [*result["enum"], None]
    if "oneOf" in result:
        result["oneOf"] = [*result["oneOf"], {"type": "null"}]


def schema_to_json_schema(schema: Any = None) -> dict[str, Any]:
    """Give a schema in the words of JSON Schema, for those who know no Harn."""
    return _exported(canonical_deep(schema), openapi=False)


def schema_to_openapi_schema(schema: Any = None) -> dict[str, Any]:
    """Give a schema in the words of OpenAPI 3.0, for those who know no Harn."""
    return _exported(canonical_deep(schema), openapi=True)


def schema_from_json_schema(schema: Any = None) -> dict[str, Any]:
    """Give a JSON Schema with canonical keys; a type that may be null becomes nullable."""
    return _imported(canonical_deep(schema))


def _imported(node: dict[str, Any]) -> dict[str, Any]:
    result = map_parts(node, _imported)
    branches = result.get("union")
    if type(branches) is list and {"type": "nil"} in branches:
        rest = [branch for branch in branches if branch != {"type": "nil"}]
        result["nullable"] = True
        if len(rest) == 1 and set(rest[0]).isdisjoint(result.keys() - {"union"}):
            del result["union"]
            result |= rest[0]
        else:
            result["union"] = rest
    return result
