"""Statements and binding patterns."""

from __future__ import annotations

from attrs import frozen

from harnpy.syntax.nodes_base import Node, Stmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.nodes_base import Expr, Type
    from harnpy.syntax.nodes_expressions import Block, DictEntry


@frozen
class Pattern(Node):
    """Base of binding patterns (language 4.4)."""


@frozen
class NameBinding(Pattern):
    """A plain name, or ``_``."""

    name: str


@frozen
class DictField(Node):
    """``key``, ``key: name``, each with an optional default."""

    key: str
    name: str
    default: Expr | None = None


@frozen
class DictBinding(Pattern):
    """``{a, b: alias, c = 1, ...rest}``."""

    fields: tuple[DictField, ...]
    rest: str | None = None


@frozen
class ListItem(Node):
    """One name of a list pattern with an optional default."""

    name: str
    default: Expr | None = None


@frozen
class ListBinding(Pattern):
    """``[x, y = 0, ...tail]``."""

    items: tuple[ListItem, ...]
    rest: str | None = None


@frozen
class PairBinding(Pattern):
    """``(k, v)``, in ``for`` only."""

    first: str
    second: str


@frozen
class ExprStmt(Stmt):
    """An expression as a statement."""

    value: Expr


@frozen
class Binding(Stmt):
    """``const`` (``mutable`` false) or ``let``."""

    mutable: bool
    pattern: Pattern
    type: Type | None
    value: Expr
    public: bool = False


@frozen
class Assign(Stmt):
    """``target op value``; ``target`` is a name followed by property and index steps."""

    target: Expr
    op: str
    value: Expr


@frozen
class Return(Stmt):
    """``return`` with or without a value."""

    value: Expr | None


@frozen
class Throw(Stmt):
    """``throw value``."""

    value: Expr


@frozen
class Break(Stmt):
    """``break``."""


@frozen
class Continue(Stmt):
    """``continue``."""


@frozen
class Yield(Stmt):
    """``yield`` with or without a value."""

    value: Expr | None


@frozen
class Emit(Stmt):
    """``emit value``."""

    value: Expr


@frozen
class For(Stmt):
    """``for pattern in iterable { ... }``."""

    pattern: Pattern
    iterable: Expr
    body: Block


@frozen
class While(Stmt):
    """``while cond { ... }``."""

    cond: Expr
    body: Block


@frozen
class Guard(Stmt):
    """``guard cond else { ... }``."""

    cond: Expr
    otherwise: Block


@frozen
class Require(Stmt):
    """``require cond, message``."""

    cond: Expr
    message: Expr | None


@frozen
class Defer(Stmt):
    """``defer { ... }``."""

    body: Block


@frozen
class Mutex(Stmt):
    """``mutex { ... }`` or ``mutex(key) { ... }``."""

    key: Expr | None
    body: Block


@frozen
class SelectCase(Node):
    """``name from channel { ... }``."""

    name: str
    channel: Expr
    body: Block


@frozen
class Select(Stmt):
    """``select``; at most one of ``timeout_body`` and ``default_body`` is present."""

    cases: tuple[SelectCase, ...]
    timeout: Expr | None = None
    timeout_body: Block | None = None
    default_body: Block | None = None


@frozen
class CostRoute(Stmt):
    """``cost_route { key: value ... stmts }`` (outside the subset)."""

    options: tuple[DictEntry, ...]
    body: Block


@frozen
class Override(Stmt):
    """``override name(params) { ... }`` inside a pipeline (outside the subset)."""

    name: str
    params: tuple[str, ...]
    body: Block
