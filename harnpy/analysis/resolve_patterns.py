"""Resolves patterns: of bindings (language 4.4) and of match arms (8.4)."""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.analysis.resolve import Resolver


# --- bindings ---


def binding_pattern(r: Resolver, node: N.Pattern, mutable: bool) -> R.Pattern:
    """Resolve a binding pattern; its names are declared from left to right."""
    kind = type(node)
    if kind is N.NameBinding:
        return R.PName(node.span, r.declare(node.name, node.span, mutable))  # type: ignore[attr-defined]
    if kind is N.PairBinding:
        first = r.declare(node.first, node.span, mutable)  # type: ignore[attr-defined]
        return R.PPair(node.span, first, r.declare(node.second, node.span, mutable))  # type: ignore[attr-defined]
    if kind is N.DictBinding:
        return _dict_binding(r, node, mutable)  # type: ignore[arg-type]
    return _list_binding(r, node, mutable)  # type: ignore[arg-type]


def _default(r: Resolver, node: N.Expr | None) -> R.Expr | None:
    return None if node is None else r.expr(node)


def _dict_binding(r: Resolver, node: N.DictBinding, mutable: bool) -> R.Pattern:
    fields = []
    for field in node.fields:
        default = _default(r, field.default)
        fields.append((field.key, r.declare(field.name, field.span, mutable), default))
    rest = None if node.rest is None else r.declare(node.rest, node.span, mutable)
    return R.PDict(node.span, tuple(fields), rest)


def _list_binding(r: Resolver, node: N.ListBinding, mutable: bool) -> R.Pattern:
    items = []
    for item in node.items:
        default = _default(r, item.default)
        items.append((r.declare(item.name, item.span, mutable), default))
    rest = None if node.rest is None else r.declare(node.rest, node.span, mutable)
    return R.PList(node.span, tuple(items), rest)


def bound_names(node: N.Pattern) -> list[str]:
    """Give the names that a binding pattern declares."""
    kind = type(node)
    if kind is N.NameBinding:
        names = [node.name]  # type: ignore[attr-defined]
    elif kind is N.PairBinding:
        names = [node.first, node.second]  # type: ignore[attr-defined]
    else:
        parts = node.fields if kind is N.DictBinding else node.items  # type: ignore[attr-defined]
        names = [part.name for part in parts]
        names += [node.rest] if node.rest else []  # type: ignore[attr-defined]
    return [name for name in names if name != "_"]


# --- match ---


def match_pattern(r: Resolver, node: N.MatchPattern, alternative: bool = False) -> R.MatchPattern:
    """Resolve a match pattern; ``alternative``: one of several, which may bind nothing."""
    return _MATCH[type(node)](r, node, alternative)


def _bind(r: Resolver, name: str, node: N.Node, alternative: bool) -> R.MatchPattern:
    if alternative:
        r.error("HARN-MAT-003", f"Alternatives of a pattern cannot bind names: {name}", node.span, "use separate arms")
    return R.MBind(node.span, r.declare(name, node.span, False))


def _name(r: Resolver, node: N.NamePat, alternative: bool) -> R.MatchPattern:
    if node.name == "_":
        return R.MWild(node.span)
    owners = [enum for enum, bare in _variant_owners(r, node.name) if bare]
    if not owners:
        return _bind(r, node.name, node, alternative)
    _check_ambiguous(r, node.name, owners, node)
    return R.MVariant(node.span, r.read(owners[0], node.span), owners[0], node.name, None)


def _variant_owners(r: Resolver, variant: str) -> list[tuple[str, bool]]:
    fn: Any = r.fn
    while fn is not None:
        for scope in reversed(fn.scopes):
            if variant in scope.variants:
                found: list[tuple[str, bool]] = scope.variants[variant]
                return found
        fn = fn.parent
    return []


def _check_ambiguous(r: Resolver, variant: str, owners: list[str], node: N.Node) -> None:
    if len(owners) > 1:
        choices = " or ".join([f"`{enum}.{variant}`" for enum in owners])
        r.error("HARN-MAT-003", f"Ambiguous variant pattern: {variant}", node.span, f"write {choices}")


def _variant(r: Resolver, node: N.VariantPat, alternative: bool) -> R.MatchPattern:
    args = None
    enum: R.Expr | None = None
    enum_name = node.enum
    if enum_name is not None:
        enum = r.read(enum_name, node.span)
        if node.args is None and _is_variable(r, enum_name):
            return R.MValue(node.span, R.Property(node.span, enum, node.variant, node.span, False))
    else:
        owners = [name for name, _ in _variant_owners(r, node.variant)]
        if owners:
            _check_ambiguous(r, node.variant, owners, node)
            enum_name = owners[0]
            enum = r.read(enum_name, node.span)
        elif node.variant not in ("Ok", "Err"):
            hint = "variants of imported enums must be qualified: `Enum.Variant(...)`"
            r.error("HARN-MAT-003", f"Unknown variant in pattern: {node.variant}", node.span, hint)
    if node.args is not None:
        args = tuple([match_pattern(r, arg, alternative) for arg in node.args])
    return R.MVariant(node.span, enum, enum_name or "Result", node.variant, args)


def _is_variable(r: Resolver, name: str) -> bool:
    """Tell whether ``name`` is a variable here, so that ``name.field`` is a value and no variant."""
    variable = r.fn.find(name)
    if variable is not None:
        return not variable.root.hoisted
    return name in r.globals and name not in r.enums


def _dict(r: Resolver, node: N.DictPat, alternative: bool) -> R.MatchPattern:
    fields = tuple([(field.key, match_pattern(r, field.pattern, alternative)) for field in node.fields])
    return R.MDict(node.span, fields)


def _list(r: Resolver, node: N.ListPat, alternative: bool) -> R.MatchPattern:
    items = tuple([match_pattern(r, item, alternative) for item in node.items])
    rest = None if node.rest is None else r.declare(node.rest, node.span, False)
    return R.MList(node.span, items, rest)


_MATCH: dict[type, Callable[[Resolver, Any, bool], R.MatchPattern]] = {
    N.WildcardPat: lambda r, node, alternative: R.MWild(node.span),
    N.NamePat: _name,
    N.ValuePat: lambda r, node, alternative: R.MValue(node.span, r.expr(node.value)),
    N.VariantPat: _variant,
    N.DictPat: _dict,
    N.ListPat: _list,
}
