"""The schema dialect: other spellings turned into the canonical keys (builtins 1.10)."""

from __future__ import annotations

from harnpy.errors import HarnError, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_KEYS = {
    "additionalProperties": "additional_properties",
    "minItems": "min_items",
    "maxItems": "max_items",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minimum": "min",
    "maximum": "max",
    "oneOf": "union",
    "anyOf": "union",
    "allOf": "all_of",
}

_TYPES = {"object": "dict", "array": "list", "integer": "int", "number": "number", "boolean": "bool", "null": "nil"}


def malformed(text: str) -> HarnError:
    """Make the error of a schema that is none."""
    return thrown_text(text)


def type_name(name: Any) -> Any:
    """Give the canonical name of a type."""
    return _TYPES.get(name, name) if type(name) is str else name


def canonical(schema: Any) -> dict[str, Any]:
    """Give one schema node with canonical keys; what lies below it stays as it is.

    Raises:
        HarnError: the schema is no dict, or a list of branches is no list.
    """
    if type(schema) is not dict:
        raise malformed("schema must be a dict")
    node: dict[str, Any] = {}
    for key in sorted(schema):
        name = _KEYS.get(key, key)
        # A canonical spelling wins over another one beside it.
        if name == key or name not in schema:
            node[name] = schema[key]
    for name in ("union", "all_of"):
        if name in node and type(node[name]) is not list:
            raise malformed("schema union/all_of must be a list")
    _settle_type(node)
    return node


def _settle_type(node: dict[str, Any]) -> None:
    kind = node.get("type")
    if type(kind) is list:
        del node["type"]
        choices = [{"type": type_name(name)} for name in kind]
        if "union" in node:
            node["all_of"] = [*node.get("all_of", []), {"union": choices}]
        else:
            node["union"] = choices
    elif kind is not None:
        node["type"] = type_name(kind)
    marked = node.pop("x-harn-type", None) == "set"
    unique = node.get("uniqueItems") is True and node.get("type") == "list"
    if marked or unique:
        node["type"] = "set"
        node.pop("uniqueItems", None)


def map_parts(node: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Give a canonical node with ``change`` applied to every schema directly below it."""
    result = dict(node)
    for name in ("properties", "definitions"):
        if type(node.get(name)) is dict:
            result[name] = {key: change(part) for key, part in node[name].items()}
    for name in ("union", "all_of"):
        if name in node:
            result[name] = [change(part) for part in node[name]]
    for name in ("items", "additional_properties"):
        if type(node.get(name)) is dict:
            result[name] = change(node[name])
    components = node.get("components")
    if type(components) is dict and type(components.get("schemas")) is dict:
        schemas = {key: change(part) for key, part in components["schemas"].items()}
        result["components"] = {**components, "schemas": schemas}
    return result


def canonical_deep(schema: Any) -> dict[str, Any]:
    """Give a whole schema with canonical keys."""
    return map_parts(canonical(schema), canonical_deep)
