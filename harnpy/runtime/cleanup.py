"""Errors and clean-up: ``try`` in all its forms, ``retry``, and the protection that ``finally`` and ``defer`` give."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, type_error
from harnpy.runtime import blocks
from harnpy.runtime.calls import FAULTS, OUT_OF_MEMORY, OVERFLOW
from harnpy.runtime.control import BreakJump, ContinueJump, ReturnJump
from harnpy.runtime.flow import BODY, EXPRESSION, STATEMENT, leave_by, raise_signal
from harnpy.runtime.patterns import declare, emit_declare
from harnpy.runtime.signals import SIGNALS, leaves
from harnpy.runtime.statements import in_statement_mode
from harnpy.runtime.templates import share
from harnpy.runtime.values import RESULT, EnumValue, err, ok, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.context import Context
    from harnpy.runtime.flow import Flow
    from harnpy.runtime.templates import Builder

    Run = Callable[[list[Any]], Any]

# What may be pending and can be replaced by clean-up; anything else ends the run or the task.
_REPLACEABLE = (*FAULTS, ReturnJump, BreakJump, ContinueJump)


def caught_value(error: BaseException) -> Any:
    """Give what ``catch`` binds for ``error`` (language 9.1)."""
    if isinstance(error, HarnError):
        return error.value
    return OVERFLOW if isinstance(error, RecursionError) else OUT_OF_MEMORY


# Python nests at most 20 blocks; deeper inside than this many columns a ``try`` is a function of its own.
_DEEPEST_TRY = 40


# --- try --------------------------------------------------------------------------------------


def _try(compiler: Compiler, node: r.Try, flow: Flow) -> Run:
    if node.catch_body is not None:
        handler = blocks.part_watched(compiler, node.catch_body, flow, watched=False)
        target = node.catch_target or r.ToNothing(node.span)
        body = blocks.part(compiler, node.body, flow)
        run = _catching(compiler.ctx, body, node.catch_type, declare(compiler, target), handler)
    elif node.finally_body is not None:
        run = blocks.part(compiler, node.body, flow)
    elif flow is STATEMENT:
        run = _catching(compiler.ctx, blocks.part(compiler, node.body, flow), None, _drop, _nothing)
    else:
        run = _as_result(compiler.ctx, blocks.part(compiler, node.body, EXPRESSION), flow is BODY)
    if node.finally_body is not None:
        run = protect(compiler, run, blocks.block(compiler, node.finally_body), flow)
    return run


def _drop(frame: list[Any], value: Any) -> None:
    """Bind an error to nothing."""


def _nothing(frame: list[Any]) -> None:
    """Handle an error by doing nothing."""


def _catching(
    ctx: Context, body: Run, catch_type: str | None, bind: Callable[[list[Any], Any], None], handler: Run
) -> Run:
    def run(frame: list[Any]) -> Any:
        depth = ctx.depth
        try:
            return body(frame)
        except FAULTS as error:
            value = caught_value(error)
            if catch_type is not None and not thrown_enum(error, catch_type):
                raise
        ctx.depth = depth
        bind(frame, value)
        outcome = handler(frame)
        if ctx.stop:  # an expired deadline is raised again once its catch is through
            ctx.stop()
        return outcome

    return run


def thrown_enum(error: BaseException, name: str) -> bool:
    """Tell whether a value of the enum ``name`` was thrown."""
    if not isinstance(error, HarnError) or not error.thrown:
        return False
    return type(error.value) is EnumValue and error.value.type.name == name


def _as_result(ctx: Context, body: Run, in_function: bool) -> Run:
    """Compile ``try { }`` alone: the value or the error as a ``Result``; a ``return`` still leaves the function."""

    def run(frame: list[Any]) -> Any:
        depth = ctx.depth
        try:
            value = body(frame)
        except FAULTS as error:
            ctx.depth = depth
            if ctx.stop:
                ctx.stop()
            return err(caught_value(error))
        except ReturnJump as jump:
            if in_function and jump.frame is frame:
                return jump.value
            raise
        if type(value) is EnumValue and value.type is RESULT:
            return value
        return ok(value)

    return run


def emit_try(b: Builder, node: r.Try, prefix: str | None) -> None:
    """Write ``try`` with a ``catch`` in place; the handler is a function of its own."""
    handler = node.catch_body
    if handler is None or node.finally_body is not None or len(b.indent) > _DEEPEST_TRY:
        blocks.emit_apart(b, node, prefix)
        return
    ctx, depth, caught = b.bind(b.compiler.ctx), b.name("d"), b.name("e")
    b.line(f"{depth} = {ctx}.depth")
    b.line(f"{caught} = UNSET")
    blocks.suite(b, "try:", lambda: blocks.emit_block(b, node.body, prefix))
    with b.block("except FAULTS as error:"):
        if node.catch_type is not None:
            b.line(f"if not thrown_enum(error, {b.bind(node.catch_type)}): raise")
        b.line(f"{caught} = caught_value(error)")
    with b.block(f"if {caught} is not UNSET:"):
        b.line(f"{ctx}.depth = {depth}")
        emit_declare(b, node.catch_target or r.ToNothing(node.span), caught)
        b.line(f"{caught} = None")
        _emit_handler(b, handler, ctx, prefix)


def _emit_handler(b: Builder, handler: r.Block, ctx: str, prefix: str | None) -> None:
    flow = STATEMENT
    if prefix is not None:
        flow = BODY if prefix == blocks.RETURN and b.flow is BODY else EXPRESSION
    outcome = b.name("r")
    run = blocks.part_watched(b.compiler, handler, flow, watched=False)
    b.line(f"{outcome} = {b.bind(run)}(f)")
    # An expired deadline is raised again once its catch is through.
    b.line(f"if {ctx}.stop: {ctx}.stop()")
    bits = leaves(handler) & SIGNALS
    if prefix is not None:
        b.line(prefix + outcome)
        b.loose.append(outcome)
    elif bits:
        with b.block(f"if {outcome} is not None:"):
            leave_by(b, outcome, bits)


# --- retry ------------------------------------------------------------------------------------


def _retry(compiler: Compiler, node: r.Retry, flow: Flow) -> Run:
    ctx = compiler.ctx
    count = compiler.expr(node.count)
    body = blocks.part(compiler, node.body, flow)
    site = compiler.site(node.count)

    def run(frame: list[Any]) -> Any:
        left = count(frame)
        if type(left) is not int:
            error = type_error(f"retry count must be an int, got {type_of(left)}")
            error.locate(site)
            raise error
        depth = ctx.depth
        while True:
            try:
                return body(frame)
            except FAULTS:
                left -= 1
                if left <= 0:
                    raise
            ctx.depth = depth
            if ctx.stop:
                ctx.stop()

    return run


# --- finally and defer ------------------------------------------------------------------------


def protect(compiler: Compiler, body: Run, final: Run, flow: Flow) -> Run:
    """Give ``body`` with ``final`` run behind it however it ends (language 9.6).

    ``final`` is in statement mode: its signal replaces the outcome of ``body``, as does an error that it throws.
    """
    ctx = compiler.ctx
    replace = _REPLACE[flow]

    def run(frame: list[Any]) -> Any:
        depth = ctx.depth
        try:
            outcome = body(frame)
        except BaseException as pending:
            ctx.depth = depth
            if not isinstance(pending, _REPLACEABLE):
                _clean_up_at_end(ctx, final, frame)
                raise
            signal = _clean_up(ctx, final, frame)
            if signal is None:
                raise
        else:
            signal = _clean_up(ctx, final, frame)
            if signal is None:
                return outcome
        return replace(frame, signal)

    return run


def _clean_up(ctx: Context, final: Run, frame: list[Any]) -> Any:
    """Run clean-up code; an expired deadline does not cut it short."""
    scheduler = ctx.scheduler
    scheduler.begin_cleanup()
    try:
        return final(frame)
    finally:
        scheduler.end_cleanup()


def _clean_up_at_end(ctx: Context, final: Run, frame: list[Any]) -> None:
    """Run clean-up code while the run ends: nothing that it does can hold the end up."""
    try:  # noqa: SIM105 - contextlib is not on the way of every start
        _clean_up(ctx, final, frame)
    except _REPLACEABLE:
        pass


def _first(frame: list[Any], signal: Any) -> Any:
    return signal[0]


def _same(frame: list[Any], signal: Any) -> Any:
    return signal


_REPLACE: dict[Flow, Callable[[list[Any], Any], Any]] = {BODY: _first, STATEMENT: _same, EXPRESSION: raise_signal}


# --- tables -----------------------------------------------------------------------------------


def _in_flow(form: Callable[[Compiler, Any, Flow], Run], flow: Flow) -> Callable[[Compiler, Any], Run]:
    def compile_form(compiler: Compiler, node: Any) -> Run:
        return form(compiler, node, flow)

    return compile_form


share(FAULTS=FAULTS, caught_value=caught_value, thrown_enum=thrown_enum)

blocks.OWN_FORMS[r.Try] = _try
blocks.RESULT_FORMS[r.Try] = emit_try
blocks.OWN_FORMS[r.Retry] = _retry


EXPRESSIONS: dict[type, Callable[[Compiler, Any], Run]] = {
    r.Try: _in_flow(_try, EXPRESSION),
    r.Retry: _in_flow(_retry, EXPRESSION),
}

STATEMENT_EMITTERS: dict[type, Callable[[Builder, Any], None]] = {r.Try: in_statement_mode(emit_try)}

STATEMENTS: dict[type, Callable[[Compiler, Any], Run]] = {
    r.Try: _in_flow(_try, STATEMENT),
    r.Retry: _in_flow(_retry, STATEMENT),
}
