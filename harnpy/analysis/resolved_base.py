"""The base of the resolved tree's classes: plain, slotted, made without attrs.

Loading them is on the way of every start (design 3, 11); ``_Meta`` derives slots and constructor from
the annotations.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, dataclass_transform

    from harnpy.source import Span
else:

    def dataclass_transform(**_options):
        """Stand in for typing's marker, which only type checkers need."""
        return lambda cls: cls


@dataclass_transform(eq_default=False)
class _Meta(type):
    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Meta:
        own = tuple(key for key, kind in namespace.get("__annotations__", {}).items() if "ClassVar" not in kind)
        namespace["__slots__"] = own + namespace.get("HIDDEN", ())
        inherited: tuple[str, ...] = bases[0].FIELDS if bases else ()  # type: ignore[attr-defined]
        namespace["FIELDS"] = inherited + own
        return super().__new__(mcs, name, bases, namespace)


class Node(metaclass=_Meta):
    """Base of all resolved nodes; constructor arguments are the fields in order, ``span`` first."""

    FIELDS: ClassVar[tuple[str, ...]]
    span: Span

    if not TYPE_CHECKING:

        def __init__(self, *values):
            # mypy knows the signature of each class; counting again here would cost a third more.
            for name, value in zip(self.FIELDS, values, strict=False):
                setattr(self, name, value)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.FIELDS[1:])
        return f"{type(self).__name__}({shown})"


class Expr(Node):
    """Base of expressions."""


class Stmt(Node):
    """Base of statements."""
