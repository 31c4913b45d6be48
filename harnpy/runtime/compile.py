"""Turns resolved nodes into Python functions of the frame, by tables of the node modules."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime import (
    access_nodes,
    assignment,
    blocks,
    calls_nodes,
    cleanup,
    concurrency,
    declarations,
    expressions,
    expressions_typed,
    functions,
    loops,
    matching,
    methods_nodes,
    operators_nodes,
    paths,
    patterns,
    statements,
    structs,
)
from harnpy.runtime.templates import Builder
from harnpy.runtime.typecheck import TypeAlias, compile_type
from harnpy.runtime.values import EnumType, StructType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from harnpy.errors import Site
    from harnpy.runtime.context import Context
    from harnpy.runtime.program import ModuleInstance
    from harnpy.runtime.templates import Eval
    from harnpy.runtime.typecheck import Checker
    from harnpy.runtime.values import Code
    from harnpy.source import Span

_NODE_MODULES: tuple[ModuleType, ...] = (
    expressions,
    expressions_typed,
    operators_nodes,
    access_nodes,
    functions,
    calls_nodes,
    methods_nodes,
    statements,
    loops,
    matching,
    patterns,
    assignment,
    paths,
    cleanup,
    declarations,
    structs,
    concurrency,
)


def _merged(table: str) -> dict[type, Any]:
    merged: dict[type, Any] = {}
    for module in _NODE_MODULES:
        own = getattr(module, table, {})
        assert merged.keys().isdisjoint(own), f"{module.__name__} compiles a node of another module"
        merged.update(own)
    return merged


_EXPRESSIONS = _merged("EXPRESSIONS")
_STATEMENTS = _merged("STATEMENTS")
_LEAVES = _merged("LEAVES")
_EMITTERS = _merged("EMITTERS")
_CONDITIONS = _merged("CONDITIONS")
_STATEMENT_EMITTERS = _merged("STATEMENT_EMITTERS")


class Compiler:
    """Compiles the nodes of one module for one run.

    ``leaves`` and ``emitters`` write expressions into a function under construction (leaves always,
    emitters while there is room), ``conditions`` those of which only the truth matters,
    ``statement_emitters`` statements. ``expressions`` and ``statements`` make functions directly.
    ``watched`` is true in the body of a ``deadline``, where every statement looks at ``ctx.stop`` first.
    """

    __slots__ = ("ctx", "lookup_type", "module", "watched")

    leaves = _LEAVES
    emitters = _EMITTERS
    conditions = _CONDITIONS
    expressions = _EXPRESSIONS
    statements = _STATEMENTS
    statement_emitters = _STATEMENT_EMITTERS

    def __init__(self, ctx: Context, module: ModuleInstance) -> None:
        self.ctx = ctx
        self.module = module
        self.lookup_type = _type_lookup(module)
        self.watched = False

    def expr(self, node: r.Expr) -> Eval:
        """Compile an expression: a function of the frame that gives its value."""
        kind = type(node)
        make = _EXPRESSIONS.get(kind)
        if make is not None:
            made: Eval = make(self, node)
            return made
        b = Builder(self)
        emit = _LEAVES.get(kind) or _EMITTERS[kind]
        b.line("return " + emit(b, node))
        return b.build()

    def stmt(self, node: r.Stmt) -> Eval:
        """Compile a statement: a function of the frame that gives ``None`` or a signal."""
        made: Eval = _STATEMENTS[type(node)](self, node)
        return made

    def emit_statement(self, b: Builder, node: r.Stmt) -> None:
        """Write a statement into the function under construction."""
        blocks.emit_statement(b, node)

    def block(self, block: r.Block) -> Eval:
        """Compile a block as a statement: a function that gives ``None`` or a signal."""
        return blocks.block(self, block)

    def block_value(self, block: r.Block) -> Eval:
        """Compile a block as an expression: a function that gives the value of the last statement."""
        return blocks.block_value(self, block)

    def body(self, function: r.Function) -> Eval:
        """Compile the body of a function: a function of the frame that gives the result of the call."""
        return blocks.body(self, function)

    def make_code(self, function: r.Function) -> Code:
        """Make the code of a function; its body is compiled when it is first called."""
        return functions.make_code(self, function)

    def target(self, target: r.Target) -> Callable[[list[Any], Any], None]:
        """Compile a declaring store: a function of the frame and the value."""
        return assignment.declare(self, target)

    def cell(self, name: str) -> list[Any]:
        """Give the cell of the module variable ``name``."""
        cell = self.module.lookup(name)
        assert cell is not None, f"the module has no variable {name}"
        return cell

    def checker(self, type_: r.Type) -> Checker | None:
        """Compile the check of a type; ``None`` accepts everything."""
        return compile_type(type_, self.lookup_type)

    def site(self, node: r.Node | Span) -> Site:
        """Give the place of ``node``, or of a span, for errors."""
        return self.module.source, node.span if isinstance(node, r.Node) else node


def _type_lookup(module: ModuleInstance) -> Callable[[str], TypeAlias | StructType | EnumType | None]:
    """Give the function that tells what a type's name means in ``module``."""

    def find(name: str) -> TypeAlias | StructType | EnumType | None:
        found = module.lookup_type(name)
        if found is not None:
            type_, home = found
            return TypeAlias(name, type_, find if home is module else _type_lookup(home))
        cell = module.lookup(name)
        value = cell[0] if cell is not None else None
        return value if isinstance(value, (StructType, EnumType)) else None

    return find
