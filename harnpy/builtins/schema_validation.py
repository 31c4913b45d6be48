"""Validation of values against schemas (builtins 1.10)."""

from __future__ import annotations

from harnpy.builtins.json_pointer import lookup, pointer_steps
from harnpy.builtins.schema_dialect import canonical
from harnpy.errors import HarnError
from harnpy.runtime.display import display
from harnpy.runtime.equality import equal, in_list, make_set
from harnpy.runtime.typecheck import fields_of
from harnpy.runtime.values import SetValue, StructValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Validator:
    """Validates values against one root schema; errors gather in ``errors``."""

    def __init__(self, root: Any, apply_defaults: bool) -> None:
        self.root = root
        self.apply_defaults = apply_defaults
        self.errors: list[str] = []
        self._nodes: dict[int, dict[str, Any]] = {}

    def validate(self, value: Any) -> Any:
        """Check ``value`` and give it normalised."""
        return self._node(self.root, value, "")

    def _canonical(self, schema: Any) -> dict[str, Any]:
        # The schemas live as long as the root does, so their ids are stable.
        node = self._nodes.get(id(schema))
        if node is None:
            node = self._nodes[id(schema)] = canonical(schema)
        return node

    def _report(self, where: str, text: str) -> None:
        self.errors.append(f"at {where or 'root'}: {text}")

    def _resolved(self, schema: Any, where: str) -> dict[str, Any] | None:
        """Follow references; ``None`` when one leads nowhere."""
        node = self._canonical(schema)
        seen: set[str] = set()
        while "$ref" in node:
            reference = node["$ref"]
            target = self._target(reference) if type(reference) is str and reference not in seen else None
            if target is None:
                self._report(where, f"unresolved schema reference '{display(reference)}'")
                return None
            seen.add(reference)
            node = self._canonical(target)
        return node

    def _target(self, reference: str) -> Any:
        if not reference.startswith("#"):
            return None
        try:
            return lookup(self.root, pointer_steps("$ref", reference[1:]))
        except HarnError:
            return None

    def _node(self, schema: Any, value: Any, where: str) -> Any:
        node = self._resolved(schema, where)
        if node is None or (value is None and node.get("nullable") is True):
            return value
        if "const" in node and not equal(value, node["const"]):
            self._report(where, f"expected constant {display(node['const'])}, got {display(value)}")
            return value
        for branch in node.get("all_of", ()):
            value = self._node(branch, value, where)
        if "union" in node:
            value = self._union(node["union"], value, where)
        if not self._type_fits(node.get("type"), value, where):
            return value
        choices = node.get("enum")
        if type(choices) is list and not in_list(choices, value):
            self._report(where, f"value must be one of {display(choices)}")
        return self._content(node, value, where)

    def _union(self, branches: list[Any], value: Any, where: str) -> Any:
        kept = self.errors
        for branch in branches:
            self.errors = []
            result = self._node(branch, value, where)
            failed = self.errors
            self.errors = kept
            if not failed:
                return result
        self._report(where, "value did not match any union branch")
        return value

    def _type_fits(self, wanted: Any, value: Any, where: str) -> bool:
        kind = type_of(value)
        if wanted is None or wanted == "any" or wanted == kind:
            return True
        if (wanted == "dict" and kind == "struct") or (wanted == "number" and kind in ("int", "float")):
            return True
        self._report(where, f"expected type '{display(wanted)}', got '{kind}'")
        return False

    def _content(self, node: dict[str, Any], value: Any, where: str) -> Any:
        kind = type(value)
        if kind is dict or kind is StructValue:
            return self._fields(node, value, where)
        if kind is list or kind is SetValue:
            return self._items(node, value, where)
        if kind is str:
            self._text(node, value, where)
        elif kind is int or kind is float:
            self._bounds(node, "value", value, value, ("min", "max"), where)
        return value

    def _bounds(
        self, node: dict[str, Any], what: str, size: Any, shown: Any, keys: tuple[str, str], where: str
    ) -> None:
        for key, sign in zip(keys, (">=", "<="), strict=True):
            limit = node.get(key)
            if type(limit) is not int and type(limit) is not float:
                continue
            if size < limit if sign == ">=" else size > limit:
                self._report(where, f"expected {what} {sign} {_number(limit)}, got {_number(shown)}")

    def _text(self, node: dict[str, Any], value: str, where: str) -> None:
        size = len(value)
        self._bounds(node, "length", size, size, ("min_length", "max_length"), where)
        pattern = node.get("pattern")
        if type(pattern) is not str:
            return
        from harnpy.builtins.regex import compile_pattern

        try:
            found = compile_pattern(pattern, "").search(value)
        except HarnError as error:
            detail = display(error.value).removeprefix("Invalid regex: ")
            self._report(where, f"invalid regex pattern '{pattern}': {detail}")
            return
        if not found:
            self._report(where, f"value does not match pattern '{pattern}'")

    def _items(self, node: dict[str, Any], value: Any, where: str) -> Any:
        items = value if type(value) is list else list(value.members.values())
        for key, word, sign in (("min_items", "least", -1), ("max_items", "most", 1)):
            limit = node.get(key)
            if type(limit) is int and (len(items) - limit) * sign > 0:
                self._report(where, f"expected at {word} {limit} items, got {len(items)}")
        schema = node.get("items")
        if schema is None:
            return value
        kept = []
        for index, item in enumerate(items):
            before = len(self.errors)
            result = self._node(schema, item, f"{where}[{index}]")
            if len(self.errors) == before:
                kept.append(result)
        return kept if type(value) is list else make_set(kept)

    def _fields(self, node: dict[str, Any], value: Any, where: str) -> Any:
        fields = fields_of(value) or {}
        properties = node.get("properties")
        schemas: dict[str, Any] = properties if type(properties) is dict else {}
        missing = self._defaults(schemas, fields) if self.apply_defaults else {}
        fields = {**fields, **missing} if missing else fields
        required = node.get("required")
        for key in required if type(required) is list else ():
            if display(key) not in fields:
                self._report(where, f"missing required key '{display(key)}'")
        changed = dict(fields)
        for key in sorted(schemas):
            if key in fields:
                changed[key] = self._field(schemas[key], fields[key], where, key)
        self._extra_fields(node, schemas, changed, where)
        return changed if type(value) is dict else StructValue(value.type, changed)

    def _defaults(self, schemas: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for key in schemas:
            if key not in fields:
                node = self._canonical(schemas[key])
                if "default" in node:
                    found[key] = node["default"]
        return found

    def _field(self, schema: Any, value: Any, where: str, key: str) -> Any:
        before = len(self.errors)
        result = self._node(schema, value, f"{where}.{key}" if where else key)
        return result if len(self.errors) == before else value

    def _extra_fields(self, node: dict[str, Any], schemas: dict[str, Any], fields: dict[str, Any], where: str) -> None:
        rule = node.get("additional_properties")
        if rule is None or rule is True:
            return
        for key in sorted(fields):
            if key in schemas:
                continue
            if rule is False:
                self._report(where, f"unexpected key '{key}'")
            else:
                fields[key] = self._field(rule, fields[key], where, key)


def _number(value: int | float) -> str:
    text = display(value)
    return text.removesuffix(".0")
