"""Assignments change a container in place exactly when nobody else can see it (design 4)."""

from __future__ import annotations

from typing import Any

import pytest
from eval_trees import SPAN, const, local, make_compiler

from harnpy.analysis import resolved as r
from harnpy.runtime.values import StructType, StructValue


def target(slot: int, boxed: bool = False) -> r.ToLocal:
    """Give a frame slot as a target."""
    return r.ToLocal(SPAN, slot, boxed, f"x{slot}")


def run(statement: r.Stmt, frame: list[Any]) -> list[Any]:
    """Run one statement on a frame."""
    assert make_compiler().stmt(statement)(frame) is None
    return frame


def add(left: r.Expr, right: r.Expr) -> r.Binary:
    """Give a sum."""
    return r.Binary(SPAN, "+", left, right)


def index(slot: int, key: Any, value: Any, op: str | None = None) -> r.StorePath:
    """Give ``x[key] op= value``."""
    return r.StorePath(SPAN, target(slot), (r.At(SPAN, const(key)),), op, const(value))


APPEND = r.Store(SPAN, target(0), add(local(0), r.ListOf(SPAN, (const(2),))))
MERGE = r.Store(SPAN, target(0), add(local(0), r.DictOf(SPAN, (r.Entry(SPAN, const("k"), const(2)),))))
EXTEND = r.Update(SPAN, target(0), "+", local(1))
PUSH = r.Store(SPAN, target(0), r.MethodCall(SPAN, local(0), "appending", SPAN, (const(2),), False, False))
GROWTH = [
    (APPEND, [1], [1, 2]),
    (MERGE, {"a": 1}, {"a": 1, "k": 2}),
    (EXTEND, [1], [1, 7]),
    (PUSH, [1], [1, 2]),
    (index(0, 0, 9), [1], [9]),
    (index(0, "a", 9), {"a": 1}, {"a": 9}),
    (index(0, 0, 9, "+"), [1], [10]),
]


@pytest.mark.parametrize(("statement", "start", "end"), GROWTH)
def test_single_owner_is_changed_in_place(statement: r.Stmt, start: Any, end: Any) -> None:
    """The object stays the same when only the slot owns it."""
    frame = [start.copy(), [7], None]
    before = id(frame[0])
    run(statement, frame)
    assert frame[0] == end
    assert id(frame[0]) == before


@pytest.mark.parametrize(("statement", "start", "end"), GROWTH)
def test_shared_container_is_copied(statement: r.Stmt, start: Any, end: Any) -> None:
    """The other owner keeps the old value."""
    other = start.copy()
    frame = [other, [7], None]
    run(statement, frame)
    assert frame[0] == end
    assert other == start


def test_nested_path_copies_only_shared_levels() -> None:
    """A path copies from the first shared level on and leaves the levels above alone."""
    inner = [1]
    middle = {"xs": inner, "other": [5]}
    outer = {"m": middle}
    del middle
    frame: list[Any] = [outer]
    del outer
    steps = (r.Key(SPAN, "m"), r.Key(SPAN, "xs"), r.At(SPAN, const(0)))
    ids = id(frame[0]), id(frame[0]["m"]), id(frame[0]["m"]["other"])
    run(r.StorePath(SPAN, target(0), steps, None, const(9)), frame)
    assert frame[0] == {"m": {"xs": [9], "other": [5]}}
    assert inner == [1]
    assert (id(frame[0]), id(frame[0]["m"]), id(frame[0]["m"]["other"])) == ids


def test_shared_root_copies_every_level_on_the_path() -> None:
    """Every level on the way has two owners once the root has been copied."""
    frame: list[Any] = [{"m": {"xs": [1]}, "side": [0]}]
    keep = frame[0]
    steps = (r.Key(SPAN, "m"), r.Key(SPAN, "xs"), r.At(SPAN, const(0)))
    run(r.StorePath(SPAN, target(0), steps, None, const(9)), frame)
    assert keep == {"m": {"xs": [1]}, "side": [0]}
    assert frame[0]["m"]["xs"] == [9]
    assert frame[0]["side"] is keep["side"]


def test_struct_field() -> None:
    """A struct value is a value, too; its field dict may have another owner of its own."""
    kind = StructType("P", ())
    fields = {"x": 1}
    shared = StructValue(kind, fields)
    frame: list[Any] = [shared]
    store = r.StorePath(SPAN, target(0), (r.Key(SPAN, "x"),), None, const(2))
    run(store, frame)
    assert shared.fields == {"x": 1}
    assert frame[0].fields == {"x": 2}
    assert frame[0].type is kind
    own = id(frame[0])
    run(store, frame)
    assert id(frame[0]) == own


def test_captured_variable_grows_in_place() -> None:
    """The cell of a captured variable counts as one owner."""
    frame: list[Any] = [[[1]]]
    before = id(frame[0][0])
    cell = r.LocalCell(SPAN, 0, "x0")
    run(r.Store(SPAN, target(0, True), add(cell, r.ListOf(SPAN, (const(2),)))), frame)
    assert frame == [[[1, 2]]]
    assert id(frame[0][0]) == before


def test_loop_over_a_list_holds_it() -> None:
    """A store inside the loop changes a copy, the loop goes on over the old list."""
    body = r.Block(SPAN, (index(0, 0, 5), r.Store(SPAN, target(2), add(local(2), local(1)))), (), False)
    frame: list[Any] = [[1, 2], None, 0]
    run(r.For(SPAN, r.PName(SPAN, target(1)), local(0), body), frame)
    assert frame == [[5, 2], 2, 3]


def test_stores_in_a_loop_copy_at_most_once() -> None:
    """Values left over from the turn before do not count as owners."""
    turns = r.RangeOf(SPAN, const(0), const(50), True)
    first = r.Index(SPAN, local(0), const(0), False)
    branch = r.If(SPAN, r.Binary(SPAN, "==", first, const(1)), r.Block(SPAN, (index(0, 1, 2),), (), False), None)
    stores = (
        index(0, 0, 1),
        r.StorePath(SPAN, target(0), (r.At(SPAN, local(1)),), "+", const(1)),
        APPEND,
        r.ExprStmt(SPAN, branch),
    )
    frame: list[Any] = [[0] * 60, None]
    before = id(frame[0])
    run(r.For(SPAN, r.PName(SPAN, target(1)), turns, r.Block(SPAN, stores, (), False)), frame)
    assert len(frame[0]) == 110
    assert id(frame[0]) == before


@pytest.mark.parametrize(("start", "more"), [([1], [2]), ({"a": 1}, {"b": 2})])
def test_container_inside_a_container_grows_in_place(start: Any, more: Any) -> None:
    """``x.k += e`` and ``x.k = x.k + e`` change the inner container when only the path owns it."""
    path = r.Property(SPAN, local(0), "k", SPAN, False)
    steps = (r.Key(SPAN, "k"),)
    updates = [
        r.StorePath(SPAN, target(0), steps, "+", local(1)),
        r.StorePath(SPAN, target(0), steps, None, add(path, local(1))),
    ]
    end = start + more if isinstance(start, list) else start | more
    for update in updates:
        frame: list[Any] = [{"k": start.copy()}, more]
        before = id(frame[0]["k"])
        run(update, frame)
        assert frame[0] == {"k": end}
        assert id(frame[0]["k"]) == before
        shared = start.copy()
        frame = [{"k": shared}, more]
        run(update, frame)
        assert frame[0] == {"k": end}
        assert shared == start


def test_old_value_is_read_before_the_operand() -> None:
    """An operand that stores into the same path does not change what the sum begins with."""
    steps = (r.Key(SPAN, "k"),)
    inner = r.StorePath(SPAN, target(0), steps, None, const("lost"))
    block = r.Block(SPAN, (inner, r.ExprStmt(SPAN, const("b"))), (), False)
    operand = r.If(SPAN, const(True), block, None)
    assert run(r.StorePath(SPAN, target(0), steps, "+", operand), [{"k": "a"}]) == [{"k": "ab"}]
