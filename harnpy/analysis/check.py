"""Checks that a ``match`` over a known enum covers all its variants (language 8.4, HARN-MAT-001).

The enum of the subject is known when the subject is a name that is annotated with an enum of this
module, or a ``const`` made from one of its variants.
"""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis.resolve import Resolver


def enum_of(r: Resolver, annotation: N.Type | None, value: N.Expr | None = None) -> str | None:
    """Give the enum of this module to which a binding must belong, if that is plain to see."""
    if annotation is not None:
        name = annotation.name if type(annotation) is N.NamedType else None
        return name if name in r.enums else None
    made = value.callee if type(value) is N.Call else value
    if type(made) is N.Property and type(made.receiver) is N.Name:
        return _enum_named(r, made.receiver.name, made.name)
    if type(value) is N.MethodCall and type(value.receiver) is N.Name:
        return _enum_named(r, value.receiver.name, value.name)
    return None


def _enum_named(r: Resolver, name: str, variant: str) -> str | None:
    if variant in r.enums.get(name, ()) and r.fn.find(name) is None:
        return name
    return None


def check_match(r: Resolver, node: N.MatchExpr, match: R.Match) -> None:
    """Report a match whose subject belongs to a known enum and that misses some of its variants."""
    if type(node.subject) is not N.Name:
        return
    variable = r.fn.find(node.subject.name)
    enum = r.global_enums.get(node.subject.name) if variable is None else variable.root.enum
    if enum is None:
        return
    missing = list(r.enums[enum])
    for arm in match.arms:
        if arm.guard is not None:
            continue
        for pattern in arm.patterns:
            if _matches_all(pattern):
                return
            if type(pattern) is R.MVariant and all(map(_matches_all, pattern.args or ())):
                missing = [variant for variant in missing if variant != pattern.variant]
    if missing:
        names = ", ".join([f"{enum}.{variant}" for variant in missing])
        hint = "add arms for them, or a last arm `_ -> { ... }`"
        r.error("HARN-MAT-001", f"Non-exhaustive match: {names} not covered", node.span, hint)


def _matches_all(pattern: R.MatchPattern) -> bool:
    return type(pattern) in (R.MWild, R.MBind)
