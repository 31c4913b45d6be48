"""Expressions and the patterns of ``match``."""

from __future__ import annotations

from attrs import field, frozen

from harnpy.source import Span
from harnpy.syntax.nodes_base import Expr, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.nodes_base import Stmt, Type


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


# --- operators and access ----------------------------------------------------------------------------


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


# --- functions and blocks ----------------------------------------------------------------------------


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
