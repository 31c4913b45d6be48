"""Resolves statements."""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.analysis.check import enum_of
from harnpy.analysis.resolve_blocks import STATEMENT_BLOCKS
from harnpy.analysis.resolve_declarations import DECLARATIONS
from harnpy.analysis.resolve_patterns import binding_pattern
from harnpy.analysis.resolve_types import optional_type
from harnpy.analysis.scopes import Pending
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.analysis.resolve import Resolver
    from harnpy.analysis.scopes import Variable


def _expr_stmt(r: Resolver, node: N.ExprStmt, gives_value: bool) -> R.Stmt:
    make = STATEMENT_BLOCKS.get(type(node.value))
    if make is not None:
        return R.ExprStmt(node.span, make(r, node.value, gives_value))
    value = r.expr(node.value)
    if gives_value:
        _mark_tail(r, value)
    return R.ExprStmt(node.span, value)


def _mark_tail(r: Resolver, value: R.Expr) -> None:
    if r.fn.tail_ok and type(value) in (R.Call, R.MethodCall):
        value.tail = True  # type: ignore[attr-defined]
        r.fn.tails.append(value)  # type: ignore[arg-type]


def _binding(r: Resolver, node: N.Binding, _gives_value: bool) -> R.Stmt | list[R.Stmt]:
    pattern = node.pattern
    if type(pattern) is not N.NameBinding:
        value, kind = r.expr(node.value), optional_type(r, node.type)
        return R.Destructure(node.span, binding_pattern(r, pattern, node.mutable), kind, value)
    pending = Pending(pattern.name, node.mutable)
    r.fn.pending.append(pending)
    value = r.expr(node.value)
    r.fn.pending.pop()
    kind = optional_type(r, node.type)
    if pending.variable is not None:
        return _recursive_binding(r, node, pending.variable, value)
    target = r.declare(pattern.name, pattern.span, node.mutable)
    if r.enums:
        _note_enum(r, node, pattern.name)
    declared = R.Declare(node.span, target, kind, value, pattern.name)
    if type(kind) is R.TName and kind.name == "owned" and pattern.name != "_":
        return [declared, _drop_at_end(r, pattern)]
    return declared


def _recursive_binding(r: Resolver, node: N.Binding, variable: Variable, value: R.Expr) -> list[R.Stmt]:
    """Resolve ``const f = { n -> f(n - 1) }``: the cell is there before the value, which is stored into it."""
    span = node.span
    checked: list[R.Stmt] = []
    if node.type is not None:
        holder = r.fn.temporary(variable.name)
        to_holder = R.ToLocal(span, holder.slot, False, variable.name)
        checked.append(R.Declare(span, to_holder, optional_type(r, node.type), value, variable.name))
        value = R.Local(span, holder.slot, variable.name)
        holder.nodes += [to_holder, value]
    return [*checked, R.Store(span, r.declare_pending(variable, node.pattern.span), value)]


def _note_enum(r: Resolver, node: N.Binding, name: str) -> None:
    """Keep the enum of a binding that is known to hold nothing else."""
    enum = enum_of(r, node.type, None if node.mutable else node.value)
    if enum is None:
        return
    variable = r.fn.scopes[-1].names.get(name)
    if variable is not None:
        variable.enum = enum
    elif name in r.globals:
        r.global_enums[name] = enum


def _drop_at_end(r: Resolver, pattern: N.NameBinding) -> R.Stmt:
    span = pattern.span
    drop = R.Call(span, r.read("drop", span, "call"), (r.read(pattern.name, span),), False)
    return R.Defer(span, R.Block(span, (R.ExprStmt(span, drop),), (), False))


def _assign(r: Resolver, node: N.Assign, _gives_value: bool) -> R.Stmt:
    op = None if node.op == "=" else node.op[:-1]
    root, steps = _path(node.target)
    if type(root) is not N.Name:
        r.error("HARN-PAR-001", "invalid assignment target", node.target.span)
        return R.ExprStmt(node.span, r.expr(node.value))
    value = r.expr(node.value)
    resolved_steps = tuple([_step(r, step) for step in steps])
    target = r.store_target(root.name, root.span)
    if steps:
        return R.StorePath(node.span, target, resolved_steps, op, value)
    if op is None:
        return R.Store(node.span, target, value)
    return R.Update(node.span, target, op, value)


def _path(node: N.Expr) -> tuple[N.Expr, list[N.Property | N.Index]]:
    steps: list[N.Property | N.Index] = []
    while type(node) in (N.Property, N.Index):
        steps.append(node)  # type: ignore[arg-type]
        node = node.receiver  # type: ignore[attr-defined]
    steps.reverse()
    return node, steps


def _step(r: Resolver, node: N.Property | N.Index) -> R.Key | R.At:
    if type(node) is N.Property:
        return R.Key(node.span, node.name)
    return R.At(node.span, r.expr(node.index))  # type: ignore[union-attr]


def _return(r: Resolver, node: N.Return, _gives_value: bool) -> R.Stmt:
    if node.value is None:
        return R.Return(node.span, None)
    value = r.expr(node.value)
    _mark_tail(r, value)
    return R.Return(node.span, value)


def _break(r: Resolver, node: N.Break, _gives_value: bool) -> R.Stmt:
    if not r.fn.loops:
        r.error("HARN-CMP-001", "break outside of loop", node.span)
    return R.Break(node.span)


def _continue(r: Resolver, node: N.Continue, _gives_value: bool) -> R.Stmt:
    if not r.fn.loops:
        r.error("HARN-CMP-001", "continue outside of loop", node.span)
    return R.Continue(node.span)


def _yield(r: Resolver, node: N.Yield, _gives_value: bool) -> R.Stmt:
    fn = r.fn
    if fn.produces == "stream":
        hint = "a `gen fn` gives its items with `emit`"
        r.error("HARN-CMP-001", "`yield` is not used in a `gen fn`", node.span, hint)
    elif fn.kind in ("module", "branch", "pipeline"):
        r.error("HARN-CMP-001", "`yield` outside of a function", node.span, "only a `fn` can be a generator")
    else:
        fn.produces = "generator"
    return R.Yield(node.span, None if node.value is None else r.expr(node.value))


def _emit(r: Resolver, node: N.Emit, _gives_value: bool) -> R.Stmt:
    if r.fn.produces != "stream":
        r.error("HARN-CMP-001", "`emit` outside of a `gen fn`", node.span, "declare the function with `gen fn`")
    return R.Emit(node.span, r.expr(node.value))


def _loop_body(r: Resolver, body: N.Block) -> R.Block:
    r.fn.loops += 1
    made = r.block(body)
    r.fn.loops -= 1
    return made


def _for(r: Resolver, node: N.For, _gives_value: bool) -> R.Stmt:
    iterable = r.expr(node.iterable)
    r.fn.push()
    pattern = binding_pattern(r, node.pattern, True)
    body = _loop_body(r, node.body)
    r.fn.pop()
    return R.For(node.span, pattern, iterable, body)


def _guard(r: Resolver, node: N.Guard, _gives_value: bool) -> R.Stmt:
    if not leaves(node.otherwise):
        hint = "end it with return, throw, break or continue"
        r.error("HARN-CMP-001", "the else block of `guard` must leave", node.otherwise.span, hint)
    return R.Guard(node.span, r.expr(node.cond), r.block(node.otherwise))


_LEAVING = (N.Return, N.Throw, N.Break, N.Continue)


def leaves(block: N.Block) -> bool:
    """Tell whether control cannot run past the end of ``block``."""
    for stmt in block.body:
        if type(stmt) in _LEAVING:
            return True
        if type(stmt) is N.ExprStmt and _expr_leaves(stmt.value):
            return True
    return False


def _expr_leaves(node: N.Expr) -> bool:
    kind = type(node)
    if kind is N.IfExpr:
        other = node.otherwise  # type: ignore[attr-defined]
        if other is None or not leaves(node.then):  # type: ignore[attr-defined]
            return False
        return _expr_leaves(other) if type(other) is N.IfExpr else leaves(other)
    if kind is N.MatchExpr:
        return all(leaves(arm.body) for arm in node.arms)  # type: ignore[attr-defined]
    if kind is N.BlockExpr:
        return leaves(node.body)  # type: ignore[attr-defined]
    callee = node.callee if kind is N.Call else None  # type: ignore[attr-defined]
    return type(callee) is N.Name and callee.name in ("exit", "unreachable", "throw_error")


def _require(r: Resolver, node: N.Require, _gives_value: bool) -> R.Stmt:
    return R.Require(node.span, r.expr(node.cond), None if node.message is None else r.expr(node.message))


def _mutex(r: Resolver, node: N.Mutex, _gives_value: bool) -> R.Stmt:
    return R.Mutex(node.span, None if node.key is None else r.expr(node.key), r.pending_block(node.body))


def _select(r: Resolver, node: N.Select, _gives_value: bool) -> R.Stmt:
    cases = tuple([_case(r, case) for case in node.cases])
    if not cases:
        r.error("HARN-ORC-007", "`select` needs at least one select case", node.span)
    if node.timeout_body is not None and node.default_body is not None:
        r.error("HARN-ORC-007", "select cannot have both timeout and default", node.span)
    timeout = None if node.timeout is None else r.expr(node.timeout)
    timeout_body = None if node.timeout_body is None else r.block(node.timeout_body)
    default_body = None if node.default_body is None else r.block(node.default_body)
    return R.Select(node.span, cases, timeout, timeout_body, default_body)


def _case(r: Resolver, node: N.SelectCase) -> R.SelectCase:
    channel = r.expr(node.channel)
    r.fn.push()
    target = r.declare(node.name, node.span, False)
    body = r.block(node.body)
    r.fn.pop()
    return R.SelectCase(node.span, target, channel, body)


STATEMENTS: dict[type, Callable[[Resolver, Any, bool], R.Stmt | list[R.Stmt]]] = {
    **DECLARATIONS,
    N.ExprStmt: _expr_stmt,
    N.Binding: _binding,
    N.Assign: _assign,
    N.Return: _return,
    N.Throw: lambda r, node, _: R.Throw(node.span, r.expr(node.value)),
    N.Break: _break,
    N.Continue: _continue,
    N.Yield: _yield,
    N.Emit: _emit,
    N.For: _for,
    N.While: lambda r, node, _: R.While(node.span, r.expr(node.cond), _loop_body(r, node.body)),
    N.Guard: _guard,
    N.Require: _require,
    N.Defer: lambda r, node, _: R.Defer(node.span, r.pending_block(node.body)),
    N.Mutex: _mutex,
    N.Select: _select,
    N.CostRoute: lambda r, node, _: R.NotSupported(node.span, "cost_route"),
    N.Override: lambda r, node, _: R.NotSupported(node.span, "override"),
}
