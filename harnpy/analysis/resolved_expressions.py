"""Resolved nodes of names, literals, operators, access, calls and functions."""

from __future__ import annotations

from harnpy.analysis.resolved_base import Expr, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from harnpy.analysis.resolved_blocks import Block
    from harnpy.analysis.resolved_modules import Type
    from harnpy.source import Span


# --- where a name lives -----------------------------------------------------------------------


class Target(Node):
    """Base of binding targets."""


class ToNothing(Target):
    """``_``: the value is dropped."""


class ToLocal(Target):
    """A frame slot. ``boxed``: the slot holds a cell (a one-element list) shared with closures.

    Declaring into a boxed slot makes a fresh cell; storing writes into the cell that is there.
    """

    slot: int
    boxed: bool
    name: str


class ToGlobal(Target):
    """A module variable (a cell of the module)."""

    name: str


class Local(Expr):
    """Read a frame slot."""

    slot: int
    name: str


class LocalCell(Expr):
    """Read the cell in a frame slot; an unset cell is an undefined variable."""

    slot: int
    name: str


class Global(Expr):
    """Read a name of the module: its own, an import, a predefined value or a builtin, by name."""

    name: str


class Outer(Expr):
    """Read an import, a predefined value or a builtin behind a module variable of the same name.

    In ``const keys = keys(d)`` at module level the name on the right is not yet the variable.
    """

    name: str


class OwnName(Expr):
    """Read the variable whose initialiser holds this closure: ``const f = { n -> f(n - 1) }``.

    The cell in ``slot`` is meant unless the module sees an import, a predefined value or a builtin of
    that name, which only linking can tell: those win, for the variable is not declared yet there.
    """

    slot: int
    name: str


# --- literals and operators -------------------------------------------------------------------


class Const(Expr):
    """An immutable constant: int, float, str, bool, nil or (as ``DurationConst``) a duration."""

    value: int | float | str | bool | None


class DurationConst(Expr):
    """A duration in ms."""

    ms: int


class Interp(Expr):
    """Display text of the parts, joined; a ``str`` is literal."""

    parts: tuple[str | Expr, ...]


class Spread(Node):
    """``...value`` in a list, a dict or an argument list."""

    value: Expr


class ListOf(Expr):
    """A list."""

    items: tuple[Expr | Spread, ...]


class Entry(Node):
    """One dict entry; a constant key is a ``Const`` of ``str``."""

    key: Expr
    value: Expr


class DictOf(Expr):
    """A dict."""

    entries: tuple[Entry | Spread, ...]


class Not(Expr):
    """``!value``."""

    value: Expr


class Negate(Expr):
    """``-value``."""

    value: Expr


class Binary(Expr):
    """``op`` is one of ``+ - * / % ** == != < > <= >= in`` or ``not in``."""

    op: str
    left: Expr
    right: Expr


class And(Expr):
    """``left && right``: a bool."""

    left: Expr
    right: Expr


class Or(Expr):
    """``left || right``: a bool."""

    left: Expr
    right: Expr


class Coalesce(Expr):
    """``left ?? right``."""

    left: Expr
    right: Expr


class Ternary(Expr):
    """``cond ? then : otherwise``."""

    cond: Expr
    then: Expr
    otherwise: Expr


class RangeOf(Expr):
    """``start to end``."""

    start: Expr
    end: Expr
    exclusive: bool


class PipeCall(Expr):
    """``left |> right`` without a placeholder: right's value is called with left's value."""

    left: Expr
    right: Expr


class LetIn(Expr):
    """Evaluate ``value`` into ``slot``, then ``body`` (a pipe with placeholders)."""

    slot: int
    value: Expr
    body: Expr


# --- access and calls -------------------------------------------------------------------------


class Call(Expr):
    """``callee(args)``; ``tail`` when it is the operand of a return that nothing is pending on."""

    callee: Expr
    args: tuple[Expr | Spread, ...]
    tail: bool


class MethodCall(Expr):
    """``receiver.name(args)``; ``name_span`` is the place of the name."""

    receiver: Expr
    name: str
    name_span: Span
    args: tuple[Expr | Spread, ...]
    optional: bool
    tail: bool


class Property(Expr):
    """``receiver.name``."""

    receiver: Expr
    name: str
    name_span: Span
    optional: bool


class Index(Expr):
    """``receiver[index]``."""

    receiver: Expr
    index: Expr
    optional: bool


class Slice(Expr):
    """``receiver[start:end]``."""

    receiver: Expr
    start: Expr | None
    end: Expr | None
    optional: bool


class Unwrap(Expr):
    """``value!``."""

    value: Expr


class Propagate(Expr):
    """``value?``."""

    value: Expr


class StructInit(Expr):
    """``Name {..}``; ``struct`` reads the name."""

    struct: Expr
    name: str
    entries: tuple[Entry, ...]


class SchemaOf(Expr):
    """A type in a schema position: its schema dict (language 13.4).

    With ``value`` the type is a name that only linking can tell: when it names no type, the
    result is that of ``value``.
    """

    type: Type
    value: Expr | None


# --- functions --------------------------------------------------------------------------------


class Param(Node):
    """One parameter; parameter ``i`` lives in slot ``i`` (the rest parameter too)."""

    name: str
    type: Type | None
    default: Expr | None
    rest: bool


class Function(Node):
    """The code of one function-like body.

    ``kind``: ``fn`` (result only by return), ``closure``, ``tool``, ``pipeline``, ``branch``
    (parallel, spawn) or ``module``. Frame: parameters, then captures, then the other locals;
    ``captures[i]`` is the slot of the enclosing frame whose raw content (value or cell) is copied into
    slot ``len(params) + i`` when the closure is made. ``produces`` is ``""``, ``"generator"`` or
    ``"stream"``. The source text is that of the module. The body of a function that comes from the
    cache stays ``packed`` until it is asked for: most functions of a library are never called.
    """

    HIDDEN: ClassVar[tuple[str, ...]] = ("packed",)

    name: str
    kind: str
    params: tuple[Param, ...]
    captures: tuple[int, ...]
    nslots: int
    body: Block
    produces: str

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name != "body":
                raise AttributeError(name)
            from harnpy.analysis.packing import unpack_body

            body = self.body = unpack_body(self.packed)
            return body


class MakeClosure(Expr):
    """Make a closure over the current frame."""

    function: Function
