"""Tree of the expressions that hold blocks: if, match, try, retry, parallel and the like."""

from __future__ import annotations

from harnpy.source import Span
from harnpy.syntax import nodes as n
from harnpy.syntax.fault import Fault
from harnpy.syntax.match_patterns import read_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.syntax.table import Builder

    # Name, type and body of a `catch`.
    Catch = tuple[str | None, n.Type | None, n.Block]


def block(span: Span, *body: n.Stmt) -> n.Block:
    """Build a block."""
    return n.Block(span, body)


def if_(span: Span, cond: n.Expr, then: n.Block, otherwise: n.Block | n.IfExpr | None) -> n.IfExpr:
    """Build ``if``."""
    return n.IfExpr(span, cond, then, otherwise)


def match(span: Span, subject: n.Expr, *arms: n.MatchArm) -> n.MatchExpr:
    """Build ``match``."""
    return n.MatchExpr(span, subject, arms)


def match_arm(span: Span, patterns: tuple[n.MatchPattern, ...], guard: n.Expr | None, body: n.Block) -> n.MatchArm:
    """Build one arm."""
    return n.MatchArm(span, patterns, guard, body)


def alternatives(span: Span, *patterns: n.Expr) -> tuple[n.MatchPattern, ...]:
    """Read the patterns of an arm."""
    return tuple(read_pattern(pattern) for pattern in patterns)


def catch_all(span: Span, body: n.Block) -> Catch:
    """Keep ``catch`` without a name."""
    return None, None, body


def catch_named(span: Span, word: str, body: n.Block) -> Catch:
    """Keep ``catch e``."""
    return word, None, body


def catch_typed(span: Span, word: str, kind: n.Type | None, body: n.Block) -> Catch:
    """Keep ``catch (e: T)``."""
    return word, kind, body


def try_(span: Span, body: n.Block, catch: Catch | None, finally_body: n.Block | None) -> n.TryExpr:
    """Build ``try``."""
    name, kind, catch_body = catch or (None, None, None)
    return n.TryExpr(span, body, name, kind, catch_body, finally_body)


def retry(span: Span, count: n.Expr, body: n.Block) -> n.RetryExpr:
    """Build ``retry``."""
    return n.RetryExpr(span, count, body)


def spawn(span: Span, body: n.Block) -> n.SpawnExpr:
    """Build ``spawn``."""
    return n.SpawnExpr(span, body)


def deadline(span: Span, limit: n.Expr, body: n.Block) -> n.DeadlineExpr:
    """Build ``deadline``."""
    return n.DeadlineExpr(span, limit, body)


def options(span: Span, *entries: n.DictEntry | n.Spread) -> n.Expr:
    """Read the options of ``parallel``: exactly one is supported."""
    limit: n.Expr | None = None
    for entry in entries:
        key = entry.key if isinstance(entry, n.DictEntry) and not entry.computed else None
        if not isinstance(key, n.StringLit) or key.value != "max_concurrent" or not isinstance(entry, n.DictEntry):
            shown = f" `{key.value}`" if isinstance(key, n.StringLit) else ""
            raise Fault(f"Unknown parallel option{shown}: `max_concurrent` is the only supported option", entry.span)
        if limit is not None:
            raise Fault("Duplicate parallel option `max_concurrent`", entry.span)
        limit = entry.value
    if limit is None:
        message = "Expected the parallel option `max_concurrent`, the only supported option, got }"
        raise Fault(message, (span[1] - 1, span[1]), placed=True)
    return limit


def parallel_body(span: Span, binder: str | None, *body: n.Stmt) -> tuple[str | None, n.Block]:
    """Keep the body of ``parallel`` and its binder."""
    return binder, n.Block(span, body)


def _parallel(kind: str, span: Span, subject: n.Expr, limit: n.Expr | None, body: Any, stream: bool) -> n.ParallelExpr:
    return n.ParallelExpr(span, kind, subject, body[0], limit, body[1], stream)


def parallel_count(span: Span, subject: n.Expr, limit: n.Expr | None, body: Any) -> n.ParallelExpr:
    """Build ``parallel n``."""
    return _parallel("count", span, subject, limit, body, False)


def parallel_each(span: Span, subject: n.Expr, limit: n.Expr | None, body: Any) -> n.ParallelExpr:
    """Build ``parallel each``."""
    return _parallel("each", span, subject, limit, body, False)


def parallel_stream(span: Span, subject: n.Expr, limit: n.Expr | None, body: Any) -> n.ParallelExpr:
    """Build ``parallel each ... as stream``."""
    return _parallel("each", span, subject, limit, body, True)


def parallel_settle(span: Span, subject: n.Expr, limit: n.Expr | None, body: Any) -> n.ParallelExpr:
    """Build ``parallel settle``."""
    return _parallel("settle", span, subject, limit, body, False)


BUILDERS: dict[str, Builder] = {
    "block": block,
    "if": if_,
    "match": match,
    "match_arm": match_arm,
    "alternatives": alternatives,
    "catch_all": catch_all,
    "catch_named": catch_named,
    "catch_typed": catch_typed,
    "try": try_,
    "retry": retry,
    "spawn": spawn,
    "deadline": deadline,
    "options": options,
    "parallel_body": parallel_body,
    "parallel_count": parallel_count,
    "parallel_each": parallel_each,
    "parallel_stream": parallel_stream,
    "parallel_settle": parallel_settle,
}
