"""Compiles calls of a few builtins without a call: ``type_of``, its comparison with names of kinds, ``to_string``."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime.display import display
from harnpy.runtime.templates import share
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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


def _type_of(args: list[str]) -> str:
    return f"type_of({args[0]})"


def _to_string(args: list[str]) -> str:
    return f"({args[0]} if type({args[0]}) is str else display({args[0]}))"


# What is written for a call with one argument, by the name of the builtin; the argument is a held name.
_WRITTEN: dict[str, Callable[[list[str]], str]] = {"type_of": _type_of, "to_string": _to_string}


def written_out(b: Builder, builtin: Builtin, args: list[str]) -> str | None:
    """Give the expression that does what the call does, if there is one."""
    write = _WRITTEN.get(builtin.name)
    if write is None or len(args) != 1:
        return None
    return write([b.held(args[0])])


def kind_test(b: Builder, node: r.Binary) -> str | None:
    """``type_of(value) == "kind"`` and the like as a test of the Python type; None for any other comparison."""
    if node.op not in ("==", "!=", "in", "not in"):
        return None
    asked = _argument_of_type_of(b, node.left)
    words = _words(node.right)
    if asked is None or words is None or isinstance(node.right, r.ListOf) != ("in" in node.op):
        return None
    value = b.hold(asked)
    types = [_EXACT.get(word) for word in words]
    negated = "not " if node.op.startswith(("!", "n")) else ""
    if words == ["nil"]:
        return f"({negated}{value} is None)"
    if len(types) == 1 and types[0] is not None:
        return f"({negated}type({value}) is {types[0]})"
    return f"({negated}type_of({value}) in {b.bind(frozenset(words))})"


def _argument_of_type_of(b: Builder, node: r.Expr) -> r.Expr | None:
    if type(node) is not r.Call or len(node.args) != 1 or type(node.callee) is not r.Global:
        return None
    argument = node.args[0]
    compiler = b.compiler
    if node.callee.name != "type_of" or isinstance(argument, r.Spread) or compiler.module.lookup("type_of") is not None:
        return None
    return argument


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


share(display=display, type_of=type_of)
