"""Calls from Python and from compiled code: depth, tail calls, places and traces, the host's limits."""

from __future__ import annotations

from typing import Any

import pytest
from eval_trees import SPAN, const, local, make_compiler

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError
from harnpy.runtime import calls
from harnpy.runtime.compile import Compiler
from harnpy.runtime.functions import make_code
from harnpy.runtime.limits import allow_depth
from harnpy.runtime.values import Builtin, Closure


def function(name: str, params: int, *body: r.Stmt) -> r.Function:
    """Make the node of a function with plain parameters."""
    names = tuple(r.Param(SPAN, f"p{number}", None, None, False) for number in range(params))
    return r.Function(SPAN, name, "fn", names, (), params, r.Block(SPAN, body, (), False), "")


def define(compiler: Compiler, node: r.Function) -> Closure:
    """Bind a function to its name in the module."""
    closure = Closure(make_code(compiler, node), [])
    compiler.module.cells[node.name] = [closure]  # type: ignore[attr-defined]
    return closure


def returns(value: r.Expr) -> r.Return:
    return r.Return(SPAN, value)


def call_of(name: str, *args: r.Expr, tail: bool = False) -> r.Call:
    return r.Call(SPAN, r.Global(SPAN, name), args, tail)


@pytest.fixture
def compiler() -> Compiler:
    """Give a compiler with a depth limit of 50 calls."""
    made = make_compiler()
    made.ctx.max_depth = 50
    allow_depth(50)
    return made


def plus(left: r.Expr, right: r.Expr) -> r.Binary:
    return r.Binary(SPAN, "+", left, right)


def countdown(compiler: Compiler, *, tail: bool) -> Closure:
    """Define ``down(n)``, which calls itself n times."""
    again = call_of("down", r.Binary(SPAN, "-", local(0), const(1)), tail=tail)
    done = r.If(SPAN, r.Binary(SPAN, "<=", local(0), const(0)), r.Block(SPAN, (returns(const(0)),), (), False), None)
    rest = returns(again) if tail else returns(plus(const(1), again))
    return define(compiler, function("down", 1, r.ExprStmt(SPAN, done), rest))


def test_the_depth_limit_holds_from_both_sides(compiler: Compiler) -> None:
    down = countdown(compiler, tail=False)
    assert calls.call(compiler.ctx, down, [49]) == 49
    assert compiler.ctx.depth == 0
    with pytest.raises(HarnError) as caught:
        calls.call(compiler.ctx, down, [50])
    assert caught.value.value == calls.OVERFLOW
    assert len(caught.value.trace) == 49


def test_tail_calls_take_no_depth_and_leave_no_trace(compiler: Compiler) -> None:
    down = countdown(compiler, tail=True)
    assert calls.call(compiler.ctx, down, [20_000]) == 0
    assert compiler.ctx.depth == 0


def test_a_chain_of_tail_calls_hears_the_stop(compiler: Compiler) -> None:
    down = countdown(compiler, tail=True)

    def stop() -> None:
        raise HarnError("stopped")

    heard: list[int] = []

    def first_turns() -> None:
        heard.append(1)
        if len(heard) > 3:
            stop()

    compiler.ctx.stop = first_turns
    with pytest.raises(HarnError, match="stopped"):
        calls.call(compiler.ctx, down, [10**9])


def test_arguments_count_before_the_body_runs(compiler: Compiler) -> None:
    two = define(compiler, function("two", 2, returns(local(0))))
    assert calls.call(compiler.ctx, two, [1, 2, 3]) == 1
    with pytest.raises(HarnError, match="'two' expects 2 arguments, got 1"):
        calls.call(compiler.ctx, two, [1])


def test_extra_arguments_of_a_builtin_are_evaluated_and_dropped(compiler: Compiler) -> None:
    seen: list[Any] = []

    def one(value: Any = None) -> Any:
        return value

    def note(value: Any = None) -> None:
        seen.append(value)

    table = {"one": Builtin("one", one), "note": Builtin("note", note)}
    compiler.ctx.find_builtin = table.get
    assert compiler.expr(call_of("one", const(5), call_of("note", const(1)), call_of("note", const(2))))([]) == 5
    assert seen == [1, 2]


def test_the_innermost_place_stays_and_each_call_adds_to_the_trace(compiler: Compiler) -> None:
    inner_span, outer_span = (1, 2), (2, 3)
    failing = r.Binary(inner_span, "/", const(1), const(0))
    define(compiler, function("inner", 0, returns(failing)))
    define(
        compiler, function("outer", 0, returns(plus(const(1), r.Call(outer_span, r.Global(SPAN, "inner"), (), False))))
    )
    run = compiler.expr(call_of("outer"))
    with pytest.raises(HarnError) as caught:
        run([])
    assert caught.value.site == (compiler.module.source, inner_span)
    assert [(name, site[1]) for name, site in caught.value.trace] == [("inner", outer_span), ("outer", SPAN)]


@pytest.mark.parametrize(("fault", "text"), [(RecursionError, calls.OVERFLOW), (MemoryError, calls.OUT_OF_MEMORY)])
def test_limits_of_the_host_become_errors_of_the_program(compiler: Compiler, fault: type, text: str) -> None:
    def fail() -> None:
        raise fault

    compiler.ctx.find_builtin = {"fail": Builtin("fail", fail)}.get
    with pytest.raises(HarnError) as caught:
        compiler.expr(call_of("fail"))([])
    assert caught.value.value == text


def test_values_that_cannot_be_called_say_what_they_are(compiler: Compiler) -> None:
    with pytest.raises(HarnError, match="Cannot call 5"):
        calls.call(compiler.ctx, 5, [])
