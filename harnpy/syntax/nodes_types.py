"""Type expressions."""

from __future__ import annotations

from attrs import frozen

from harnpy.syntax.nodes_base import Node, Type


@frozen
class NamedType(Type):
    """``Name<args>``; ``[T]`` is ``list<T>``."""

    name: str
    args: tuple[Type, ...] = ()


@frozen
class LiteralType(Type):
    """A literal as a type: string, int, ``true``, ``false``; ``nil`` has the value ``None``."""

    value: str | int | bool | None


@frozen
class UnionType(Type):
    """``A | B``; ``T?`` is ``T | nil``."""

    members: tuple[Type, ...]


@frozen
class IntersectionType(Type):
    """``A & B``."""

    members: tuple[Type, ...]


@frozen
class FnType(Type):
    """``fn(A) -> R``."""

    params: tuple[Type, ...]
    returns: Type | None


@frozen
class ShapeField(Node):
    """``name: T`` or ``name?: T``."""

    name: str
    type: Type
    optional: bool = False


@frozen
class ShapeType(Type):
    """``{a: T, b?: U, ...Rest}``."""

    fields: tuple[ShapeField, ...]
    rest: str | None = None
