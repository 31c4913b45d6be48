"""Tree of expressions: literals, operators, access, calls, closures."""

from __future__ import annotations

from harnpy.source import Span
from harnpy.syntax import nodes as n
from harnpy.syntax.fault import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.syntax.table import Builder

    Word = tuple[str, Span]


def name(span: Span, text: str) -> n.Name:
    """Build an identifier that is read."""
    return n.Name(span, text)


def int_literal(span: Span, value: int) -> n.IntLit:
    """Build an int."""
    return n.IntLit(span, value)


def float_literal(span: Span, value: float) -> n.FloatLit:
    """Build a float."""
    return n.FloatLit(span, value)


def duration(span: Span, value: tuple[int, str]) -> n.DurationLit:
    """Build a duration."""
    return n.DurationLit(span, *value)


def string(span: Span, value: str) -> n.StringLit:
    """Build a string in plain quotes."""
    return n.StringLit(span, value)


def raw_string(span: Span, value: str) -> n.StringLit:
    """Build a raw string."""
    return n.StringLit(span, value, "raw")


def triple_string(span: Span, value: str) -> n.StringLit:
    """Build a triple-quoted string."""
    return n.StringLit(span, value, "triple")


def interpolation(span: Span, form: str, *parts: str | n.Expr) -> n.Interp:
    """Build a string with holes."""
    return n.Interp(span, tuple(part for part in parts if part != ""), form)


def true(span: Span) -> n.BoolLit:
    """Build ``true``."""
    return n.BoolLit(span, True)


def false(span: Span) -> n.BoolLit:
    """Build ``false``."""
    return n.BoolLit(span, False)


def nil(span: Span) -> n.NilLit:
    """Build ``nil``."""
    return n.NilLit(span)


def list_literal(span: Span, *items: n.Expr | n.Spread) -> n.ListLit:
    """Build a list."""
    return n.ListLit(span, items)


def dict_literal(span: Span, *entries: n.DictEntry | n.Spread) -> n.DictLit:
    """Build a dict."""
    return n.DictLit(span, entries)


def entry(span: Span, key: n.Expr, value: n.Expr) -> n.DictEntry:
    """Build ``key: value``."""
    return n.DictEntry(span, key, value)


def computed_entry(span: Span, key: n.Expr, value: n.Expr) -> n.DictEntry:
    """Build ``[key]: value``."""
    return n.DictEntry(span, key, value, True)


def spread(span: Span, value: n.Expr) -> n.Spread:
    """Build ``...value``."""
    return n.Spread(span, value)


def struct_literal(span: Span, word: str, *entries: n.DictEntry) -> n.StructInit:
    """Build ``Name {field: value}``."""
    return n.StructInit(span, word, (span[0], span[0] + len(word)), entries)


def binary(span: Span, left: n.Expr, op: str, right: n.Expr) -> n.Binary:
    """Build ``left op right``."""
    return n.Binary(span, op, left, right)


def not_in(span: Span, left: n.Expr, _not: str, _in: str, right: n.Expr) -> n.Binary:
    """Build ``left not in right``."""
    return n.Binary(span, "not in", left, right)


def not_(span: Span, operand: n.Expr) -> n.Unary:
    """Build ``!operand``."""
    return n.Unary(span, "!", operand)


def negative(span: Span, operand: n.Expr) -> n.Unary:
    """Build ``-operand``."""
    return n.Unary(span, "-", operand)


def try_star(span: Span, value: n.Expr) -> n.TryStar:
    """Build ``try* value``."""
    return n.TryStar(span, value)


def pipe(span: Span, left: n.Expr, right: n.Expr) -> n.Pipe:
    """Build ``left |> right``."""
    return n.Pipe(span, left, right)


def range_to(span: Span, start: n.Expr, end: n.Expr) -> n.RangeExpr:
    """Build ``start to end``."""
    return n.RangeExpr(span, start, end, False)


def range_exclusive(span: Span, start: n.Expr, end: n.Expr) -> n.RangeExpr:
    """Build ``start to end exclusive``."""
    return n.RangeExpr(span, start, end, True)


def ternary(span: Span, cond: n.Expr, then: n.Expr, otherwise: n.Expr) -> n.Ternary:
    """Build ``cond ? then : otherwise``."""
    return n.Ternary(span, cond, then, otherwise)


def member(span: Span, text: str) -> Word:
    """Keep the place of the name after a dot."""
    return text, span


def prop(span: Span, receiver: n.Expr, word: Word) -> n.Property:
    """Build ``receiver.name``."""
    return n.Property(span, receiver, *word)


def optional_property(span: Span, receiver: n.Expr, word: Word) -> n.Property:
    """Build ``receiver?.name``."""
    return n.Property(span, receiver, *word, True)


def args(span: Span, *items: n.Expr | n.Spread) -> tuple[n.Expr | n.Spread, ...]:
    """Collect arguments."""
    return items


def method_call(span: Span, receiver: n.Expr, word: Word, arguments: tuple[Any, ...]) -> n.MethodCall:
    """Build ``receiver.name(arguments)``."""
    return n.MethodCall(span, receiver, *word, arguments)


def optional_method_call(span: Span, receiver: n.Expr, word: Word, arguments: tuple[Any, ...]) -> n.MethodCall:
    """Build ``receiver?.name(arguments)``."""
    return n.MethodCall(span, receiver, *word, arguments, True)


def call(span: Span, callee: n.Expr, arguments: tuple[Any, ...]) -> n.Call:
    """Build ``callee(arguments)``."""
    return n.Call(span, callee, arguments)


def generic_call(span: Span, word: str, *rest: Any) -> n.Call:
    """Build ``word<types>(arguments)``."""
    callee = n.Name((span[0], span[0] + len(word)), word)
    return n.Call(span, callee, rest[-1], rest[:-1])


def slice_(span: Span, start: n.Expr | None, end: n.Expr | None) -> tuple[n.Expr | None, n.Expr | None]:
    """Collect the bounds of a slice."""
    return start, end


def _subscript(span: Span, receiver: n.Expr, inside: Any, optional: bool) -> n.Expr:
    if isinstance(inside, tuple):
        start, end = inside
        return n.Slice(span, receiver, start, end, optional)
    return n.Index(span, receiver, inside, optional)


def index(span: Span, receiver: n.Expr, inside: Any) -> n.Expr:
    """Build ``receiver[...]``."""
    return _subscript(span, receiver, inside, False)


def optional_index(span: Span, receiver: n.Expr, inside: Any) -> n.Expr:
    """Build ``receiver?.[...]``."""
    return _subscript(span, receiver, inside, True)


def unwrap(span: Span, value: n.Expr) -> n.Unwrap:
    """Build ``value!``."""
    return n.Unwrap(span, value)


def propagate(span: Span, value: n.Expr) -> n.Propagate:
    """Build ``value?``."""
    return n.Propagate(span, value)


def closure(span: Span, params: tuple[n.Param, ...], *body: n.Stmt) -> n.Lambda:
    """Build ``{ params -> body }``."""
    return n.Lambda(span, params, n.Block(span, body), "closure")


def fn_expr(span: Span, params: tuple[n.Param, ...], returns: n.Type | None, body: n.Block) -> n.Lambda:
    """Build ``fn(params) { body }``."""
    return n.Lambda(span, params, body, "fn", returns)


def param(span: Span, word: str, kind: n.Type | None, default: n.Expr | None) -> n.Param:
    """Build one parameter."""
    return n.Param(span, word, kind, default)


def rest_param(span: Span, word: str, kind: n.Type | None) -> n.Param:
    """Build ``...name``."""
    return n.Param(span, word, kind, None, True)


def params(span: Span, *items: n.Param) -> tuple[n.Param, ...]:
    """Collect parameters and check their order."""
    defaults = False
    for at, item in enumerate(items):
        if item.rest and at < len(items) - 1:
            raise Fault("Rest parameter must be the last parameter", item.span)
        if defaults and item.default is None and not item.rest:
            raise Fault("Required parameter cannot follow a parameter with a default value", item.span)
        defaults = defaults or item.default is not None
    return items


BUILDERS: dict[str, Builder] = {
    "name": name,
    "int": int_literal,
    "float": float_literal,
    "duration": duration,
    "string": string,
    "raw_string": raw_string,
    "triple_string": triple_string,
    "interpolation": interpolation,
    "true": true,
    "false": false,
    "nil": nil,
    "list": list_literal,
    "dict": dict_literal,
    "entry": entry,
    "computed_entry": computed_entry,
    "struct_entry": entry,
    "word_key": string,
    "spread": spread,
    "struct_literal": struct_literal,
    "binary": binary,
    "not_in": not_in,
    "not": not_,
    "negative": negative,
    "try_star": try_star,
    "pipe": pipe,
    "range_to": range_to,
    "range_exclusive": range_exclusive,
    "ternary": ternary,
    "member": member,
    "word": member,
    "property": prop,
    "optional_property": optional_property,
    "args": args,
    "method_call": method_call,
    "optional_method_call": optional_method_call,
    "call": call,
    "generic_call": generic_call,
    "slice": slice_,
    "index": index,
    "optional_index": optional_index,
    "unwrap": unwrap,
    "propagate": propagate,
    "closure": closure,
    "fn_expr": fn_expr,
    "param": param,
    "rest_param": rest_param,
    "params": params,
    "closure_params": params,
}
