"""Declarations of variables and stores into them (language 4.1, 4.5); what grows step by step grows in place.

``s = s + e`` and ``xs = xs + [e]`` would copy the whole value each time, because the variable owns it, too. So the
value is taken out of the variable first; when nobody else owns it, Python changes it in place.
"""

from __future__ import annotations

from sys import getrefcount

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site
from harnpy.runtime import blocks
from harnpy.runtime.ownership import WRITTEN_BY_LOCAL
from harnpy.runtime.patterns import declare as declare
from harnpy.runtime.patterns import emit_declare, emit_destructure
from harnpy.runtime.sizes import emit_list_bound, emit_text_bound
from harnpy.runtime.templates import share
from harnpy.runtime.values import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.templates import Builder
    from harnpy.source import Span

    Run = Callable[[list[Any]], Any]

_PUSHES = frozenset(("appending", "push"))
_ARITHMETIC = frozenset(("-", "*", "/", "%", "**"))

# A sum between these bounds is surely in the 64-bit range; the comparison with one-digit ints is the fast one.
SMALL = 2**30


# --- declarations -----------------------------------------------------------------------------


def _emit_declare(b: Builder, node: r.Declare) -> None:
    value = blocks.emit_value(b, node.value)
    emit_declare(b, node.target, emit_type_check(b, node, node.type, value, node.name))


def _emit_destructure(b: Builder, node: r.Destructure) -> None:
    value = b.temp()
    b.line(f"{value} = {blocks.emit_value(b, node.value)}")
    start, end = node.pattern.span
    emit_type_check(b, node, node.type, value, b.compiler.module.source.text[start:end])
    emit_destructure(b, node.pattern, value)


def emit_type_check(b: Builder, node: r.Node, type: r.Type | None, value: str, name: str) -> str:
    """Write the check of a binding's annotation; give the name of the value."""
    checker = None if type is None else b.compiler.checker(type)
    if checker is None:
        return value
    value = b.held(value)
    check = b.bind(checker)
    with b.block(f"if type({value}) not in {check}.kinds and not {check}.accepts({value}):"):
        b.line(f"raise refused_binding({check}, {b.bind(name)}, {value}, {b.bind(b.compiler.site(node))})")
    return value


def refused_binding(checker: Any, name: str, value: Any, site: Site) -> HarnError:
    """Make the error of a binding whose value is not of its type."""
    error: HarnError = checker.binding_error(name, value)
    error.locate(site)
    return error


# --- variables --------------------------------------------------------------------------------


def place(b: Builder, target: r.Target) -> str:
    """Give the Python expression that reads and stores the variable ``target``."""
    holder, position = holder_of(b, target)
    return f"{holder}[{position}]"


def holder_of(b: Builder, target: r.Target) -> tuple[str, str]:
    """Give the Python list that holds the variable, and the position in it."""
    if type(target) is r.ToLocal:
        slot = b.bind(target.slot)
        return (f"f[{slot}]", "0") if target.boxed else ("f", slot)
    return b.bind(b.compiler.cell(target.name)), "0"  # type: ignore[attr-defined]


def emit_defined(b: Builder, target: r.Target) -> None:
    """Write the test that a module variable has been declared already."""
    if type(target) is r.ToGlobal:
        module = b.bind(b.compiler.module)
        site = b.bind(b.compiler.site(target))
        with b.block(f"if {place(b, target)} is UNSET:"):
            b.line(f"raise not_yet_defined({module}, {b.bind(target.name)}, {site})")


def not_yet_defined(module: Any, name: str, site: Site) -> HarnError:
    """Make the error of an assignment to a variable whose declaration has not run."""
    error: HarnError = module.undefined(name)
    error.locate(site)
    return error


def release_but(b: Builder, *kept: str) -> None:
    """Write that temporary names let go of their values, except ``kept``: owners are about to be counted."""
    loose = b.loose
    b.loose = [name for name in loose if name not in kept]
    b.release()
    b.loose = [name for name in loose if name in kept]


def read_of(span: Span, target: r.Target) -> r.Expr:
    """Give the expression that reads the variable ``target``."""
    if type(target) is r.ToLocal:
        return (r.LocalCell if target.boxed else r.Local)(span, target.slot, target.name)
    return r.Global(span, target.name)  # type: ignore[attr-defined]


def _reads(node: r.Expr, target: r.Target) -> bool:
    """Tell whether ``node`` is just the variable ``target``."""
    if type(target) is r.ToLocal:
        kind = r.LocalCell if target.boxed else r.Local
        return type(node) is kind and node.slot == target.slot
    return type(node) is r.Global and type(target) is r.ToGlobal and node.name == target.name


# --- stores -----------------------------------------------------------------------------------


def _emit_store(b: Builder, node: r.Store) -> None:
    emit_defined(b, node.target)
    if type(node.target) is r.ToNothing:
        b.line(blocks.emit_value(b, node.value))
    elif type(node.value) is r.Binary and node.value.op == "+":
        _emit_sum(b, node.target, node.value)
    elif is_push(node.value) and _reads(node.value.receiver, node.target):  # type: ignore[attr-defined]
        _emit_extension(b, node.target, node.value, node.value.args)  # type: ignore[attr-defined]
    elif type(node.value) is r.ListOf and _spreads_first(node.value, node.target):
        _emit_extension(b, node.target, node.value, node.value.items[1:])
    elif type(node.value) is r.Interp and _reads(node.value.parts[0], node.target):  # type: ignore[arg-type]
        _emit_interpolation(b, node.target, node.value)
    else:
        value = blocks.emit_value(b, node.value)
        b.line(f"{place(b, node.target)} = {value}")


def _emit_update(b: Builder, node: r.Update) -> None:
    value = r.Binary(node.span, node.op, read_of(node.span, node.target), node.value)
    _emit_store(b, r.Store(node.span, node.target, value))


def _emit_sum(b: Builder, target: r.Target, node: r.Binary) -> None:
    """Write ``x = <sum>``; a sum that begins with ``x`` itself may grow in place."""
    operands: list[r.Binary] = []
    first: r.Expr = node
    while type(first) is r.Binary and first.op == "+":
        operands.append(first)
        first = first.left
    operands.reverse()
    if not _reads(first, target) or is_number(operands[0].right):
        b.line(f"{place(b, target)} = {b.value(node)}")
    elif len(operands) == 1:
        _emit_append(b, target, node)
    else:
        _emit_text_chain(b, target, operands)


def is_number(node: r.Expr) -> bool:
    """Tell that the value is a number, or an error: nothing that could grow."""
    kind = type(node)
    if kind is r.Const:
        return type(node.value) is int or type(node.value) is float  # type: ignore[attr-defined]
    return kind is r.Negate or (kind is r.Binary and node.op in _ARITHMETIC)  # type: ignore[attr-defined]


def _is_text(node: r.Expr) -> bool:
    """Tell that the value is a string whatever happens."""
    return type(node) is r.Interp or (type(node) is r.Const and type(node.value) is str)


def _emit_append(b: Builder, target: r.Target, node: r.Binary) -> None:
    """Write ``x = x + e``: one branch for each kind of value that ``e`` can have."""
    here = place(b, target)
    old = b.name("a")
    b.line(f"{old} = {here}")
    right = node.right
    single = type(right) is r.ListOf and len(right.items) == 1 and type(right.items[0]) is not r.Spread
    item = b.hold(right.items[0] if single else right)  # type: ignore[attr-defined]
    release_but(b, item)
    b.loose.clear()  # the branches let go of the item where it can matter
    if single:
        _emit_list_append(b, here, old, item, node)
    elif type(right) is r.DictOf or type(right) is r.ListOf:
        _emit_growth(b, "if", here, old, item, node)
    elif _is_text(right):
        _emit_text_append(b, f"if type({old}) is str:", here, old, item, node)
    else:
        _emit_number_sum(b, here, old, item)
        _emit_text_append(b, f"elif type({old}) is str and type({item}) is str:", here, old, item, node)
        _emit_growth(b, "elif", here, old, item, node)
    with b.block("else:"):
        b.line(f"{here} = add_at({old}, {f'[{item}]' if single else item}, {b.bind(b.compiler.site(node))})")
        _emit_forget(b, old, item)


def _emit_forget(b: Builder, *names: str) -> None:
    """Write that the variables let go of containers; constants and bound names stay."""
    b.line(" = ".join([name for name in names if name[0] not in "vTFN"]) + " = None")


def _emit_number_sum(b: Builder, here: str, old: str, item: str) -> None:
    with b.block(f"if type({old}) is int and type({item}) is int:"):
        b.line(f"{old} += {item}")
        b.line(f"{here} = {old} if -{SMALL} < {old} < {SMALL} else fit({old})")
    with b.block(f"elif type({old}) is float and type({item}) is float:"):
        b.line(f"{here} = {old} + {item}")


def _emit_text_append(b: Builder, header: str, here: str, old: str, item: str, node: r.Node) -> None:
    with b.block(header):
        emit_text_bound(b, f"len({old}) + len({item})", node)
        b.line(f"{here} = None")
        b.line(f"{old} += {item}")
        b.line(f"{here} = {old}")
        b.line(f"{old} = None")


def _emit_growth(b: Builder, word: str, here: str, old: str, item: str, node: r.Node) -> None:
    """Write list + list and dict + dict: in place when the variable was the only owner."""
    for kind, change in (("list", "+="), ("dict", "|=")):
        with b.block(f"{word} type({old}) is {kind} and type({item}) is {kind}:"):
            if kind == "list":
                emit_list_bound(b, f"len({old}) + len({item})", node)
            b.line(f"{here} = None")
            b.line(f"if getrefcount({old}) == OWNED_BY_LOCAL: {old} {change} {item}")
            b.line(f"else: {old} = {old} {change[0]} {item}")
            b.line(f"{here} = {old}")
            _emit_forget(b, old, item)
        word = "elif"


def _emit_list_append(b: Builder, here: str, old: str, item: str, node: r.Node) -> None:
    with b.block(f"if type({old}) is list:"):
        emit_list_bound(b, f"len({old}) + 1", node)
        b.line(f"{here} = None")
        b.line(f"if getrefcount({old}) == OWNED_BY_LOCAL: {old}.append({item})")
        b.line(f"else: {old} = [*{old}, {item}]")
        b.line(f"{here} = {old}")
        _emit_forget(b, old, item)


def _emit_bound_behind(b: Builder, here: str, old: str, pieces: list[str], node: r.Node) -> None:
    """Write the check of a text that has grown by ``pieces`` already: one length to take, not one for each piece."""
    limit = b.bind(b.compiler.ctx.limits.max_string)
    with b.block(f"if len({old}) > {limit}:"):
        b.line(f"{here} = {old}[: len({old}) - {' - '.join([f'len({piece})' for piece in pieces])}]")
        b.line(f"refuse_text(len({old}), {limit}, {b.bind(b.compiler.site(node))})")


def _emit_text_chain(b: Builder, target: r.Target, operands: list[r.Binary]) -> None:
    """Write ``s = s + a + b ...``: pieces are evaluated and tested in order, then appended at once."""
    here = place(b, target)
    loose = b.loose[:]
    with b.block(f"if type({here}) is str:"):
        old = b.name("a")
        b.line(f"{old} = {here}")
        pieces = []
        for operand in operands:
            piece = b.hold(operand.right)
            if not _is_text(operand.right):
                b.line(f"if type({piece}) is not str: add_at('', {piece}, {b.bind(b.compiler.site(operand))})")
            pieces.append(piece)
        release_but(b, *pieces)
        b.line(f"{here} = None")
        b.line(f'{old} += f"{"".join(["{" + piece + "}" for piece in pieces])}"')
        _emit_bound_behind(b, here, old, pieces, operands[-1])
        b.line(f"{here} = {old}")
        b.line(f"{old} = None")
    b.loose += [name for name in loose if name not in b.loose]
    with b.block("else:"):
        b.line(f"{here} = {b.value(operands[-1])}")


def is_push(node: r.Expr) -> bool:
    """Tell whether ``node`` is ``receiver.appending(e)``."""
    if type(node) is not r.MethodCall or node.name not in _PUSHES or node.optional:
        return False
    return len(node.args) == 1 and type(node.args[0]) is not r.Spread


def _spreads_first(node: r.ListOf, target: r.Target) -> bool:
    """Tell whether ``node`` is ``[...x, ...]`` of the variable ``target`` and more."""
    first = node.items[0] if len(node.items) > 1 else None
    return type(first) is r.Spread and _reads(first.value, target)


def _emit_extension(b: Builder, target: r.Target, node: r.Expr, items: tuple[Any, ...]) -> None:
    """Write ``xs = xs.appending(e)`` and ``xs = [...xs, e]``: ``items`` come behind those of the list."""
    here = place(b, target)
    with b.block(f"if type({here}) is list:"):
        old = b.name("a")
        b.line(f"{old} = {here}")
        single = len(items) == 1 and type(items[0]) is not r.Spread
        item = b.hold(items[0] if single else r.ListOf(node.span, items))
        release_but(b, item)
        if single:
            _emit_list_append(b, here, old, item, node)
        else:
            _emit_growth(b, "if", here, old, item, node)
    with b.block("else:"):
        b.line(f"{here} = {b.bind(b.compiler.expr(node))}(f)")


def _emit_interpolation(b: Builder, target: r.Target, node: r.Interp) -> None:
    """Write ``s = "${s}..."``."""
    here = place(b, target)
    with b.block(f"if type({here}) is str:"):
        old = b.name("a")
        b.line(f"{old} = {here}")
        rest = b.hold(r.Interp(node.span, node.parts[1:]))
        release_but(b, rest)
        emit_text_bound(b, f"len({old}) + len({rest})", node)
        b.line(f"{here} = None")
        b.line(f"{old} += {rest}")
        b.line(f"{here} = {old}")
        b.line(f"{old} = None")
    with b.block("else:"):
        b.line(f"{here} = {b.bind(b.compiler.expr(node))}(f)")


share(
    OWNED_BY_LOCAL=WRITTEN_BY_LOCAL,
    UNSET=UNSET,
    getrefcount=getrefcount,
    not_yet_defined=not_yet_defined,
    refused_binding=refused_binding,
)

STATEMENT_EMITTERS: dict[type, Callable[[Builder, Any], None]] = {
    r.Declare: _emit_declare,
    r.Destructure: _emit_destructure,
    r.Store: _emit_store,
    r.Update: _emit_update,
}

STATEMENTS: dict[type, Callable[[Compiler, Any], Run]] = {
    kind: blocks.standalone(emit) for kind, emit in STATEMENT_EMITTERS.items()
}
