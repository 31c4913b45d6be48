"""Small resolved trees and a compiler for them, for tests of the evaluator without a parser."""

from __future__ import annotations

from typing import Any

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError
from harnpy.runtime.compile import Compiler
from harnpy.runtime.context import Context
from harnpy.source import Source

SPAN = (0, 1)


class TinyModule:
    """A module with nothing in it but the cells that a test puts there."""

    def __init__(self) -> None:
        self.source = Source("tree.harn", "tree")
        self.cells: dict[str, list[Any]] = {}
        self.outer_cells: dict[str, list[Any]] = {}

    def lookup(self, name: str) -> list[Any] | None:
        """Give the cell of a name."""
        return self.cells.get(name)

    def declared(self, name: str) -> None:
        """No name means one function for good."""

    def lookup_type(self, name: str) -> None:
        """There are no type names."""

    def undefined(self, name: str) -> HarnError:
        """Make the error of an unset name."""
        return HarnError(f"Undefined variable: {name}")


def make_compiler() -> Compiler:
    """Give a compiler of a module without builtins."""
    context = Context()
    context.find_builtin = lambda name: None
    context.find_method = lambda kind, name: None
    return Compiler(context, TinyModule())  # type: ignore[arg-type]


def local(slot: int) -> r.Local:
    """Read a frame slot."""
    return r.Local(SPAN, slot, f"x{slot}")


def const(value: Any) -> r.Const:
    """Give a constant."""
    return r.Const(SPAN, value)
