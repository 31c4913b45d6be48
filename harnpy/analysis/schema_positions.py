"""Finds the places where the name of a type stands for its schema (language 13.4)."""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.analysis.resolve_types import resolve_type, type_key
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis.resolve import Resolver

# Builtins that take a schema, and the position of that argument.
_ARGUMENT = {
    "schema_of": 0,
    "schema_is": 1,
    "schema_expect": 1,
    "schema_parse": 1,
    "schema_check": 1,
    "schema_report": 1,
    "is_type": 1,
    "json_validate": 1,
}
_OPTIONS = ("output", "output_schema")
_BUILTIN_TYPES = frozenset(
    "string int float number bool bytes list dict set closure duration decimal any unknown".split()
)


def schema_call(r: Resolver, node: N.Call) -> R.Expr | None:
    """Resolve a call of a schema builtin with a type in its schema position; ``None`` if it is none."""
    name = node.callee.name  # type: ignore[attr-defined]
    position = _ARGUMENT.get(name)
    if position is None or r.fn.find(name) is not None or name in r.globals:
        return None
    if node.type_args:
        schema: R.Expr | None = R.SchemaOf(node.span, resolve_type(r, node.type_args[0]), None)
        args = list(node.args[:position]) + list(node.args[position:])
        made = [_argument(r, arg) for arg in args]
        made.insert(position, schema)  # type: ignore[arg-type]
    else:
        if len(node.args) <= position or any(type(arg) is N.Spread for arg in node.args):
            return None
        before = [_argument(r, arg) for arg in node.args[:position]]
        schema = _schema(r, node.args[position])  # type: ignore[arg-type]
        if schema is None:
            schema = r.expr(node.args[position])  # type: ignore[arg-type]
        made = [*before, schema, *[_argument(r, arg) for arg in node.args[position + 1 :]]]
    return R.Call(node.span, r.read(name, node.callee.span, "call"), tuple(made), False)


def _argument(r: Resolver, node: N.Expr | N.Spread) -> R.Expr | R.Spread:
    if type(node) is N.Spread:
        return R.Spread(node.span, r.expr(node.value))
    return r.expr(node)  # type: ignore[arg-type]


def option_value(r: Resolver, key: str, node: N.Expr) -> R.Expr:
    """Resolve the value of a dict entry: ``output`` is a schema position, ``schema`` is one for the name of a type."""
    if key in _OPTIONS or (key == "schema" and type(node) is N.Name):
        schema = _schema(r, node)
        if schema is not None:
            return schema
    return r.expr(node)


def _schema(r: Resolver, node: N.Expr) -> R.Expr | None:
    kind = type(node)
    if kind is N.Name:
        return _named(r, node)  # type: ignore[arg-type]
    if kind is N.NilLit or not _spells_type(r, node):
        return None
    return R.SchemaOf(node.span, _as_type(r, node), None)


def _named(r: Resolver, node: N.Name) -> R.Expr | None:
    name = node.name
    if name == "_" or r.fn.find(name) is not None or name in r.globals:
        return None
    key = type_key(r, name)
    made = R.TName(node.span, key, ())
    if key in r.types or key in r.known.types:
        return R.SchemaOf(node.span, made, None)
    if name in _BUILTIN_TYPES and name not in r.imported:
        return R.SchemaOf(node.span, made, R.Global(node.span, name) if name in ("set", "bytes", "decimal") else None)
    # It may be an imported alias or an imported value; only linking knows.
    return R.SchemaOf(node.span, made, r.read(name, node.span, "type"))


def _spells_type(r: Resolver, node: N.Expr) -> bool:
    """Tell whether a dict or list literal can only be an inline type, such as ``{name: string}``."""
    kind = type(node)
    if kind is N.Name:
        name = node.name  # type: ignore[attr-defined]
        if r.fn.find(name) is not None or name in r.globals:
            return False
        return name in _BUILTIN_TYPES or type_key(r, name) in r.types or name in r.known.types
    if kind is N.NilLit:
        return True
    if kind is N.ListLit:
        items = node.items  # type: ignore[attr-defined]
        return len(items) == 1 and _spells_type(r, items[0])
    if kind is not N.DictLit or not node.entries or _has_schema(node):  # type: ignore[attr-defined, arg-type]
        return False
    for entry in node.entries:  # type: ignore[attr-defined]
        if type(entry) is N.Spread or type(entry.key) is not N.StringLit or not _spells_type(r, entry.value):
            return False
    return True


def _has_schema(node: N.DictLit) -> bool:
    """Tell whether a dict literal is the form ``{schema, ...}`` of an ``output`` option, and no type."""
    keys = [entry.key for entry in node.entries if isinstance(entry, N.DictEntry)]
    return any(type(key) is N.StringLit and key.value == "schema" for key in keys)


def _as_type(r: Resolver, node: N.Expr) -> R.Type:
    kind = type(node)
    if kind is N.Name:
        return R.TName(node.span, type_key(r, node.name), ())  # type: ignore[attr-defined]
    if kind is N.NilLit:
        return R.TName(node.span, "nil", ())
    if kind is N.ListLit:
        return R.TName(node.span, "list", (_as_type(r, node.items[0]),))  # type: ignore[attr-defined]
    fields = tuple([(entry.key.value, _as_type(r, entry.value), False) for entry in node.entries])  # type: ignore[attr-defined]
    return R.TShape(node.span, fields)
