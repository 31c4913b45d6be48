"""Statements that leave, test or choose: return, throw, break, continue, guard, require, if, block."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site, runtime_error
from harnpy.runtime import blocks
from harnpy.runtime.flow import EXPRESSION
from harnpy.runtime.templates import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.templates import Builder

    Run = Callable[[list[Any]], Any]

REQUIRE_FAILED = "require condition failed"


def thrown(value: Any, site: Site) -> HarnError:
    """Make the error of ``throw value`` at ``site``."""
    return HarnError(value, thrown=True, site=site)


share(thrown=thrown)


# --- whole expressions ------------------------------------------------------------------------


def _expression(compiler: Compiler, node: r.ExprStmt) -> Run:
    form: Callable[[Compiler, Any], Run] | None = compiler.statements.get(type(node.value))
    if form is not None:
        return form(compiler, node.value)
    return blocks.standalone(_emit_expression)(compiler, node)


def _emit_expression(b: Builder, node: r.ExprStmt) -> None:
    b.line(b.value(node.value))


# --- leaving ----------------------------------------------------------------------------------


def _emit_return(b: Builder, node: r.Return) -> None:
    value = "None" if node.value is None else blocks.emit_value(b, node.value)
    b.line((b.flow or EXPRESSION).leave.format(value))


def _emit_throw(b: Builder, node: r.Throw) -> None:
    value = blocks.emit_value(b, node.value)
    b.line(f"raise thrown({value}, {b.bind(b.compiler.site(node))})")


def _emit_break(b: Builder, node: r.Break) -> None:
    b.line((b.flow or EXPRESSION).stop)


def _emit_continue(b: Builder, node: r.Continue) -> None:
    b.line((b.flow or EXPRESSION).go_on)


# --- testing ----------------------------------------------------------------------------------


def _emit_guard(b: Builder, node: r.Guard) -> None:
    blocks.suite(b, f"if not ({b.condition(node.cond)}):", lambda: blocks.emit_block(b, node.otherwise, None))


def _emit_require(b: Builder, node: r.Require) -> None:
    condition = b.condition(node.cond)

    def fail() -> None:
        value = repr(REQUIRE_FAILED) if node.message is None else b.value(node.message)
        b.line(f"raise thrown({value}, {b.bind(b.compiler.site(node))})")

    blocks.suite(b, f"if not ({condition}):", fail)


def _not_supported(compiler: Compiler, node: r.NotSupported) -> Run:
    site = compiler.site(node)

    def run(frame: list[Any]) -> Any:
        error = runtime_error(f"{node.what}: not supported yet")
        error.locate(site)
        raise error

    return run


# --- choosing ---------------------------------------------------------------------------------


def emit_if(b: Builder, node: r.If, prefix: str | None) -> None:
    """Write ``if``; every branch delivers its value by ``prefix``, if there is one."""
    blocks.suite(b, f"if {b.condition(node.cond)}:", lambda: blocks.emit_block(b, node.then, prefix))
    otherwise = node.otherwise
    if otherwise is None:
        if prefix == blocks.RETURN:
            b.line("return None")
        elif prefix is not None:
            blocks.suite(b, "else:", lambda: b.line(prefix + "None"))
    elif type(otherwise) is r.If:
        emit = emit_if if b.room > 0 else blocks.emit_apart
        b.room -= 1
        blocks.suite(b, "else:", lambda: emit(b, otherwise, prefix))
    elif prefix == blocks.RETURN:
        blocks.emit_block(b, otherwise, prefix)  # type: ignore[arg-type]
    else:
        blocks.suite(b, "else:", lambda: blocks.emit_block(b, otherwise, prefix))  # type: ignore[arg-type]


def emit_scope(b: Builder, node: r.BlockExpr, prefix: str | None) -> None:
    """Write ``block { }``."""
    blocks.emit_block(b, node.body, prefix)


blocks.RESULT_FORMS[r.If] = emit_if
blocks.RESULT_FORMS[r.BlockExpr] = emit_scope


def in_statement_mode(emit: Callable[[Builder, Any, str | None], None]) -> Callable[[Builder, Any], None]:
    """Give the statement emitter of a result form."""

    def emit_statement(b: Builder, node: Any) -> None:
        emit(b, node, None)

    return emit_statement


def as_expression(compiler: Compiler, node: Any) -> Run:
    """Compile a node with blocks inside in expression mode."""
    return blocks.form(compiler, node, EXPRESSION)


STATEMENT_EMITTERS: dict[type, Callable[[Builder, Any], None]] = {
    r.Return: _emit_return,
    r.Throw: _emit_throw,
    r.Break: _emit_break,
    r.Continue: _emit_continue,
    r.Guard: _emit_guard,
    r.Require: _emit_require,
    r.If: in_statement_mode(emit_if),
    r.BlockExpr: in_statement_mode(emit_scope),
}

STATEMENTS: dict[type, Callable[[Compiler, Any], Run]] = {
    r.ExprStmt: _expression,
    r.NotSupported: _not_supported,
    **{kind: blocks.standalone(emit) for kind, emit in STATEMENT_EMITTERS.items()},
}

EXPRESSIONS: dict[type, Callable[[Compiler, Any], Run]] = {r.If: as_expression, r.BlockExpr: as_expression}
