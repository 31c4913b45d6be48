"""Compiles the operators: int and float paths written out with exact type tests, a call for the rest."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime.builtin_nodes import kind_test, word_test
from harnpy.runtime.convert import fit
from harnpy.runtime.equality import equal
from harnpy.runtime.operators import BINARY, negate_at, not_within, placed, within
from harnpy.runtime.ordering import less, less_equal
from harnpy.runtime.sizes import emit_list_bound, emit_text_bound
from harnpy.runtime.templates import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.templates import Builder

# A result between these bounds is surely in the 64-bit range; comparing with ints of one digit is fast.
_SMALL = 2**30

# How the inline path of ints and of floats is written, and what must hold besides the types.
_INLINE = {
    "+": ("{x} + {y}", "", ""),
    "-": ("{x} - {y}", "", ""),
    "*": ("{x} * {y}", "", ""),
    "/": ("{x} // {y}", " and {x} >= 0 and {y} > 0", " and {y}"),
    "%": ("{x} % {y}", " and {x} >= 0 and {y} > 0", ""),
}
_MAY_OVERFLOW = frozenset("+-*")
_SLOW_NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo", "**": "power"}
_COMPARISONS = {
    "<": "less({x}, {y})",
    ">": "less({y}, {x})",
    "<=": "less_equal({x}, {y})",
    ">=": "less_equal({y}, {x})",
}


def binary(b: Builder, node: r.Binary) -> str:
    """Any binary operator."""
    test = kind_test(b, node) or word_test(b, node)
    if test is not None:
        return test
    left, right = b.holds([node.left, node.right])
    return binary_of(b, node.op, left, right, (node.left, node.right), node)


def binary_of(b: Builder, op: str, x: str, y: str, operands: tuple[r.Expr | None, r.Expr | None], node: r.Node) -> str:
    """``x op y`` of two held names; ``operands`` are their nodes where known, ``node`` gives the place."""
    kinds = (_constant_kind(operands[0]), _constant_kind(operands[1]))
    if op in _SLOW_NAMES:
        return _arithmetic(b, op, x, y, operands, node)
    if op in _COMPARISONS:
        return _comparison(op, x, y, kinds)
    if op == "==":
        return _equality(x, y, kinds)
    if op == "!=":
        return f"(not {_equality(x, y, kinds)})"
    if op == "in":
        return f"({x} in {y} if type({y}) is dict and type({x}) is str else within({x}, {y}))"
    return f"({x} not in {y} if type({y}) is dict and type({x}) is str else not_within({x}, {y}))"


def _constant_kind(node: r.Expr | None) -> type | None:
    return type(node.value) if type(node) is r.Const else None


def _are(kind: type, x: str, y: str, kinds: tuple[type | None, type | None]) -> str | None:
    """The test that both operands are of ``kind``; None when a constant says that they are not."""
    tests = []
    for name, known in zip((x, y), kinds, strict=True):
        if known is None:
            tests.append(f"type({name}) is {kind.__name__}")
        elif known is not kind:
            return None
    return " and ".join(tests) or "True"


def _arithmetic(
    b: Builder, op: str, x: str, y: str, operands: tuple[r.Expr | None, r.Expr | None], node: r.Node
) -> str:
    result = b.temp()
    kinds = (_constant_kind(operands[0]), _constant_kind(operands[1]))
    word = "if"
    for kind, (extra, lines) in _paths(op, x, y, result, operands).items():
        test = _are(kind, x, y, kinds)
        if test is not None:
            with b.block(f"{word} {test}{extra}:"):
                for line in lines:
                    b.line(line)
                if kind is str:
                    emit_text_bound(b, f"len({result})", node)
            word = "elif"
    slow = f"{result} = {_SLOW_NAMES[op]}_at({x}, {y}, {b.bind(b.compiler.site(node))})"
    with b.block("else:" if word == "elif" else "if True:"):
        b.line(slow)
        if op == "+":
            emit_list_bound(b, f"len({result})", node, f"type({result}) is list and ")
        elif op == "*":
            emit_text_bound(b, f"len({result})", node, f"type({result}) is str and ")
    return result


def _paths(
    op: str, x: str, y: str, result: str, operands: tuple[r.Expr | None, r.Expr | None]
) -> dict[type, tuple[str, list[str]]]:
    """The inline paths of ``op``: type of both operands to the rest of the test and the lines."""
    if op not in _INLINE:
        return {}
    text, int_extra, float_extra = [part.format(x=x, y=y) for part in _INLINE[op]]
    ints = [f"{result} = {text}"]
    if op in _MAY_OVERFLOW:
        ints.append(f"if {_may_be_large(op, result, operands)}: {result} = fit({result})")
    paths: dict[type, tuple[str, list[str]]] = {int: (int_extra, ints)}
    if op != "%":
        paths[float] = (float_extra, [f"{result} = {text.replace('//', '/')}"])
    if op == "+" and type(operands[1]) is r.DictOf:
        return {dict: ("", [f"{result} = {x} | {y}"])}
    if op == "+":
        paths[str] = ("", [f"{result} = {text}"])
    return paths


def _may_be_large(op: str, result: str, operands: tuple[r.Expr | None, r.Expr | None]) -> str:
    """The test that an int result may have left the 64-bit range; a constant leaves it on one side only."""
    above, below = f"{result} > {_SMALL}", f"{result} < -{_SMALL}"
    left, right = operands
    if (op == "+" and _is_natural(left)) or (op in "+-" and _is_natural(right)):
        return below if op == "-" else above
    return f"{above} or {below}"


def _is_natural(node: r.Expr | None) -> bool:
    return type(node) is r.Const and type(node.value) is int and node.value >= 0


def _comparison(op: str, x: str, y: str, kinds: tuple[type | None, type | None]) -> str:
    text = _COMPARISONS[op].format(x=x, y=y)
    for kind in (float, int):
        test = _are(kind, x, y, kinds)
        if test is not None:
            text = f"{x} {op} {y} if {test} else {text}"
    return f"({text})"


def _equality(x: str, y: str, kinds: tuple[type | None, type | None]) -> str:
    known = kinds[0] or kinds[1]
    if known is str:
        return f"({x} == {y})"
    if known is type(None) or known is bool:
        return f"({x} is {y})"
    test = _are(int, x, y, kinds)
    if known is None:
        test = f"{test} or {_are(str, x, y, kinds)}"
    return f"({x} == {y} if {test} else equal({x}, {y}))" if test is not None else f"equal({x}, {y})"


def negation(b: Builder, node: r.Negate) -> str:
    """Unary minus."""
    value = b.hold(node.value)
    site = b.bind(b.compiler.site(node))
    return f"(-{value} if type({value}) is int and -{_SMALL} < {value} < {_SMALL} else negate_at({value}, {site}))"


share(
    equal=equal,
    fit=fit,
    less=less,
    less_equal=less_equal,
    negate_at=negate_at,
    not_within=not_within,
    within=within,
    **{f"{_SLOW_NAMES[op]}_at": placed(operator) for op, operator in BINARY.items()},
)

EMITTERS: dict[type, Callable[[Builder, Any], str]] = {r.Binary: binary, r.Negate: negation}
