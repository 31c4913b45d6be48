"""Which ways out of a node the analysis foresees: the loops and functions catch jumps only where it says so."""

from __future__ import annotations

import pytest
from eval_trees import SPAN, const, local

from harnpy.analysis import resolved as r
from harnpy.runtime import signals

RETURN = r.Return(SPAN, const(1))
BREAK = r.Break(SPAN)
CONTINUE = r.Continue(SPAN)


def block(*statements: r.Stmt) -> r.Block:
    """Give a block."""
    return r.Block(SPAN, statements, (), False)


def choose(*statements: r.Stmt) -> r.If:
    """Give an ``if``."""
    return r.If(SPAN, local(0), block(*statements), None)


def statement(value: r.Expr) -> r.ExprStmt:
    """Give an expression as a statement."""
    return r.ExprStmt(SPAN, value)


def loop(*statements: r.Stmt) -> r.While:
    """Give a ``while``."""
    return r.While(SPAN, local(0), block(*statements))


NOTHING = r.Function(SPAN, "f", "closure", (), (), 0, block(RETURN), "")
CASES = [
    (RETURN, signals.RETURN),
    (BREAK, signals.BREAK),
    (CONTINUE, signals.CONTINUE),
    (statement(const(1)), 0),
    (statement(choose(RETURN, BREAK)), signals.RETURN | signals.BREAK),
    (loop(BREAK, CONTINUE), 0),
    (loop(RETURN), signals.RETURN),
    (loop(statement(choose(BREAK))), 0),
    (statement(r.MakeClosure(SPAN, NOTHING)), 0),
    (statement(r.ListOf(SPAN, (choose(RETURN),))), signals.RETURN_JUMP),
    (statement(r.Not(SPAN, choose(BREAK, CONTINUE))), signals.BREAK_JUMP | signals.CONTINUE_JUMP),
    (loop(statement(r.Not(SPAN, choose(BREAK)))), 0),
    (r.While(SPAN, choose(BREAK), block()), signals.BREAK_JUMP),
    (statement(r.Propagate(SPAN, local(0))), signals.RETURN_JUMP),
    (statement(r.Try(SPAN, block(RETURN), None, None, None, None)), signals.RETURN),
    (statement(r.Retry(SPAN, const(2), block(CONTINUE))), signals.CONTINUE),
    (r.Defer(SPAN, block(RETURN)), signals.RETURN),
    (r.Guard(SPAN, local(0), block(BREAK)), signals.BREAK),
]


@pytest.mark.parametrize(("node", "bits"), CASES)
def test_ways_out(node: r.Stmt, bits: int) -> None:
    """The bits are exactly the ways in which control can leave."""
    assert signals.leaves(node) == bits
    assert signals.can_signal(node) == bool(bits & signals.SIGNALS)


def test_value_of_a_statement_may_use_both_ways() -> None:
    """A construct on the right side may be written in place or stand alone."""
    declare = r.Declare(SPAN, r.ToLocal(SPAN, 1, False, "x"), None, choose(RETURN), "x")
    assert signals.leaves(declare) == signals.RETURN | signals.RETURN_JUMP
