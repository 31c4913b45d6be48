"""Expressions as source text."""

from __future__ import annotations

from harnpy.syntax import format_literals as literals
from harnpy.syntax import nodes as n
from harnpy.syntax import printer as p
from harnpy.syntax.printer import Printer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.printer import Show

_BINARY = {
    "||": p.OR,
    "&&": p.AND,
    "==": p.EQUALITY,
    "!=": p.EQUALITY,
    **dict.fromkeys(("<", ">", "<=", ">=", "in", "not in"), p.COMPARISON),
    "+": p.SUM,
    "-": p.SUM,
    "??": p.COALESCE,
    **dict.fromkeys(("*", "/", "%"), p.PRODUCT),
    "**": p.POWER,
}
_LEVELS: dict[type, int] = {
    n.Pipe: p.PIPE,
    n.RangeExpr: p.RANGE,
    n.Ternary: p.TERNARY,
    n.Unary: p.PREFIX,
    n.TryStar: p.PREFIX,
    # `x?` before `.`, `[`, `(`, `-` or `{` could be read as something else: parentheses everywhere but alone.
    n.Propagate: p.PIPE,
}


def level(node: n.Expr) -> int:
    """Give the binding strength of ``node``."""
    if isinstance(node, n.Binary):
        return _BINARY[node.op]
    return _LEVELS.get(type(node), p.POSTFIX)


def _binary(pr: Printer, node: n.Binary, indent: int) -> str:
    own = _BINARY[node.op]
    if node.op == "**":
        return f"{pr.expr(node.left, indent, p.POSTFIX)} ** {pr.expr(node.right, indent, p.PREFIX)}"
    left, right = pr.expr(node.left, indent, own), pr.expr(node.right, indent, own + 1)
    if node.op == ">" and right.startswith("("):
        # `a < b > (c)` would be a call with type arguments.
        left = f"({left})" if level(node.left) == own else left
        return f"({left} > {right})"
    return f"{left} {node.op} {right}"


def _unary(pr: Printer, node: n.Unary, indent: int) -> str:
    return node.op + pr.expr(node.operand, indent, p.PREFIX)


def _try_star(pr: Printer, node: n.TryStar, indent: int) -> str:
    return f"try* {pr.expr(node.value, indent, p.PREFIX)}"


def _pipe(pr: Printer, node: n.Pipe, indent: int) -> str:
    return f"{pr.expr(node.left, indent, p.PIPE)} |> {pr.expr(node.right, indent, p.RANGE)}"


def _range(pr: Printer, node: n.RangeExpr, indent: int) -> str:
    text = f"{pr.expr(node.start, indent, p.TERNARY)} to {pr.expr(node.end, indent, p.TERNARY)}"
    return text + " exclusive" if node.exclusive else text


def _ternary(pr: Printer, node: n.Ternary, indent: int) -> str:
    then, otherwise = pr.expr(node.then, indent, p.TERNARY), pr.expr(node.otherwise, indent, p.TERNARY)
    return f"{pr.expr(node.cond, indent, p.OR)} ? {then} : {otherwise}"


def _args(pr: Printer, args: tuple[n.Expr | n.Spread, ...], indent: int) -> str:
    return f"({pr.commas(args, indent)})"


def _property(pr: Printer, node: n.Property, indent: int) -> str:
    return f"{pr.expr(node.receiver, indent, p.POSTFIX)}{'?.' if node.optional else '.'}{node.name}"


def _method_call(pr: Printer, node: n.MethodCall, indent: int) -> str:
    dot = "?." if node.optional else "."
    return f"{pr.expr(node.receiver, indent, p.POSTFIX)}{dot}{node.name}{_args(pr, node.args, indent)}"


def _call(pr: Printer, node: n.Call, indent: int) -> str:
    callee = pr.expr(node.callee, indent, p.POSTFIX)
    if isinstance(node.callee, n.Property):
        callee = f"({callee})"  # else it would be a method call
    types = f"<{pr.commas(node.type_args, indent)}>" if node.type_args else ""
    return callee + types + _args(pr, node.args, indent)


def _index(pr: Printer, node: n.Index, indent: int) -> str:
    inside = pr.expr(node.index, indent)
    return f"{pr.expr(node.receiver, indent, p.POSTFIX)}{'?.' if node.optional else ''}[{inside}]"


def _slice(pr: Printer, node: n.Slice, indent: int) -> str:
    bounds = [pr.expr(bound, indent, p.OR) if bound is not None else "" for bound in (node.start, node.end)]
    return f"{pr.expr(node.receiver, indent, p.POSTFIX)}{'?.' if node.optional else ''}[{':'.join(bounds)}]"


def _unwrap(pr: Printer, node: n.Unwrap, indent: int) -> str:
    return pr.expr(node.value, indent, p.POSTFIX) + "!"


def _propagate(pr: Printer, node: n.Propagate, indent: int) -> str:
    return pr.expr(node.value, indent, p.POSTFIX) + "?"


def _string(pr: Printer, node: n.StringLit, indent: int) -> str:
    return literals.string(node.value, node.form)


def _interpolation(pr: Printer, node: n.Interp, indent: int) -> str:
    triple = node.form == "triple"
    write = literals.triple_text if triple else literals.escaped
    parts = [write(part) if isinstance(part, str) else f"${{{pr.expr(part, indent)}}}" for part in node.parts]
    text = "".join(parts)
    return f'"""\n{text}\n"""' if triple else f'"{text}"'


def _list(pr: Printer, node: n.ListLit, indent: int) -> str:
    return f"[{pr.commas(node.items, indent)}]"


def _entry(pr: Printer, node: n.DictEntry, indent: int) -> str:
    value = pr.expr(node.value, indent)
    if node.computed:
        return f"[{pr.expr(node.key, indent)}]: {value}"
    if isinstance(node.key, n.StringLit) and node.key.form == "plain":
        return f"{literals.key(node.key.value)}: {value}"
    return f"{pr.show(node.key, indent)}: {value}"


def _dict(pr: Printer, node: n.DictLit, indent: int) -> str:
    return f"{{{pr.commas(node.entries, indent)}}}"


def _spread(pr: Printer, node: n.Spread, indent: int) -> str:
    return "..." + pr.expr(node.value, indent)


def _struct(pr: Printer, node: n.StructInit, indent: int) -> str:
    fields = []
    for entry in node.entries:
        key = entry.key
        plain = isinstance(key, n.StringLit) and key.form == "plain"
        name = (
            literals.key(key.value, keywords=False) if plain and isinstance(key, n.StringLit) else pr.show(key, indent)
        )
        fields.append(f"{name}: {pr.expr(entry.value, indent)}")
    return f"{node.name} {{{', '.join(fields)}}}"


def _lambda(pr: Printer, node: n.Lambda, indent: int) -> str:
    if node.style == "fn":
        returns = f" -> {pr.show(node.returns, indent)}" if node.returns is not None else ""
        return f"fn({pr.commas(node.params, indent)}){returns} {pr.block(node.body, indent)}"
    head = " ".join(part for part in ("{", pr.commas(node.params, indent), "->") if part)
    body = node.body.body
    if len(body) == 1:
        only = pr.show(body[0], indent)
        if "\n" not in only:
            return f"{head} {only} }}"
    return pr.lines(head, [pr.show(stmt, indent + 1) for stmt in body], indent) if body else head + " }"


def _param(pr: Printer, node: n.Param, indent: int) -> str:
    text = f"...{node.name}" if node.rest else node.name
    if node.type is not None:
        shown = pr.show(node.type, indent)
        # The arrow of a closure would be taken for the arrow of the type.
        text += f": ({shown})" if isinstance(node.type, n.FnType) else f": {shown}"
    return text if node.default is None else f"{text} = {pr.expr(node.default, indent)}"


SHOWS: dict[type, Show] = {
    n.IntLit: lambda pr, node, indent: str(node.value),
    n.FloatLit: lambda pr, node, indent: literals.number(node.value),
    n.DurationLit: lambda pr, node, indent: node.text,
    n.BoolLit: lambda pr, node, indent: "true" if node.value else "false",
    n.NilLit: lambda pr, node, indent: "nil",
    n.Name: lambda pr, node, indent: node.name,
    n.StringLit: _string,
    n.Interp: _interpolation,
    n.ListLit: _list,
    n.DictLit: _dict,
    n.DictEntry: _entry,
    n.Spread: _spread,
    n.StructInit: _struct,
    n.Binary: _binary,
    n.Unary: _unary,
    n.TryStar: _try_star,
    n.Pipe: _pipe,
    n.RangeExpr: _range,
    n.Ternary: _ternary,
    n.Property: _property,
    n.MethodCall: _method_call,
    n.Call: _call,
    n.Index: _index,
    n.Slice: _slice,
    n.Unwrap: _unwrap,
    n.Propagate: _propagate,
    n.Lambda: _lambda,
    n.Param: _param,
}
