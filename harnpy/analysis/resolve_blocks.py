"""Resolves expressions made of blocks: if, match, try, retry, parallel, spawn, deadline, block, scope.

In statement position (``STATEMENT_BLOCKS``) a block may hold tail calls; in an expression it may not.
"""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.analysis.check import check_match
from harnpy.analysis.resolve_patterns import match_pattern
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.analysis.resolve import Resolver


def _if(r: Resolver, node: N.IfExpr, gives_value: bool) -> R.Expr:
    cond = r.expr(node.cond)
    then = r.block(node.then, gives_value)
    other = node.otherwise
    otherwise: Any = None
    if type(other) is N.IfExpr:
        otherwise = _if(r, other, gives_value)
    elif other is not None:
        otherwise = r.block(other, gives_value)  # type: ignore[arg-type]
    return R.If(node.span, cond, then, otherwise)


def _match(r: Resolver, node: N.MatchExpr, gives_value: bool) -> R.Expr:
    subject = r.expr(node.subject)
    match = R.Match(node.span, subject, tuple([_arm(r, arm, gives_value) for arm in node.arms]))
    if r.enums:
        check_match(r, node, match)
    return match


def _arm(r: Resolver, node: N.MatchArm, gives_value: bool) -> R.MatchArm:
    r.fn.push()
    several = len(node.patterns) > 1
    patterns = tuple([match_pattern(r, pattern, several) for pattern in node.patterns])
    guard = None if node.guard is None else r.expr(node.guard)
    body = r.block(node.body, gives_value)
    r.fn.pop()
    return R.MatchArm(node.span, patterns, guard, body)


def _block_expr(r: Resolver, node: N.BlockExpr, gives_value: bool) -> R.Expr:
    return R.BlockExpr(node.span, r.block(node.body, gives_value))


# Kinds whose blocks may hold tail calls when they stand as a statement.
STATEMENT_BLOCKS: dict[type, Callable[[Resolver, Any, bool], R.Expr]] = {
    N.IfExpr: _if,
    N.MatchExpr: _match,
    N.BlockExpr: _block_expr,
}


def _inside_expression(make: Callable[[Resolver, Any, bool], R.Expr]) -> Callable[[Resolver, Any], R.Expr]:
    def resolve_it(r: Resolver, node: Any) -> R.Expr:
        tail_ok = r.fn.tail_ok
        r.fn.tail_ok = False
        made = make(r, node, False)
        r.fn.tail_ok = tail_ok
        return made

    return resolve_it


def _try(r: Resolver, node: N.TryExpr) -> R.Expr:
    body = r.pending_block(node.body)
    target: R.Target | None = None
    catch_body = None
    if node.catch_body is not None:
        r.fn.push()
        if node.catch_name is not None:
            target = r.declare(node.catch_name, node.catch_body.span, False)
        catch_body = r.pending_block(node.catch_body)
        r.fn.pop()
    finally_body = None if node.finally_body is None else r.pending_block(node.finally_body)
    return R.Try(node.span, body, target, _catch_type(node), catch_body, finally_body)


def _catch_type(node: N.TryExpr) -> str | None:
    kind = node.catch_type
    if type(kind) is N.NamedType and kind.name not in ("any", "unknown"):
        return kind.name
    return None


def _parallel(r: Resolver, node: N.ParallelExpr) -> R.Expr:
    subject = r.expr(node.subject)
    limit = None if node.max_concurrent is None else r.expr(node.max_concurrent)
    params = () if node.binder is None else (N.Param(node.span, node.binder),)
    function = r.function("<parallel>", "branch", params, node.body, node.span)
    return R.Parallel(node.span, node.kind, subject, limit, function, node.stream)


def _spawn(r: Resolver, node: N.SpawnExpr) -> R.Expr:
    return R.Spawn(node.span, r.function("<spawn>", "branch", (), node.body, node.span))


BLOCK_EXPRESSIONS: dict[type, Callable[[Resolver, Any], R.Expr]] = {
    **{kind: _inside_expression(make) for kind, make in STATEMENT_BLOCKS.items()},
    N.TryExpr: _try,
    N.RetryExpr: lambda r, node: R.Retry(node.span, r.expr(node.count), r.pending_block(node.body)),
    N.ParallelExpr: _parallel,
    N.SpawnExpr: _spawn,
    N.DeadlineExpr: lambda r, node: R.Deadline(node.span, r.expr(node.limit), r.pending_block(node.body)),
    N.ScopeExpr: lambda r, node: R.ScopeExpr(node.span, r.pending_block(node.body)),
}
