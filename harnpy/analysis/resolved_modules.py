"""Resolved nodes of types and of whole modules."""

from __future__ import annotations

from harnpy.analysis.resolved_base import Node, Stmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis.resolved_expressions import Function
    from harnpy.source import Span


# --- types ------------------------------------------------------------------------------------


class Type(Node):
    """Base of types."""


class TName(Type):
    """``Name<args>``; what the name means (builtin, alias, struct, enum, interface) is found by the
    checker in the module's scope; an unknown name accepts everything.
    """

    name: str
    args: tuple[Type, ...]


class TLiteral(Type):
    """A literal type."""

    value: str | int | bool | None


class TUnion(Type):
    """``A | B``."""

    members: tuple[Type, ...]


class TBoth(Type):
    """``A & B``."""

    members: tuple[Type, ...]


class TFn(Type):
    """Any callable."""


class TShape(Type):
    """Fields as (name, type, optional)."""

    fields: tuple[tuple[str, Type, bool], ...]


# --- modules ----------------------------------------------------------------------------------


class Import(Node):
    """One import; ``names`` is ``None`` for all exports; ``alias`` for ``* as alias``."""

    path: str
    path_span: Span
    names: tuple[tuple[str, Span], ...] | None
    alias: str | None
    public: bool


class Pipeline(Node):
    """A pipeline; ``params`` are (name, type name or ``None``)."""

    name: str
    function: Function
    params: tuple[tuple[str, str | None], ...]
    extends: str | None
    test: bool
    public: bool


class Notice(Node):
    """A warning to show when the module is checked or run."""

    code: str
    message: str
    hint: str | None


class Module(Node):
    """A whole file.

    ``declarations`` (structs, enums, functions, impls) run before ``main``, the other module-level
    statements; both run in the frame of ``main`` (kind ``module``). ``globals`` are the names of its
    module variables; ``exports`` the public ones; ``types`` its aliases and interfaces as (name, type,
    public), where an interface's type is ``None``. ``free`` are the names it uses and does not define,
    to be checked once the imports are known: (name, use, places), where use is ``read``, ``call``,
    ``type`` (a schema position) or ``assign``. ``main_params`` are the parameters of a top-level ``fn
    main`` as (name, type name), or ``None``.
    """

    imports: tuple[Import, ...]
    declarations: tuple[Stmt, ...]
    main: Function
    globals: tuple[str, ...]
    exports: tuple[str, ...]
    types: tuple[tuple[str, Type | None, bool], ...]
    free: tuple[tuple[str, str, tuple[Span, ...]], ...]
    pipelines: tuple[Pipeline, ...]
    main_params: tuple[tuple[str, str | None], ...] | None
    main_span: Span | None
    warnings: tuple[Notice, ...]
