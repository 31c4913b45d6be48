"""Resolved nodes of blocks and of the expressions that are made of them, with the patterns of match."""

from __future__ import annotations

from harnpy.analysis.resolved_base import Expr, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from harnpy.analysis.resolved_base import Stmt
    from harnpy.analysis.resolved_expressions import Function, Target


class Block(Node):
    """Statements with their own scope.

    ``cells`` are boxed slots of local functions: they get an unset cell on entry, so that siblings
    share it. ``defers`` tells that a ``defer`` stands directly in this block. ``bits``: see ``runtime/signals.py``.
    """

    HIDDEN: ClassVar[tuple[str, ...]] = ("bits",)

    body: tuple[Stmt, ...]
    cells: tuple[int, ...]
    defers: bool


class If(Expr):
    """``if``."""

    cond: Expr
    then: Block
    otherwise: Block | If | None


class MatchPattern(Node):
    """Base of match patterns."""


class MWild(MatchPattern):
    """Matches everything."""


class MBind(MatchPattern):
    """Matches everything and binds it."""

    target: Target


class MValue(MatchPattern):
    """Equality with a value."""

    value: Expr


class MVariant(MatchPattern):
    """``enum`` reads the enum type; ``None`` for Ok and Err (the Result enum)."""

    enum: Expr | None
    enum_name: str
    variant: str
    args: tuple[MatchPattern, ...] | None


class MDict(MatchPattern):
    """Keys with their patterns."""

    fields: tuple[tuple[str, MatchPattern], ...]


class MList(MatchPattern):
    """Items and an optional rest (``ToNothing`` for ``..._``)."""

    items: tuple[MatchPattern, ...]
    rest: Target | None


class MatchArm(Node):
    """One arm."""

    patterns: tuple[MatchPattern, ...]
    guard: Expr | None
    body: Block


class Match(Expr):
    """``match``."""

    subject: Expr
    arms: tuple[MatchArm, ...]


class Try(Expr):
    """``try``; without catch and finally it gives a Result. ``catch_type`` is an enum's name."""

    body: Block
    catch_target: Target | None
    catch_type: str | None
    catch_body: Block | None
    finally_body: Block | None


class TryStar(Expr):
    """``try* value``: the value; an error simply goes on."""

    value: Expr


class Retry(Expr):
    """``retry n { }``."""

    count: Expr
    body: Block


class Parallel(Expr):
    """``kind`` is ``count``, ``each`` or ``settle``; the function takes the binder or nothing."""

    kind: str
    subject: Expr
    max_concurrent: Expr | None
    function: Function
    stream: bool


class Spawn(Expr):
    """``spawn { }``."""

    function: Function


class Deadline(Expr):
    """``deadline d { }``."""

    limit: Expr
    body: Block


class BlockExpr(Expr):
    """``block { }``."""

    body: Block


class ScopeExpr(Expr):
    """``scope { }``."""

    body: Block
