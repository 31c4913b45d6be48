"""Writes out what calls of a few builtins usually come to, and tests for kinds and words."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime.atomics import Atomic
from harnpy.runtime.templates import share
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.templates import Builder
    from harnpy.runtime.values import Builtin

# The Python type of the kinds that are one exact type each, as generated code spells it.
_EXACT = {
    "int": "int",
    "float": "float",
    "string": "str",
    "bytes": "bytes",
    "list": "list",
    "dict": "dict",
    "bool": "bool",
}


# What most calls of a few builtins come to: the number of arguments, the test that it is so, and the value.
_USUAL = {
    "to_string": (1, "type({0}) is str", "{0}"),
    "to_int": (1, "type({0}) is int", "{0}"),
    "len": (1, "type({0}) is list or type({0}) is str or type({0}) is dict", "len({0})"),
    "max": (2, "type({0}) is int and type({1}) is int", "{1} if {1} > {0} else {0}"),
    "min": (2, "type({0}) is int and type({1}) is int", "{1} if {1} < {0} else {0}"),
    "atomic_get": (1, "type({0}) is Atomic", "{0}.value"),
}


def usual_case(b: Builder, builtin: Builtin, args: list[str]) -> tuple[str, str, list[str]] | None:
    """Give the test and the value of the usual case of a call, and the names of its arguments."""
    count, test, value = _USUAL.get(builtin.name, (-1, "", ""))
    if count != len(args):
        return None
    names = [b.held(arg) for arg in args]
    return test.format(*names), value.format(*names), names


def kind_test(b: Builder, node: r.Binary) -> str | None:
    """``type_of(value) == "kind"`` and the like as a test of the Python type; None for any other comparison."""
    asked = asked_kind(node, b.compiler.module)
    return None if asked is None else kind_text(b, node.op, b.hold(asked[0]), asked[1])


def asked_kind(node: r.Binary, module: Any) -> tuple[r.Expr, list[str]] | None:
    """Give the value and the words of ``type_of(value) == "word"``, of ``in ["word", ...]`` and of the opposites.

    ``module`` tells whether ``type_of`` has its usual meaning; None when that is known.
    """
    call, op = node.left, node.op
    if type(call) is not r.Call or type(call.callee) is not r.Global or call.callee.name != "type_of":
        return None
    if len(call.args) != 1 or (module is not None and module.lookup("type_of") is not None):
        return None
    argument = call.args[0]
    words = _words(node.right)
    fitting = op in ("in", "not in") if isinstance(node.right, r.ListOf) else op in ("==", "!=")
    return None if words is None or not fitting or isinstance(argument, r.Spread) else (argument, words)


def kind_text(b: Builder, op: str, value: str, words: list[str]) -> str:
    """Give the test that the held ``value`` is of one of the kinds ``words``, or the opposite."""
    negated = "not " if op in ("!=", "not in") else ""
    if words == ["nil"]:
        return f"({negated}{value} is None)"
    if len(words) == 1 and words[0] in _EXACT:
        return f"({negated}type({value}) is {_EXACT[words[0]]})"
    return f"({negated}type_of({value}) in {b.bind(frozenset(words))})"


def _words(node: r.Expr) -> list[str] | None:
    """Give the strings of a constant, or of a list of constants."""
    parts = list(node.items) if type(node) is r.ListOf else [node]
    words = [part.value for part in parts if type(part) is r.Const and type(part.value) is str]
    return words if len(words) == len(parts) else None


def word_test(b: Builder, node: r.Binary) -> str | None:
    """``value in ["a", "b"]`` with constants only: the list is not made each time."""
    if node.op not in ("in", "not in") or type(node.right) is not r.ListOf:
        return None
    words = _words(node.right)
    if words is None:
        return None
    value = b.hold(node.left)
    found = f"type({value}) is str and {value} in {b.bind(frozenset(words))}"
    return f"({found})" if node.op == "in" else f"(not ({found}))"


share(Atomic=Atomic, type_of=type_of)
