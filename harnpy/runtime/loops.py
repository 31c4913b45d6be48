"""Loops: ``for`` over every iterable and ``while``; each is a Python function of its own with its body inside."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime import blocks
from harnpy.runtime.flow import STATEMENT
from harnpy.runtime.patterns import emit_destructure
from harnpy.runtime.signals import BREAK_JUMP, CONTINUE_JUMP, leaves
from harnpy.runtime.templates import Builder, share
from harnpy.runtime.values import RangeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.context import Context

    Run = Callable[[list[Any]], Any]

# How many nodes a loop takes into its Python function. Generous: this is where programs spend their time.
LOOP_ROOM = 24


def turns(ctx: Context, value: Any) -> Iterable[Any]:
    """Give the items over which ``for`` runs (language 8.2).

    A list is not copied: while the loop holds it, it has a second owner, so that assignments to the
    variable change a copy.
    """
    kind = type(value)
    if kind is list:
        return value  # type: ignore[no-any-return]
    if kind is RangeValue:
        return range(value.start, value.stop)
    from harnpy.runtime.iterators import iterate

    found = iterate(ctx, value)
    return () if found is None else found


share(turns=turns)


def _for(compiler: Compiler, node: r.For) -> Run:
    b = Builder(compiler, LOOP_ROOM)
    b.flow = STATEMENT
    ctx = b.bind(compiler.ctx)
    items = f"turns({ctx}, {blocks.emit_value(b, node.iterable)})"
    pattern = node.pattern
    target = pattern.target if type(pattern) is r.PName else None
    item = f"f[{b.bind(target.slot)}]" if type(target) is r.ToLocal and not target.boxed else "item"
    with b.block(f"for {item} in {items}:"):
        _emit_stop_check(b, ctx)
        if item == "item" and type(target) is not r.ToNothing:
            emit_destructure(b, pattern, item)
            b.line("item = None")
        _emit_turn(b, node.body)
    return blocks.build(b)


def _while(compiler: Compiler, node: r.While) -> Run:
    b = Builder(compiler, LOOP_ROOM)
    b.flow = STATEMENT
    ctx = b.bind(compiler.ctx)
    # A condition with a `break` of an outer loop inside must not be written into this loop.
    apart = b.bind(compiler.expr(node.cond)) + "(f)" if leaves(node.cond) else None
    with b.block("while True:"):
        b.line(f"if not ({apart or b.condition(node.cond)}): break")
        _emit_stop_check(b, ctx)
        _emit_turn(b, node.body)
    return blocks.build(b)


def _emit_stop_check(b: Builder, ctx: str) -> None:
    b.line(f"if {ctx}.stop: {ctx}.stop()")


def _emit_turn(b: Builder, body: r.Block) -> None:
    """Write one turn; jumps out of expressions that end it are caught only where one can come."""
    outer = b.flow
    b.flow = outer.in_loop()
    bits = leaves(body)
    if bits & (BREAK_JUMP | CONTINUE_JUMP):
        with b.block("try:"):
            blocks.emit_block(b, body, None)
            b.line("pass")
        b.line("except ContinueJump: pass")
        b.line("except BreakJump: break")
    else:
        blocks.emit_block(b, body, None)
    # Values held over into the next turn would make every container look shared.
    b.release()
    b.flow = outer


STATEMENTS: dict[type, Callable[[Compiler, Any], Run]] = {r.For: _for, r.While: _while}
