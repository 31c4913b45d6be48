"""Resolves type expressions."""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.analysis.type_names import ANNOTATION, is_type_name
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.analysis.resolve import Resolver
    from harnpy.analysis.scopes import FunctionScope


def optional_type(r: Resolver, node: N.Type | None) -> R.Type | None:
    """Resolve an annotation that may be absent."""
    return None if node is None else TYPES[type(node)](r, node)


def resolve_type(r: Resolver, node: N.Type) -> R.Type:
    """Resolve a type expression."""
    return TYPES[type(node)](r, node)


def type_key(r: Resolver, name: str) -> str:
    """Give the key in the module's table of types for ``name`` as it is seen here."""
    fn: FunctionScope | None = r.fn
    while fn is not None:
        for scope in reversed(fn.scopes):
            if name in scope.types:
                return scope.types[name]
        fn = fn.parent
    return name


def new_type_key(r: Resolver, name: str) -> str:
    """Give a key that no type of this module has yet, for a type declared inside a block."""
    key, count = name, 1
    while key in r.types or key in r.globals:
        count += 1
        key = f"{name}#{count}"
    return key


def _named(r: Resolver, node: N.NamedType) -> R.Type:
    args = tuple([resolve_type(r, arg) for arg in node.args])
    if r.type_params and any(node.name in names for names in r.type_params):
        return R.TName(node.span, "any", ())
    key = type_key(r, node.name)
    if not (key in r.types or is_type_name(key) or _declared(r, key)):
        r.note_free(key, node.span, ANNOTATION)
    return R.TName(node.span, key, args)


def _declared(r: Resolver, name: str) -> bool:
    """Tell whether a struct or enum of this text, or an import that it names, has this name."""
    here = name in r.globals or name in r.imported or r.fn.find(name) is not None
    return here or name in r.known.types or name in r.known.names or name in r.enums


def _members(r: Resolver, nodes: tuple[N.Type, ...]) -> tuple[R.Type, ...]:
    return tuple([resolve_type(r, node) for node in nodes])


def _shape(r: Resolver, node: N.ShapeType) -> R.Type:
    fields = tuple([(field.name, resolve_type(r, field.type), field.optional) for field in node.fields])
    return R.TShape(node.span, fields)


def _fn(r: Resolver, node: N.FnType) -> R.Type:
    _members(r, node.params)  # nothing is kept of them, but their names are to be known
    optional_type(r, node.returns)
    return R.TFn(node.span)


TYPES: dict[type, Callable[[Resolver, Any], R.Type]] = {
    N.NamedType: _named,
    N.LiteralType: lambda r, node: R.TLiteral(node.span, node.value),
    N.UnionType: lambda r, node: R.TUnion(node.span, _members(r, node.members)),
    N.IntersectionType: lambda r, node: R.TBoth(node.span, _members(r, node.members)),
    N.FnType: _fn,
    N.ShapeType: _shape,
}
