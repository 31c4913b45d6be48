"""Tree of type expressions."""

from __future__ import annotations

from harnpy.source import Span
from harnpy.syntax import nodes as n
from harnpy.syntax.build_statements import split_rest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.syntax.table import Builder


def named_type(span: Span, word: str, *args: n.Type) -> n.NamedType:
    """Build ``Name`` and ``Name<args>``."""
    return n.NamedType(span, word, args)


def list_type(span: Span, item: n.Type) -> n.NamedType:
    """Build ``[T]``."""
    return n.NamedType(span, "list", (item,))


def literal_type(span: Span, value: str | int) -> n.LiteralType:
    """Build a string or an int as a type."""
    return n.LiteralType(span, value)


def negative_type(span: Span, value: int) -> n.LiteralType:
    """Build a negative int as a type."""
    return n.LiteralType(span, -value)


def nil_type(span: Span) -> n.LiteralType:
    """Build ``nil``."""
    return n.LiteralType(span, None)


def true_type(span: Span) -> n.LiteralType:
    """Build ``true``."""
    return n.LiteralType(span, True)


def false_type(span: Span) -> n.LiteralType:
    """Build ``false``."""
    return n.LiteralType(span, False)


def union(span: Span, *members: n.Type) -> n.UnionType:
    """Build ``A | B``."""
    return n.UnionType(span, members)


def leading_union(span: Span, kind: n.Type) -> n.Type:
    """Take a type that was written with a ``|`` in front."""
    return kind


def intersection(span: Span, *members: n.Type) -> n.IntersectionType:
    """Build ``A & B``."""
    return n.IntersectionType(span, members)


def maybe_type(span: Span, kind: n.Type) -> n.UnionType:
    """Build ``T?``."""
    return n.UnionType(span, (kind, n.LiteralType((span[1] - 1, span[1]), None)))


def type_list(span: Span, *items: n.Type) -> tuple[n.Type, ...]:
    """Collect types."""
    return items


def fn_type(span: Span, params: tuple[n.Type, ...], returns: n.Type | None) -> n.FnType:
    """Build ``fn(A) -> R``."""
    return n.FnType(span, params, returns)


def shape_field(span: Span, word: str, kind: n.Type) -> n.ShapeField:
    """Build ``name: T``."""
    return n.ShapeField(span, word, kind)


def optional_shape_field(span: Span, word: str, kind: n.Type) -> n.ShapeField:
    """Build ``name?: T``."""
    return n.ShapeField(span, word, kind, True)


def shape_type(span: Span, *items: Any) -> n.ShapeType:
    """Build ``{a: T, ...Rest}``."""
    return n.ShapeType(span, *split_rest(items))


BUILDERS: dict[str, Builder] = {
    "named_type": named_type,
    "list_type": list_type,
    "literal_type": literal_type,
    "negative_type": negative_type,
    "nil_type": nil_type,
    "true_type": true_type,
    "false_type": false_type,
    "union": union,
    "leading_union": leading_union,
    "intersection": intersection,
    "maybe_type": maybe_type,
    "type_list": type_list,
    "fn_type": fn_type,
    "shape_field": shape_field,
    "optional_shape_field": optional_shape_field,
    "shape_type": shape_type,
}
