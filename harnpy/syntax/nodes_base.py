"""Bases of the syntax tree."""

from __future__ import annotations

from attrs import field, frozen

from harnpy.source import Span


@frozen
class Node:
    """Base of all nodes; ``span`` covers the construct from its first to its last token."""

    span: Span = field(eq=False)


@frozen
class Expr(Node):
    """Base of expressions."""


@frozen
class Stmt(Node):
    """Base of statements and declarations."""


@frozen
class Type(Node):
    """Base of type expressions."""
