"""Finds out how control can leave a node: by a signal of a statement, or by a jump out of an expression.

The bits say what may happen, never what must: one too many costs a test, one too few would lose a ``return``.
"""

from __future__ import annotations

from harnpy.analysis import resolved as r

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

RETURN = 1
BREAK = 2
CONTINUE = 4
SIGNALS = RETURN | BREAK | CONTINUE

_JUMP_SHIFT = 3
RETURN_JUMP = RETURN << _JUMP_SHIFT
BREAK_JUMP = BREAK << _JUMP_SHIFT
CONTINUE_JUMP = CONTINUE << _JUMP_SHIFT
LOOP_BITS = BREAK | CONTINUE | BREAK_JUMP | CONTINUE_JUMP

# Expressions that run in statement mode when they are a whole statement.
STATEMENT_FORMS = frozenset((r.If, r.Match, r.Try, r.Retry, r.BlockExpr, r.Deadline, r.ScopeExpr))

# Nodes whose inside belongs to another function or holds no statements.
_CLOSED = frozenset(
    (
        r.Local, r.LocalCell, r.Global, r.Const, r.DurationConst, r.MakeClosure, r.SchemaOf, r.Function, r.Spawn,
        r.DeclareFn, r.DeclareTool, r.DeclareStruct, r.DeclareEnum, r.DeclareImpl, r.ToLocal, r.ToGlobal,
        r.ToNothing, r.NotSupported,
    )
)  # fmt: skip

# Fields that never hold a node with statements inside.
_PLAIN_FIELDS = frozenset(("span", "name", "name_span", "op", "optional", "tail", "target", "type", "function", "slot"))

_fields: dict[type, tuple[str, ...]] = {}


def leaves(node: Any) -> int:
    """Give the bits of the ways in which control can leave ``node``.

    A statement and a block count as compiled in statement mode, an expression as compiled in expression mode.
    """
    kind = type(node)
    if kind in _CLOSED:
        return 0
    rule = _RULES.get(kind)
    return rule(node) if rule is not None else _inside(node)


def can_signal(statement: Any) -> bool:
    """Tell whether the compiled ``statement`` may give a signal."""
    return leaves(statement) & SIGNALS != 0


def as_jumps(bits: int) -> int:
    """Give ``bits`` of a block that stands in an expression: its signals become jumps."""
    return (bits & SIGNALS) << _JUMP_SHIFT | bits & ~SIGNALS


def _inside(node: Any) -> int:
    """Unite what the parts of an expression, or of a statement without a rule of its own, can do."""
    kind = type(node)
    names = _fields.get(kind)
    if names is None:
        names = _fields[kind] = tuple([name for name in kind.FIELDS if name not in _PLAIN_FIELDS])
    bits = 0
    for name in names:
        bits |= _part(getattr(node, name))
    return bits


def _part(value: Any) -> int:
    if isinstance(value, tuple):
        bits = 0
        for item in value:
            bits |= _part(item)
        return bits
    if type(value) is r.Block:
        return as_jumps(leaves(value))
    return leaves(value) if isinstance(value, r.Node) else 0


def statement_bits(node: Any) -> int:
    """Give the bits of a node with blocks inside that is compiled in statement mode: its blocks give signals."""
    bits = 0
    for name in type(node).FIELDS:
        value = getattr(node, name)
        if isinstance(value, tuple):
            for item in value:
                bits |= statement_bits(item) if isinstance(item, r.MatchArm | r.SelectCase) else _part(item)
        elif type(value) is r.Block:
            bits |= leaves(value)
        elif type(value) is r.If:
            bits |= statement_bits(value)
        elif isinstance(value, r.Node):
            bits |= leaves(value)
    return bits


def _expression_statement(node: Any) -> int:
    value = node.value
    if type(value) not in STATEMENT_FORMS:
        return leaves(value)
    bits = statement_bits(value)
    if type(value) is r.Deadline or type(value) is r.ScopeExpr:
        bits |= as_jumps(bits)
    return bits


def _block(node: Any) -> int:
    # Every enclosing node asks again, in every session of the process; nothing changes a tree.
    try:
        known: int = node.bits
    except AttributeError:
        known = 0
        for statement in node.body:
            known |= leaves(statement)
        node.bits = known
    return known


def _for(node: Any) -> int:
    return _part(node.iterable) | _part(node.pattern) | leaves(node.body) & ~LOOP_BITS


def _while(node: Any) -> int:
    return leaves(node.cond) | leaves(node.body) & ~LOOP_BITS


def _return(node: Any) -> int:
    return RETURN if node.value is None else RETURN | _with_value(node)


def _with_value(node: Any) -> int:
    """Give the bits of a statement whose value may be written into it with its blocks (``blocks.emit_value``)."""
    bits = _inside(node)
    if type(node.value) in STATEMENT_FORMS:
        bits |= statement_bits(node.value)
    return bits


def _propagate(node: Any) -> int:
    return RETURN_JUMP | leaves(node.value)


_RULES: dict[type, Callable[[Any], int]] = {
    r.Block: _block,
    r.ExprStmt: _expression_statement,
    r.For: _for,
    r.While: _while,
    r.Return: _return,
    r.Break: lambda _: BREAK,
    r.Continue: lambda _: CONTINUE,
    r.Propagate: _propagate,
    r.Declare: _with_value,
    r.Destructure: _with_value,
    r.Store: _with_value,
    r.StorePath: _with_value,
    r.Throw: _with_value,
    r.Guard: statement_bits,
    r.Defer: statement_bits,
    r.Mutex: statement_bits,
    r.Select: statement_bits,
}
