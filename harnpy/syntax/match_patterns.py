"""Reads the patterns of ``match`` from the expressions that they are parsed as (language 8.4)."""

from __future__ import annotations

from harnpy.syntax import nodes as n
from harnpy.syntax.fault import Fault


def read_pattern(expr: n.Expr) -> n.MatchPattern:
    """Give the pattern that ``expr`` stands for."""
    if isinstance(expr, n.DictLit):
        return n.DictPat(expr.span, tuple(_dict_field(entry) for entry in expr.entries))
    if isinstance(expr, n.ListLit):
        return _list_pattern(expr)
    variant = _variant(expr)
    return variant if variant is not None else _part(expr)


def _part(expr: n.Expr) -> n.MatchPattern:
    """Read what stands inside a pattern: names bind, everything else is compared."""
    if isinstance(expr, n.Name):
        return n.WildcardPat(expr.span) if expr.name == "_" else n.NamePat(expr.span, expr.name)
    return n.ValuePat(expr.span, expr)


def _dict_field(entry: n.DictEntry | n.Spread) -> n.DictPatField:
    if isinstance(entry, n.Spread):
        raise Fault("Expected `key: pattern` in a dict pattern, got ...", entry.span, placed=True)
    if entry.computed or not isinstance(entry.key, n.StringLit):
        raise Fault("Expected a plain key in a dict pattern, got [", entry.span, placed=True)
    return n.DictPatField(entry.span, entry.key.value, _part(entry.value))


def _list_pattern(expr: n.ListLit) -> n.ListPat:
    rest: str | None = None
    parts: list[n.MatchPattern] = []
    for at, item in enumerate(expr.items):
        if not isinstance(item, n.Spread):
            parts.append(_part(item))
            continue
        if at < len(expr.items) - 1:
            raise Fault("The rest must be the last part of a list pattern", item.span)
        if not isinstance(item.value, n.Name):
            raise Fault("Expected a name after `...` in a list pattern", item.value.span, placed=True)
        rest = item.value.name
    return n.ListPat(expr.span, tuple(parts), rest)


def _variant(expr: n.Expr) -> n.VariantPat | None:
    """Read ``E.V``, ``E.V(...)`` and ``V(...)``; enums and variants begin with a capital letter."""
    if isinstance(expr, n.MethodCall) and not expr.optional and _is_capital(expr.receiver):
        return n.VariantPat(expr.span, _text(expr.receiver), expr.name, _payload(expr.args))
    if isinstance(expr, n.Property) and not expr.optional and _is_capital(expr.receiver):
        return n.VariantPat(expr.span, _text(expr.receiver), expr.name, None)
    if isinstance(expr, n.Call) and not expr.type_args and _is_capital(expr.callee):
        return n.VariantPat(expr.span, None, _text(expr.callee), _payload(expr.args))
    return None


def _is_capital(expr: n.Expr) -> bool:
    return isinstance(expr, n.Name) and expr.name[0].isupper()


def _text(expr: n.Expr) -> str:
    return expr.name if isinstance(expr, n.Name) else ""


def _payload(args: tuple[n.Expr | n.Spread, ...]) -> tuple[n.MatchPattern, ...]:
    for arg in args:
        if isinstance(arg, n.Spread):
            raise Fault("Expected a name or `_` in a variant pattern, got ...", arg.span, placed=True)
    return tuple(_part(arg) for arg in args if isinstance(arg, n.Expr))
