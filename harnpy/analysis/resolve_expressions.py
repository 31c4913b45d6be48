"""Resolves expressions: literals, operators, access, calls, pipes and closures."""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.analysis.resolve_blocks import BLOCK_EXPRESSIONS
from harnpy.analysis.resolve_types import optional_type
from harnpy.analysis.schema_positions import option_value, schema_call
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.analysis.resolve import Resolver


def _name(r: Resolver, node: N.Name) -> R.Expr:
    if node.name == "_" and r.fn.placeholders:
        variable = r.fn.placeholders[-1]
        variable.early = True
        return r.read_local(variable, node.span)
    return r.read(node.name, node.span)


def _interp(r: Resolver, node: N.Interp) -> R.Expr:
    parts = [part if type(part) is str else r.expr(part) for part in node.parts]  # type: ignore[arg-type]
    return R.Interp(node.span, tuple(parts))


def items(r: Resolver, nodes: tuple[N.Expr | N.Spread, ...]) -> tuple[R.Expr | R.Spread, ...]:
    """Resolve list items or arguments."""
    return tuple(
        [R.Spread(node.span, r.expr(node.value)) if type(node) is N.Spread else r.expr(node) for node in nodes]  # type: ignore[arg-type]
    )


def entries(r: Resolver, nodes: tuple[N.DictEntry, ...]) -> tuple[R.Entry, ...]:
    """Resolve entries that have no spreads among them."""
    return tuple([_entry(r, node) for node in nodes])


def _entry(r: Resolver, node: N.DictEntry) -> R.Entry:
    key = node.key
    if type(key) is N.StringLit:
        return R.Entry(node.span, R.Const(key.span, key.value), option_value(r, key.value, node.value))
    return R.Entry(node.span, r.expr(key), r.expr(node.value))


def _dict(r: Resolver, node: N.DictLit) -> R.Expr:
    made: list[R.Entry | R.Spread] = []
    for entry in node.entries:
        if type(entry) is N.Spread:
            made.append(R.Spread(entry.span, r.expr(entry.value)))
        else:
            made.append(_entry(r, entry))  # type: ignore[arg-type]
    return R.DictOf(node.span, tuple(made))


_BINARY: dict[str, type[R.And | R.Or | R.Coalesce]] = {"&&": R.And, "||": R.Or, "??": R.Coalesce}


def _binary(r: Resolver, node: N.Binary) -> R.Expr:
    # A long chain like `a + b + c ...` leans to the left: walk it without recursion.
    chain: list[N.Binary] = []
    left: N.Expr = node
    while type(left) is N.Binary:
        chain.append(left)
        left = left.left
    made = r.expr(left)
    for link in reversed(chain):
        right = r.expr(link.right)
        kind = _BINARY.get(link.op)
        made = R.Binary(link.span, link.op, made, right) if kind is None else kind(link.span, made, right)
    return made


def _pipe(r: Resolver, node: N.Pipe) -> R.Expr:
    value = r.expr(node.left)
    fn = r.fn
    slot = fn.temporary("_")
    fn.placeholders.append(slot)
    body = r.expr(node.right)
    fn.placeholders.pop()
    fn.free_slots.append(slot.slot)
    if not slot.early:
        return R.PipeCall(node.span, value, body)
    made = R.LetIn(node.span, slot.slot, value, body)
    slot.nodes.append(made)
    return made


def _call(r: Resolver, node: N.Call) -> R.Expr:
    callee = node.callee
    if type(callee) is N.Name:
        schema = schema_call(r, node)
        if schema is not None:
            return schema
        made = r.read(callee.name, callee.span, "call") if callee.name != "_" else r.expr(callee)
        use = r.deprecated.get(callee.name)
        if use is not None and type(made) is R.Global:
            r.warn("HARN-NAM-009", f"`{callee.name}` is deprecated", callee.span, use or None)
    else:
        made = r.expr(callee)
    return R.Call(node.span, made, items(r, node.args), False)


def _method(r: Resolver, node: N.MethodCall) -> R.Expr:
    receiver = r.expr(node.receiver)
    return R.MethodCall(node.span, receiver, node.name, node.name_span, items(r, node.args), node.optional, False)


def _property(r: Resolver, node: N.Property) -> R.Expr:
    return R.Property(node.span, r.expr(node.receiver), node.name, node.name_span, node.optional)


def _slice(r: Resolver, node: N.Slice) -> R.Expr:
    receiver = r.expr(node.receiver)
    start = None if node.start is None else r.expr(node.start)
    end = None if node.end is None else r.expr(node.end)
    return R.Slice(node.span, receiver, start, end, node.optional)


def _propagate(r: Resolver, node: N.Propagate) -> R.Expr:
    if r.fn.kind == "module":
        r.error("HARN-RCV-002", "`?` requires an enclosing function that can return the Err", node.span)
    return R.Propagate(node.span, r.expr(node.value))


def _try_star(r: Resolver, node: N.TryStar) -> R.Expr:
    if r.fn.kind == "module":
        message = "try* requires an enclosing function (fn, tool, or pipeline) so the rethrow has a target"
        r.error("HARN-RCV-001", message, node.span)
    return R.TryStar(node.span, r.expr(node.value))


def _struct_init(r: Resolver, node: N.StructInit) -> R.Expr:
    return R.StructInit(node.span, r.read(node.name, node.name_span), node.name, entries(r, node.entries))


def _lambda(r: Resolver, node: N.Lambda) -> R.Expr:
    optional_type(r, node.returns)  # as in a declaration: for its names
    return R.MakeClosure(node.span, r.function("<closure>", "closure", node.params, node.body, node.span))


EXPRESSIONS: dict[type, Callable[[Resolver, Any], R.Expr]] = {
    **BLOCK_EXPRESSIONS,
    N.IntLit: lambda r, node: R.Const(node.span, node.value),
    N.FloatLit: lambda r, node: R.Const(node.span, node.value),
    N.StringLit: lambda r, node: R.Const(node.span, node.value),
    N.BoolLit: lambda r, node: R.Const(node.span, node.value),
    N.NilLit: lambda r, node: R.Const(node.span, None),
    N.DurationLit: lambda r, node: R.DurationConst(node.span, node.ms),
    N.Interp: _interp,
    N.Name: _name,
    N.ListLit: lambda r, node: R.ListOf(node.span, items(r, node.items)),
    N.DictLit: _dict,
    N.Unary: lambda r, node: (R.Not if node.op == "!" else R.Negate)(node.span, r.expr(node.operand)),
    N.Binary: _binary,
    N.Pipe: _pipe,
    N.RangeExpr: lambda r, node: R.RangeOf(node.span, r.expr(node.start), r.expr(node.end), node.exclusive),
    N.Ternary: lambda r, node: R.Ternary(node.span, r.expr(node.cond), r.expr(node.then), r.expr(node.otherwise)),
    N.TryStar: _try_star,
    N.Call: _call,
    N.MethodCall: _method,
    N.Property: _property,
    N.Index: lambda r, node: R.Index(node.span, r.expr(node.receiver), r.expr(node.index), node.optional),
    N.Slice: _slice,
    N.Unwrap: lambda r, node: R.Unwrap(node.span, r.expr(node.value)),
    N.Propagate: _propagate,
    N.StructInit: _struct_init,
    N.Lambda: _lambda,
}
