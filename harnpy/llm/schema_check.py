"""Finds slips in the schema of a call before anything is sent (llm 3.1)."""

from __future__ import annotations

from harnpy.llm.kinds import kind_of, quoted
from harnpy.llm.schema import TYPE_WORDS, pattern_fault
from harnpy.llm.spelling import close_to, closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

_WORDS = (
    "$defs", "$ref", "additionalProperties", "allOf", "anyOf", "const", "definitions", "description", "enum", "items",
    "maximum", "maxItems", "maxLength", "minimum", "minItems", "minLength", "nullable", "oneOf", "pattern",
    "properties", "required", "title", "type",
)  # fmt: skip
_MEANING = frozenset(_WORDS) - {"description", "title"}
_NAMED = ("properties", "$defs", "definitions")
_LISTED = ("allOf", "anyOf", "oneOf")
_NUMBERS = ("maximum", "maxItems", "maxLength", "minimum", "minItems", "minLength")
_DEPTH_LIMIT = 200


def schema_fault(schema: Schema) -> str | None:
    """Tell the first thing in a JSON Schema that no answer could be checked against, with its place."""
    return _node(schema, "", 0, schema)


def _leads(reference: str, root: Schema) -> bool:
    """Tell whether a reference into the schema has a target; others are left alone."""
    target: Any = root
    for name in reference.removeprefix("#").strip("/").split("/") if reference.startswith("#") else ():
        name = name.replace("~1", "/").replace("~0", "~")
        target = target.get(name) if type(target) is dict and name else target
    return type(target) is dict


def _at(path: str) -> str:
    return f" at {path}" if path else ""


def _node(schema: Any, path: str, depth: int, root: Schema) -> str | None:
    if type(schema) is bool or depth > _DEPTH_LIMIT:
        return None
    if type(schema) is not dict:
        return f"expected a schema{_at(path)}, got {kind_of(schema)}"
    reference = schema.get("$ref")
    if type(reference) is str and not _leads(reference, root):
        return f"`$ref` {quoted(reference)} leads nowhere"
    return _words(schema, path) or _own(schema, path) or _inner(schema, path, depth, root)


def _words(schema: Schema, path: str) -> str | None:
    """Find a key that was meant to be a word of JSON Schema, in a schema that says nothing without it."""
    if not _MEANING.isdisjoint(schema):
        return None
    for key in sorted(schema):
        meant = closest(key, ("schema", *_WORDS))
        if meant is not None and meant != key:
            return f"unknown key `{key}`{_at(path)} — did you mean `{meant}`?"
    return None


def _own(schema: Schema, path: str) -> str | None:
    kinds = schema.get("type")
    for name in kinds if type(kinds) is list else [] if kinds is None else [kinds]:
        if type(name) is not str or name not in TYPE_WORDS:
            return f"unknown type {quoted(name)}{_at(path)}{close_to(name, TYPE_WORDS)}"
    required = schema.get("required")
    # Some write a bool beside a property; that says nothing here and does no harm.
    if type(required) not in (type(None), bool, list) or (
        type(required) is list and any(type(name) is not str for name in required)
    ):
        return f"`required` must be a list of strings{_at(path)}"
    if type(schema.get("enum")) not in (type(None), list):
        return f"`enum` must be a list{_at(path)}"
    return _limits(schema, path)


def _limits(schema: Schema, path: str) -> str | None:
    for word in _NUMBERS:
        if type(schema.get(word)) not in (type(None), int, float):
            return f"`{word}` must be a number{_at(path)}"
    pattern = schema.get("pattern")
    if type(pattern) not in (type(None), str):
        return f"`pattern` must be a string{_at(path)}"
    fault = None if pattern is None else pattern_fault(pattern)
    return None if fault is None else f"`pattern`{_at(path)}: {fault}"


def _inner(schema: Schema, path: str, depth: int, root: Schema) -> str | None:
    for word in _NAMED:
        named = schema.get(word)
        if named is not None and type(named) is not dict:
            return f"`{word}` must be a dict{_at(path)}"
        for name, part in sorted((named or {}).items()):
            found = _node(part, f"{path}.{name}" if path else name, depth + 1, root)
            if found is not None:
                return found
    for word in _LISTED:
        parts = schema.get(word)
        if parts is not None and type(parts) is not list:
            return f"`{word}` must be a list{_at(path)}"
        for part in parts or []:
            found = _node(part, path, depth + 1, root)
            if found is not None:
                return found
    items = schema.get("items")
    return None if items is None or type(items) is list else _node(items, f"{path}[]", depth + 1, root)
