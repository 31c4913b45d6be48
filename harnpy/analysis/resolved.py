"""The resolved tree: what the evaluator compiles and what the module cache stores.

The resolver turns the AST into this smaller language: names are slots, cells or globals, sugar is
gone, tail calls are marked. The classes are plain and slotted, made without attrs, because loading
them is on the way of every start (design 3, 11); ``_Meta`` derives slots and constructor from the
annotations. Nodes pickle through their constructor.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, dataclass_transform

    from harnpy.source import Span
else:

    def dataclass_transform(**_options):
        """Stand in for typing's marker, which only type checkers need."""
        return lambda cls: cls


@dataclass_transform(eq_default=False)
class _Meta(type):
    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Meta:
        own = tuple(
            key for key, kind in namespace.get("__annotations__", {}).items() if "ClassVar" not in kind
        )
        namespace["__slots__"] = own
        inherited: tuple[str, ...] = bases[0].FIELDS if bases else ()  # type: ignore[attr-defined]
        namespace["FIELDS"] = inherited + own
        return super().__new__(mcs, name, bases, namespace)


class Node(metaclass=_Meta):
    """Base of all resolved nodes; constructor arguments are the fields in order, ``span`` first."""

    FIELDS: ClassVar[tuple[str, ...]]
    span: Span

    if not TYPE_CHECKING:

        def __init__(self, *values):
            for name, value in zip(self.FIELDS, values, strict=True):
                setattr(self, name, value)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), tuple([getattr(self, name) for name in self.FIELDS])

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.FIELDS[1:])
        return f"{type(self).__name__}({shown})"


class Expr(Node):
    """Base of expressions."""


class Stmt(Node):
    """Base of statements."""


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
    ``"stream"``. The source text is that of the module.
    """

    name: str
    kind: str
    params: tuple[Param, ...]
    captures: tuple[int, ...]
    nslots: int
    body: Block
    produces: str


class MakeClosure(Expr):
    """Make a closure over the current frame."""

    function: Function


# --- blocks as expressions --------------------------------------------------------------------


class Block(Node):
    """Statements with their own scope.

    ``cells`` are boxed slots of local functions: they get an unset cell on entry, so that siblings
    share it. ``defers`` tells that a ``defer`` stands directly in this block.
    """

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
