"""Random expressions: compiled code does what a plain walk of the tree does, however much one function holds."""

from __future__ import annotations

from typing import Any

import pytest
from eval_trees import SPAN, const, local, make_compiler
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError
from harnpy.runtime import access, operators
from harnpy.runtime.calls import call
from harnpy.runtime.display import display
from harnpy.runtime.equality import contains, equal
from harnpy.runtime.methods import call_method
from harnpy.runtime.ordering import less, less_equal
from harnpy.runtime.templates import Builder
from harnpy.runtime.values import Builtin, Value

SLOTS = 4
KEYS = ("a", "b")


def walk(node: Any, f: list[Any], log: list[Any]) -> Any:
    """Evaluate ``node`` the plain way."""
    kind = type(node)
    return WALKERS[kind](node, f, log)


def walk_binary(node: r.Binary, f: list[Any], log: list[Any]) -> Any:
    a = walk(node.left, f, log)
    b = walk(node.right, f, log)
    if node.op in operators.BINARY:
        return operators.BINARY[node.op](a, b)
    return {
        "==": lambda: equal(a, b),
        "!=": lambda: not equal(a, b),
        "<": lambda: less(a, b),
        ">": lambda: less(b, a),
        "<=": lambda: less_equal(a, b),
        ">=": lambda: less_equal(b, a),
        "in": lambda: contains(b, a),
        "not in": lambda: not contains(b, a),
    }[node.op]()


def walk_let(node: r.LetIn, f: list[Any], log: list[Any]) -> Any:
    f[node.slot] = walk(node.value, f, log)
    result = walk(node.body, f, log)
    f[node.slot] = None
    return result


def walk_coalesce(node: r.Coalesce, f: list[Any], log: list[Any]) -> Any:
    value = walk(node.left, f, log)
    return walk(node.right, f, log) if value is None else value


def walk_property(node: r.Property, f: list[Any], log: list[Any]) -> Any:
    value = walk(node.receiver, f, log)
    return None if node.optional and value is None else access.get_property(value, node.name)


def walk_index(node: r.Index, f: list[Any], log: list[Any]) -> Any:
    value = walk(node.receiver, f, log)
    if node.optional and value is None:
        return None
    return access.get_index(value, walk(node.index, f, log))


def walk_slice(node: r.Slice, f: list[Any], log: list[Any]) -> Any:
    value = walk(node.receiver, f, log)
    if node.optional and value is None:
        return None
    bounds = [None if bound is None else (walk(bound, f, log),) for bound in (node.start, node.end)]
    checked = [
        None if bound is None else access.check_bound(which, bound[0])
        for which, bound in zip(("start", "end"), bounds, strict=True)
    ]
    return access.get_slice(value, *checked)


def walk_list(node: r.ListOf, f: list[Any], log: list[Any]) -> list[Any]:
    return [walk(item, f, log) for item in node.items]


def walk_dict(node: r.DictOf, f: list[Any], log: list[Any]) -> dict[str, Any]:
    return {entry.key.value: walk(entry.value, f, log) for entry in node.entries}  # type: ignore[union-attr]


def walk_interp(node: r.Interp, f: list[Any], log: list[Any]) -> str:
    return "".join([part if isinstance(part, str) else display(walk(part, f, log)) for part in node.parts])


def walk_call(node: r.Call, f: list[Any], log: list[Any]) -> Any:
    callee = walk(node.callee, f, log)
    return call(CONTEXT.ctx, callee, [walk(arg, f, log) for arg in node.args])


def walk_method(node: r.MethodCall, f: list[Any], log: list[Any]) -> Any:
    receiver = walk(node.receiver, f, log)
    if node.optional and receiver is None:
        return None
    return call_method(CONTEXT.ctx, receiver, node.name, [walk(arg, f, log) for arg in node.args])


def read_global(node: r.Global, f: list[Any], log: list[Any]) -> Any:
    return CONTEXT.module.lookup(node.name)[0]  # type: ignore[index]


WALKERS: dict[type, Any] = {
    r.Local: lambda node, f, log: f[node.slot],
    r.Const: lambda node, f, log: node.value,
    r.Global: read_global,
    r.Binary: walk_binary,
    r.Not: lambda node, f, log: not walk(node.value, f, log),
    r.Negate: lambda node, f, log: operators.negate(walk(node.value, f, log)),
    r.And: lambda node, f, log: bool(walk(node.left, f, log) and walk(node.right, f, log)),
    r.Or: lambda node, f, log: bool(walk(node.left, f, log) or walk(node.right, f, log)),
    r.Ternary: lambda node, f, log: walk(node.then if walk(node.cond, f, log) else node.otherwise, f, log),
    r.Coalesce: walk_coalesce,
    r.LetIn: walk_let,
    r.Property: walk_property,
    r.Index: walk_index,
    r.Slice: walk_slice,
    r.ListOf: walk_list,
    r.DictOf: walk_dict,
    r.Interp: walk_interp,
    r.Call: walk_call,
    r.MethodCall: walk_method,
}


class Fixture:
    """The compiler of the tests, with a callable ``note`` that records its argument."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        compiler = make_compiler()
        self.compiler = compiler
        self.ctx = compiler.ctx
        self.module = compiler.module
        log = self.log

        def note(value: Any = None, second: Any = None) -> Any:
            log.append(show(value))
            return value

        def size(value: Any, more: Any = None) -> int:
            log.append(("size", show(more)))
            return len(value)

        builtin = Builtin("note", note)
        method = Builtin("size", size)
        self.module.cells["note"] = [builtin]  # type: ignore[attr-defined]
        self.ctx.find_method = lambda kind, name: method if (kind, name) == ("list", "size") else None


CONTEXT = Fixture()

leaves = st.sampled_from([local(slot) for slot in range(SLOTS)]) | st.sampled_from(
    [const(value) for value in (None, True, False, 0, 1, 2, -1, 2**62, 1.5, "", "a", "ab")]
)
OPERATORS = [*operators.BINARY, "==", "!=", "<", ">", "<=", ">=", "in", "not in"]


def extend(inner: st.SearchStrategy[r.Expr]) -> st.SearchStrategy[r.Expr]:
    flags = st.booleans()
    bound = st.none() | inner
    several = st.lists(inner, max_size=3).map(tuple)
    note = r.Global(SPAN, "note")
    entry = st.builds(lambda key, value: r.Entry(SPAN, const(key), value), st.sampled_from(KEYS), inner)
    return st.one_of(
        st.builds(lambda op, a, b: r.Binary(SPAN, op, a, b), st.sampled_from(OPERATORS), inner, inner),
        st.builds(lambda a, b: r.And(SPAN, a, b), inner, inner),
        st.builds(lambda a, b: r.Or(SPAN, a, b), inner, inner),
        st.builds(lambda a, b: r.Coalesce(SPAN, a, b), inner, inner),
        st.builds(lambda a: r.Not(SPAN, a), inner),
        st.builds(lambda a: r.Negate(SPAN, a), inner),
        st.builds(lambda a, b, c: r.Ternary(SPAN, a, b, c), inner, inner, inner),
        st.builds(lambda slot, a, b: r.LetIn(SPAN, slot, a, b), st.integers(0, SLOTS - 1), inner, inner),
        st.builds(lambda a, key, opt: r.Property(SPAN, a, key, SPAN, opt), inner, st.sampled_from(KEYS), flags),
        st.builds(lambda a, b, opt: r.Index(SPAN, a, b, opt), inner, inner, flags),
        st.builds(lambda a, b, c, opt: r.Slice(SPAN, a, b, c, opt), inner, bound, bound, flags),
        several.map(lambda items: r.ListOf(SPAN, items)),
        st.lists(entry, max_size=3).map(lambda entries: r.DictOf(SPAN, tuple(entries))),
        several.map(lambda items: r.Interp(SPAN, ("<", *items, ">"))),
        several.map(lambda args: r.Call(SPAN, note, args[:2], False)),
        st.builds(
            lambda a, args, opt: r.MethodCall(SPAN, a, "size", SPAN, args[:1], opt, False), inner, several, flags
        ),
        st.builds(lambda a, args, opt: r.MethodCall(SPAN, a, "a", SPAN, args, opt, False), inner, several, flags),
    )


trees = st.recursive(leaves, extend, max_leaves=20)
frame_values = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.sampled_from([2**63 - 1, -(2**63), 0.5, "ab", True, [1, [2]], {"a": 1}, {"b": [None], "a": "x"}]),
)
frames = st.lists(frame_values, min_size=SLOTS, max_size=SLOTS)


def show(value: Any) -> Any:
    """Give a form of ``value`` that can be compared, NaN included."""
    if type(value) is float or isinstance(value, Value):
        return repr(value) if type(value) is float else display(value)
    if type(value) is list:
        return [show(item) for item in value]
    if type(value) is dict:
        return {key: show(item) for key, item in value.items()}
    return (type(value).__name__, value)


def outcome(run: Any, frame: list[Any]) -> Any:
    """Run and give what happened: result or error, the order of side effects, the frame afterwards."""
    own = list(frame)
    CONTEXT.log.clear()
    try:
        result = ("value", show(run(own)))
    except HarnError as error:
        result = ("error", show(error.value))
    return result, list(CONTEXT.log), [show(value) for value in own]


@pytest.mark.parametrize("room", [0, 1, 3, 100])
@settings(max_examples=150, deadline=None)
@given(tree=trees, frame=frames)
def test_compiled_code_does_what_a_walk_of_the_tree_does(room: int, tree: r.Expr, frame: list[Any]) -> None:
    expected = outcome(lambda f: walk(tree, f, []), frame)
    b = Builder(CONTEXT.compiler, room)
    text = b.value(tree)
    b.line(f"return {text}")
    assert outcome(b.build(), frame) == expected
    assert outcome(CONTEXT.compiler.expr(tree), frame) == expected


@settings(max_examples=150, deadline=None)
@given(tree=trees, frame=frames)
def test_a_condition_has_the_truth_of_its_value(tree: r.Expr, frame: list[Any]) -> None:
    b = Builder(CONTEXT.compiler, 100)
    b.line(f"if {b.condition(tree)}: return True")
    b.line("return False")
    assert outcome(b.build(), frame) == outcome(lambda f: bool(walk(tree, f, [])), frame)
