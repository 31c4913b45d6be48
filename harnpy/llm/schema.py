"""Validates data against a JSON Schema, or a schema in the words of the language (llm 3.2)."""

from __future__ import annotations

from operator import ge, gt, le, lt

from harnpy.llm.json_values import json_text
from harnpy.llm.kinds import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

# The types of JSON Schema by their names there and in the language.
TYPE_WORDS = {
    "object": "object", "dict": "object", "array": "array", "list": "array", "string": "string", "str": "string",
    "integer": "integer", "int": "integer", "number": "number", "float": "number", "boolean": "boolean",
    "bool": "boolean", "null": "null", "nil": "null", "any": "any",
}  # fmt: skip
_DEPTH_LIMIT = 200


def _is(value: Any, name: str) -> bool:
    kind = type(value)
    if name == "number":
        return kind in (int, float)
    if name == "integer":
        return kind is int or (kind is float and value.is_integer())
    expected = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}.get(name)
    return expected is None or kind is expected


class _Check:
    """One validation: the root schema for references, and the errors so far."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.errors: list[str] = []

    def fail(self, path: str, text: str) -> None:
        self.errors.append(f"at {path or 'root'}: {text}")

    def resolve(self, schema: Schema) -> Schema:
        """Follow references into ``$defs`` and ``definitions``."""
        for _ in range(_DEPTH_LIMIT):
            reference = schema.get("$ref")
            if type(reference) is not str:
                return schema
            target: Any = self.root
            for part in reference.removeprefix("#").strip("/").split("/"):
                name = part.replace("~1", "/").replace("~0", "~")
                target = target.get(name) if type(target) is dict and name else target
            if type(target) is not dict:
                return {}
            schema = target
        return {}

    def value(self, value: Any, schema: Any, path: str, depth: int = 0) -> None:
        """Check one value."""
        if schema is False:
            self.fail(path, "no value is allowed here")
        if type(schema) is not dict or depth > _DEPTH_LIMIT:
            return
        schema = self.resolve(schema)
        if value is None and schema.get("nullable") is True:
            return
        if not self.type(value, schema, path):
            return
        self.constants(value, schema, path)
        if type(value) is dict:
            self.object(value, schema, path, depth)
        elif type(value) is list:
            self.array(value, schema, path, depth)
        elif type(value) is str:
            self.string(value, schema, path)
        elif type(value) in (int, float):
            self.number(value, schema, path)
        self.combined(value, schema, path, depth)

    def type(self, value: Any, schema: Schema, path: str) -> bool:
        wanted = schema.get("type")
        names = [wanted] if type(wanted) is str else wanted if type(wanted) is list else []
        if not names or any(_is(value, TYPE_WORDS.get(name, "any")) for name in names if type(name) is str):
            return True
        self.fail(path, f"expected type '{' | '.join(map(str, names))}', got '{kind_of(value)}'")
        return False

    def constants(self, value: Any, schema: Schema, path: str) -> None:
        allowed = schema.get("enum")
        if type(allowed) is list and not any(_same(value, item) for item in allowed):
            self.fail(path, f"value is not one of {json_text(allowed)}")
        if "const" in schema and not _same(value, schema["const"]):
            self.fail(path, f"value must be {json_text(schema['const'])}")

    def object(self, value: Schema, schema: Schema, path: str, depth: int) -> None:
        raw = schema.get("properties")
        properties: Schema = raw if type(raw) is dict else {}
        required = schema.get("required")
        for key in required if type(required) is list else []:
            if type(key) is str and key not in value:
                self.fail(path, f"missing required key '{key}'")
        extra = schema.get("additionalProperties")
        for key in sorted(value):
            inner = f"{path}.{key}" if path else key
            if key in properties:
                self.value(value[key], properties[key], inner, depth + 1)
            elif extra is False:
                self.fail(path, f"unexpected key '{key}'")
            elif type(extra) is dict:
                self.value(value[key], extra, inner, depth + 1)

    def array(self, value: list[Any], schema: Schema, path: str, depth: int) -> None:
        self.length(len(value), schema, path, ("minItems", "maxItems"), "items")
        for index, item in enumerate(value):
            self.value(item, schema.get("items"), f"{path}[{index}]", depth + 1)

    def string(self, value: str, schema: Schema, path: str) -> None:
        self.length(len(value), schema, path, ("minLength", "maxLength"), "characters")
        pattern = schema.get("pattern")
        if type(pattern) is str and not _found(pattern, value):
            self.fail(path, f"value does not match the pattern {pattern}")

    def length(self, size: int, schema: Schema, path: str, keys: tuple[str, str], what: str) -> None:
        least, most = schema.get(keys[0]), schema.get(keys[1])
        if type(least) is int and size < least:
            self.fail(path, f"needs at least {least} {what}, has {size}")
        if type(most) is int and size > most:
            self.fail(path, f"may have at most {most} {what}, has {size}")

    def number(self, value: float, schema: Schema, path: str) -> None:
        for key, wrong, words in (
            ("minimum", lt, "at least"),
            ("maximum", gt, "at most"),
            ("exclusiveMinimum", le, "more than"),
            ("exclusiveMaximum", ge, "less than"),
        ):
            limit: Any = schema.get(key)
            if type(limit) in (int, float) and wrong(value, limit):
                self.fail(path, f"must be {words} {limit}, is {value}")

    def combined(self, value: Any, schema: Schema, path: str, depth: int) -> None:
        every = schema.get("allOf")
        for part in every if type(every) is list else []:
            self.value(value, part, path, depth + 1)
        for key in ("anyOf", "oneOf"):
            parts = schema.get(key)
            if type(parts) is list:
                fits = sum(not self.attempt(value, part, path, depth) for part in parts)
                if fits == 0 or (fits > 1 and key == "oneOf"):
                    self.fail(path, f"value fits {fits} of the {len(parts)} alternatives of {key}")

    def attempt(self, value: Any, schema: Any, path: str, depth: int) -> list[str]:
        """Give the errors against one alternative."""
        inner = _Check(self.root)
        inner.value(value, schema, path, depth + 1)
        return inner.errors


def _same(value: Any, other: Any) -> bool:
    """Compare as JSON does: a bool is never a number."""
    kind = type(value)
    if kind is dict and type(other) is dict:
        return value.keys() == other.keys() and all(_same(item, other[key]) for key, item in value.items())
    if kind is list and type(other) is list:
        return len(value) == len(other) and all(map(_same, value, other))
    return bool(value == other) and (kind is bool) == (type(other) is bool)


def pattern_fault(pattern: str) -> str | None:
    """Tell why a pattern is no regular expression here; those that look around are none."""
    found = _compiled(pattern)
    return found if type(found) is str else None


def _found(pattern: str, text: str) -> bool:
    """Search in linear time; a pattern that is no regular expression finds nothing."""
    found = _compiled(pattern)
    return type(found) is not str and found.search(text) is not None


def _compiled(pattern: str) -> Any:
    """Compile, or give what is wrong."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        detail = error.args[0] if error.args else ""
        return detail.decode("utf-8", "replace") if type(detail) is bytes else str(detail)


def resolved(schema: Schema, root: Schema) -> Schema:
    """Give a part of a schema with its reference into ``root`` followed."""
    return _Check(root).resolve(schema)


def schema_errors(value: Any, schema: Schema, root: Schema | None = None) -> list[str]:
    """Give what is wrong with ``value``, ``[]`` when it fits the schema; ``root`` is what its references mean."""
    check = _Check(schema if root is None else root)
    check.value(value, schema, "")
    return check.errors
