"""The abstract syntax tree: one attrs class per construct of language 2, each with its span.

Nodes are compared without their spans. Sequences are tuples. A field named ``*_span`` is the place
of one word in the construct, for diagnostics.
"""

from __future__ import annotations

from attrs import field, frozen

from harnpy.source import Span


@frozen
class Node:
    """Base of all nodes; ``span`` covers the construct from its first to its last token."""

    span: Span = field(eq=False)


@frozen
class Expr(Node):
    """Base of expressions."""


@frozen
class Stmt(Node):
    """Base of statements and declarations."""


@frozen
class Type(Node):
    """Base of type expressions."""


# --- literals ---------------------------------------------------------------------------------


@frozen
class IntLit(Expr):
    """``42``."""

    value: int


@frozen
class FloatLit(Expr):
    """``1.5``."""

    value: float


@frozen
class DurationLit(Expr):
    """``50ms``; ``ms`` is the saturated length, ``text`` the literal as written."""

    ms: int
    text: str


@frozen
class StringLit(Expr):
    """A string without holes; ``form`` is ``"plain"``, ``"raw"`` or ``"triple"``."""

    value: str
    form: str = "plain"


@frozen
class Interp(Expr):
    """A string with holes: literal pieces (``str``) and expressions in order."""

    parts: tuple[str | Expr, ...]
    form: str = "plain"


@frozen
class BoolLit(Expr):
    """``true`` or ``false``."""

    value: bool


@frozen
class NilLit(Expr):
    """``nil``."""


@frozen
class Name(Expr):
    """An identifier that is read."""

    name: str


@frozen
class Spread(Node):
    """``...expr`` in a list, a dict or an argument list."""

    value: Expr


@frozen
class ListLit(Expr):
    """``[a, ...b]``."""

    items: tuple[Expr | Spread, ...]


@frozen
class DictEntry(Node):
    """``key: value``; a plain key is a ``StringLit``, ``[expr]`` any expression with ``computed``."""

    key: Expr
    value: Expr
    computed: bool = False


@frozen
class DictLit(Expr):
    """``{k: v, ...d}``."""

    entries: tuple[DictEntry | Spread, ...]


# --- operators and access ---------------------------------------------------------------------


@frozen
class Unary(Expr):
    """``!x`` or ``-x``."""

    op: str
    operand: Expr


@frozen
class Binary(Expr):
    """``op`` is one of ``+ - * / % ** == != < > <= >= in`` ``not in`` ``&& || ??``."""

    op: str
    left: Expr
    right: Expr


@frozen
class Pipe(Expr):
    """``left |> right``."""

    left: Expr
    right: Expr


@frozen
class RangeExpr(Expr):
    """``start to end`` or ``start to end exclusive``."""

    start: Expr
    end: Expr
    exclusive: bool


@frozen
class Ternary(Expr):
    """``cond ? then : otherwise``."""

    cond: Expr
    then: Expr
    otherwise: Expr


@frozen
class TryStar(Expr):
    """``try* expr``."""

    value: Expr


@frozen
class Call(Expr):
    """``callee<types>(args)``; ``type_args`` is empty when none are written."""

    callee: Expr
    args: tuple[Expr | Spread, ...]
    type_args: tuple[Type, ...] = ()


@frozen
class MethodCall(Expr):
    """``receiver.name(args)`` or ``receiver?.name(args)``."""

    receiver: Expr
    name: str
    name_span: Span = field(eq=False)
    args: tuple[Expr | Spread, ...]
    optional: bool = False


@frozen
class Property(Expr):
    """``receiver.name`` or ``receiver?.name``."""

    receiver: Expr
    name: str
    name_span: Span = field(eq=False)
    optional: bool = False


@frozen
class Index(Expr):
    """``receiver[index]``, ``receiver?.[index]``, ``receiver?[index]``."""

    receiver: Expr
    index: Expr
    optional: bool = False


@frozen
class Slice(Expr):
    """``receiver[start:end]``; an omitted bound is ``None``."""

    receiver: Expr
    start: Expr | None
    end: Expr | None
    optional: bool = False


@frozen
class Unwrap(Expr):
    """``value!``."""

    value: Expr


@frozen
class Propagate(Expr):
    """``value?``: the payload of Ok, or return the Err."""

    value: Expr


@frozen
class StructInit(Expr):
    """``Name {field: value}``; entries are plain (never computed)."""

    name: str
    name_span: Span = field(eq=False)
    entries: tuple[DictEntry, ...]


# --- functions and blocks ---------------------------------------------------------------------


@frozen
class Block(Node):
    """``{ stmt; ... }``."""

    body: tuple[Stmt, ...]


@frozen
class Param(Node):
    """One parameter; ``rest`` for ``...name``."""

    name: str
    type: Type | None = None
    default: Expr | None = None
    rest: bool = False


@frozen
class Lambda(Expr):
    """``{ a, b -> ... }`` (``style`` ``"closure"``) or ``fn(a, b) { ... }`` (``"fn"``)."""

    params: tuple[Param, ...]
    body: Block
    style: str
    returns: Type | None = None


@frozen
class IfExpr(Expr):
    """``if``; ``otherwise`` is a block, another ``if`` or absent."""

    cond: Expr
    then: Block
    otherwise: Block | IfExpr | None


@frozen
class MatchPattern(Node):
    """Base of the patterns of ``match`` (language 8.4)."""


@frozen
class WildcardPat(MatchPattern):
    """``_``."""


@frozen
class NamePat(MatchPattern):
    """A bare identifier: a binding, or a payload-free variant of this module (decided later)."""

    name: str


@frozen
class ValuePat(MatchPattern):
    """A literal or any other expression; the subject must equal it."""

    value: Expr


@frozen
class VariantPat(MatchPattern):
    """``E.V``, ``E.V(a, _)`` or ``V(a)``; ``args`` is ``None`` when no parentheses are written."""

    enum: str | None
    variant: str
    args: tuple[MatchPattern, ...] | None


@frozen
class DictPatField(Node):
    """``key: pattern`` in a dict pattern."""

    key: str
    pattern: MatchPattern


@frozen
class DictPat(MatchPattern):
    """``{k: lit, j: name}``."""

    fields: tuple[DictPatField, ...]


@frozen
class ListPat(MatchPattern):
    """``[p, q]`` or ``[h, ...t]``; ``rest`` is a name, ``"_"``, or ``None`` without a rest."""

    items: tuple[MatchPattern, ...]
    rest: str | None


@frozen
class MatchArm(Node):
    """``p | q if guard -> { ... }``."""

    patterns: tuple[MatchPattern, ...]
    guard: Expr | None
    body: Block


@frozen
class MatchExpr(Expr):
    """``match subject { arms }``."""

    subject: Expr
    arms: tuple[MatchArm, ...]


@frozen
class TryExpr(Expr):
    """``try``; ``catch_body`` is ``None`` without a ``catch``."""

    body: Block
    catch_name: str | None = None
    catch_type: Type | None = None
    catch_body: Block | None = None
    finally_body: Block | None = None


@frozen
class RetryExpr(Expr):
    """``retry n { ... }``."""

    count: Expr
    body: Block


@frozen
class ParallelExpr(Expr):
    """``kind`` is ``"count"``, ``"each"`` or ``"settle"``; ``stream`` for ``as stream``."""

    kind: str
    subject: Expr
    binder: str | None
    max_concurrent: Expr | None
    body: Block
    stream: bool = False


@frozen
class SpawnExpr(Expr):
    """``spawn { ... }``."""

    body: Block


@frozen
class DeadlineExpr(Expr):
    """``deadline d { ... }``."""

    limit: Expr
    body: Block


@frozen
class BlockExpr(Expr):
    """``block { ... }``."""

    body: Block


@frozen
class ScopeExpr(Expr):
    """``scope { ... }``: a nursery."""

    body: Block


# --- binding patterns -------------------------------------------------------------------------


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


# --- statements -------------------------------------------------------------------------------


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


# --- declarations -----------------------------------------------------------------------------


@frozen
class AttrCall(Node):
    """An attribute value of the form ``name(args)`` or ``a.b`` (then ``args`` is ``None``)."""

    name: str
    args: tuple[AttrArg, ...] | None


@frozen
class AttrArg(Node):
    """``name: value`` or a positional value of an attribute.

    ``value`` is a Python constant, a tuple of values (list), a tuple of ``AttrArg`` (dict) or an ``AttrCall``.
    """

    name: str | None
    value: object


@frozen
class Attribute(Node):
    """``@name(args)``."""

    name: str
    args: tuple[AttrArg, ...]


@frozen
class Bound(Node):
    """``T: A + B`` of a ``where``."""

    name: str
    interfaces: tuple[str, ...]


@frozen
class FnDecl(Stmt):
    """``fn name(...)``; ``stream`` for ``gen fn``."""

    name: str
    name_span: Span = field(eq=False)
    params: tuple[Param, ...]
    body: Block
    returns: Type | None = None
    type_params: tuple[str, ...] = ()
    stream: bool = False
    public: bool = False
    attributes: tuple[Attribute, ...] = ()
    throws: Type | None = None
    bounds: tuple[Bound, ...] = ()


@frozen
class ToolDecl(Stmt):
    """``tool name(...) { description "..." ... }``."""

    name: str
    name_span: Span = field(eq=False)
    params: tuple[Param, ...]
    body: Block
    description: str | None = None
    returns: Type | None = None
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class SkillDecl(Stmt):
    """``skill name { field expr }``; fields are plain dict entries."""

    name: str
    name_span: Span = field(eq=False)
    fields: tuple[DictEntry, ...]
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class EvalPackDecl(Stmt):
    """``eval_pack name { ... }``: parsed and ignored."""

    name: str
    fields: tuple[DictEntry, ...]


@frozen
class PipelineDecl(Stmt):
    """``pipeline name(...)``."""

    name: str
    name_span: Span = field(eq=False)
    params: tuple[Param, ...]
    body: Block
    returns: Type | None = None
    extends: str | None = None
    public: bool = False
    attributes: tuple[Attribute, ...] = ()
    throws: Type | None = None


@frozen
class StructField(Node):
    """``name: type`` or ``name?: type``."""

    name: str
    type: Type | None
    optional: bool = False


@frozen
class StructDecl(Stmt):
    """``struct Name { fields }``."""

    name: str
    name_span: Span = field(eq=False)
    fields: tuple[StructField, ...]
    type_params: tuple[str, ...] = ()
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class Variant(Node):
    """One variant of an enum; ``fields`` is ``None`` without parentheses."""

    name: str
    fields: tuple[StructField, ...] | None


@frozen
class EnumDecl(Stmt):
    """``enum Name { variants }``."""

    name: str
    name_span: Span = field(eq=False)
    variants: tuple[Variant, ...]
    type_params: tuple[str, ...] = ()
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class TypeDecl(Stmt):
    """``type Name = type``."""

    name: str
    name_span: Span = field(eq=False)
    type: Type
    type_params: tuple[str, ...] = ()
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class MethodSig(Node):
    """One method signature of an interface."""

    name: str
    params: tuple[Param, ...]
    returns: Type | None
    type_params: tuple[str, ...] = ()


@frozen
class InterfaceDecl(Stmt):
    """``interface Name { ... }``; ``types`` are its associated type names."""

    name: str
    name_span: Span = field(eq=False)
    methods: tuple[MethodSig, ...]
    types: tuple[str, ...] = ()
    type_params: tuple[str, ...] = ()
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class ImplDecl(Stmt):
    """``impl Name { fn ... }``."""

    name: str
    name_span: Span = field(eq=False)
    methods: tuple[FnDecl, ...]
    attributes: tuple[Attribute, ...] = ()


def _words(names: tuple[tuple[str, Span], ...] | None) -> tuple[str, ...] | None:
    """Give the names without their places, for comparison."""
    return None if names is None else tuple([name for name, _ in names])


@frozen
class Import(Stmt):
    """``import``; ``names`` is ``None`` for a whole module, ``alias`` is set for ``* as alias``."""

    path: str
    path_span: Span = field(eq=False)
    names: tuple[tuple[str, Span], ...] | None = field(default=None, eq=_words)
    alias: str | None = None
    public: bool = False


@frozen
class Module(Node):
    """A whole file."""

    body: tuple[Stmt, ...]


# --- types ------------------------------------------------------------------------------------


@frozen
class NamedType(Type):
    """``Name<args>``; ``[T]`` is ``list<T>``."""

    name: str
    args: tuple[Type, ...] = ()


@frozen
class LiteralType(Type):
    """A literal as a type: string, int, ``true``, ``false``; ``nil`` has the value ``None``."""

    value: str | int | bool | None


@frozen
class UnionType(Type):
    """``A | B``; ``T?`` is ``T | nil``."""

    members: tuple[Type, ...]


@frozen
class IntersectionType(Type):
    """``A & B``."""

    members: tuple[Type, ...]


@frozen
class FnType(Type):
    """``fn(A) -> R``."""

    params: tuple[Type, ...]
    returns: Type | None


@frozen
class ShapeField(Node):
    """``name: T`` or ``name?: T``."""

    name: str
    type: Type
    optional: bool = False


@frozen
class ShapeType(Type):
    """``{a: T, b?: U, ...Rest}``."""

    fields: tuple[ShapeField, ...]
    rest: str | None = None
