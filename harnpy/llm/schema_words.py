"""Writes a schema in the words of the language as the JSON Schema that providers take (llm 3.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

_TYPES = {
    "dict": "object", "list": "array", "int": "integer", "float": "number", "bool": "boolean", "nil": "null",
}  # fmt: skip
_KEYS = {
    "additional_properties": "additionalProperties", "min_items": "minItems", "max_items": "maxItems",
    "min_length": "minLength", "max_length": "maxLength", "min": "minimum", "max": "maximum", "union": "anyOf",
    "all_of": "allOf",
}  # fmt: skip
_NAMED = ("properties", "$defs", "definitions", "patternProperties")
_ONE = ("items", "additionalProperties", "not")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
_DEPTH_LIMIT = 200


def json_schema(schema: Schema) -> Schema:
    """Give the JSON Schema of ``schema``; one that is JSON Schema already keeps all its words."""
    result: Schema = _node(schema, 0)
    return result


def _node(schema: Any, depth: int) -> Any:
    if type(schema) is not dict or depth > _DEPTH_LIMIT:
        return schema
    result: Schema = {}
    items: Any = schema.items()
    for key, value in items:
        name: str = _KEYS.get(key, key)
        result[name] = _part(name, value, depth + 1)
    if result.get("type") == "any":
        del result["type"]
    return result


def _part(name: str, value: Any, depth: int) -> Any:
    if name == "type":
        return [_word(item) for item in value] if type(value) is list else _word(value)
    if name in _NAMED and type(value) is dict:
        return {key: _node(part, depth) for key, part in value.items()}
    if name in _ONE:
        return _node(value, depth)
    if name in _SEVERAL and type(value) is list:
        return [_node(part, depth) for part in value]
    return value


def _word(name: Any) -> Any:
    return _TYPES.get(name, name) if type(name) is str else name
