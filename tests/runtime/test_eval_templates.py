"""The builder of generated functions: sharing of shapes, order of evaluation, letting go of values."""

from __future__ import annotations

from typing import Any

from eval_trees import SPAN, const, local, make_compiler

from harnpy.analysis import resolved as r
from harnpy.runtime import templates
from harnpy.runtime.templates import Builder


def test_nodes_of_one_shape_share_one_compiled_factory() -> None:
    compiler = make_compiler()
    first = compiler.expr(r.Binary(SPAN, "+", local(3), const(40)))
    before = len(templates._factories)
    second = compiler.expr(r.Binary(SPAN, "+", local(5), const(70)))
    assert len(templates._factories) == before
    assert first.__code__ is second.__code__  # type: ignore[attr-defined]
    assert second([0, 0, 0, 0, 0, 1]) == 71


def test_an_operand_that_a_later_one_changes_is_read_first() -> None:
    compiler = make_compiler()
    change = r.LetIn(SPAN, 0, const(10), r.Binary(SPAN, "+", local(0), const(1)))
    assert compiler.expr(r.ListOf(SPAN, (local(0), change, local(0))))([1]) == [1, 11, None]
    assert compiler.expr(r.Binary(SPAN, "+", local(0), change))([1]) == 12


def test_deep_trees_compile_and_run() -> None:
    compiler = make_compiler()
    node: r.Expr = local(0)
    for _ in range(150):
        node = r.Binary(SPAN, "+", node, const(1))
    assert compiler.expr(node)([0]) == 150
    for _ in range(150):
        node = r.Ternary(SPAN, r.Binary(SPAN, "<", local(0), const(5)), node, r.Coalesce(SPAN, node, const(1)))
        node = r.Index(SPAN, r.ListOf(SPAN, (node,)), const(0), False)
        if len(repr(node)) > 100_000:
            break
    assert compiler.expr(node)([0]) == 150


def test_release_forgets_all_temporary_values() -> None:
    b = Builder(make_compiler())
    b.hold(local(0))
    b.hold(local(1))
    b.release()
    b.release()
    b.line("return [t1, t2]")
    assert b.build()([1, 2]) == [None, None]


def test_a_constant_operand_is_no_temporary() -> None:
    b = Builder(make_compiler())
    names: list[Any] = b.holds([const("a"), local(0)])
    assert names[0].startswith("v")
    assert b.loose == [names[1]]
