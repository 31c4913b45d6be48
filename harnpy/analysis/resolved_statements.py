"""Resolved nodes of statements and declarations, with the patterns of bindings."""

from __future__ import annotations

from harnpy.analysis.resolved_base import Expr, Node, Stmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis.resolved_blocks import Block
    from harnpy.analysis.resolved_expressions import Entry, Function, Target
    from harnpy.analysis.resolved_modules import Type


# --- statements -------------------------------------------------------------------------------


class ExprStmt(Stmt):
    """An expression; its value is the block's value when it stands last."""

    value: Expr


class Declare(Stmt):
    """``const``/``let`` with one name; a type is checked when it runs."""

    target: Target
    type: Type | None
    value: Expr
    name: str


class Pattern(Node):
    """Base of destructuring patterns."""


class PName(Pattern):
    """One name."""

    target: Target


class PDict(Pattern):
    """Fields as (key, target, default) and the rest."""

    fields: tuple[tuple[str, Target, Expr | None], ...]
    rest: Target | None


class PList(Pattern):
    """Items as (target, default) and the rest."""

    items: tuple[tuple[Target, Expr | None], ...]
    rest: Target | None


class PPair(Pattern):
    """``(k, v)``."""

    first: Target
    second: Target


class Destructure(Stmt):
    """``const``/``let`` with a dict or list pattern."""

    pattern: Pattern
    type: Type | None
    value: Expr


class Store(Stmt):
    """``x = value``."""

    target: Target
    value: Expr


class Update(Stmt):
    """``x op= value``; ``op`` is the binary operator."""

    target: Target
    op: str
    value: Expr


class Key(Node):
    """A ``.name`` step of a path."""

    name: str


class At(Node):
    """A ``[index]`` step of a path."""

    index: Expr


class StorePath(Stmt):
    """``root.steps = value`` or, with ``op``, ``root.steps op= value``."""

    root: Target
    steps: tuple[Key | At, ...]
    op: str | None
    value: Expr


class Return(Stmt):
    """``return``."""

    value: Expr | None


class Throw(Stmt):
    """``throw``."""

    value: Expr


class Break(Stmt):
    """``break``."""


class Continue(Stmt):
    """``continue``."""


class Yield(Stmt):
    """``yield``."""

    value: Expr | None


class Emit(Stmt):
    """``emit``."""

    value: Expr


class For(Stmt):
    """``for``."""

    pattern: Pattern
    iterable: Expr
    body: Block


class While(Stmt):
    """``while``."""

    cond: Expr
    body: Block


class Guard(Stmt):
    """``guard``."""

    cond: Expr
    otherwise: Block


class Require(Stmt):
    """``require``."""

    cond: Expr
    message: Expr | None


class Defer(Stmt):
    """``defer``."""

    body: Block


class Mutex(Stmt):
    """``mutex``; the node itself is the identity of an unkeyed lock."""

    key: Expr | None
    body: Block


class SelectCase(Node):
    """``target from channel { }``."""

    target: Target
    channel: Expr
    body: Block


class Select(Stmt):
    """``select``."""

    cases: tuple[SelectCase, ...]
    timeout: Expr | None
    timeout_body: Block | None
    default_body: Block | None


class NotSupported(Stmt):
    """A construct outside the subset: an error that names it when it runs."""

    what: str


# --- declarations -----------------------------------------------------------------------------


class DeclareFn(Stmt):
    """``fn``; ``attributes`` holds (name, args) of attributes with an effect."""

    target: Target
    function: Function
    attributes: tuple[tuple[str, tuple[tuple[str | None, object], ...]], ...]


class DeclareTool(Stmt):
    """``tool``."""

    target: Target
    name: str
    description: str
    function: Function
    returns: Type | None
    attributes: tuple[tuple[str, tuple[tuple[str | None, object], ...]], ...]


class DeclareSkill(Stmt):
    """``skill``."""

    target: Target
    name: str
    fields: tuple[Entry, ...]


class DeclareStruct(Stmt):
    """``struct``: fields as (name, type, optional)."""

    target: Target
    name: str
    fields: tuple[tuple[str, Type | None, bool], ...]


class DeclareEnum(Stmt):
    """``enum``: variants as (name, field names or ``None``)."""

    target: Target
    name: str
    variants: tuple[tuple[str, tuple[str, ...] | None], ...]


class DeclareImpl(Stmt):
    """``impl``: ``struct`` reads the type's name."""

    struct: Expr
    name: str
    methods: tuple[Function, ...]
