"""Expressions with blocks, and the patterns of ``match``, as source text."""

from __future__ import annotations

from harnpy.syntax import format_literals as literals
from harnpy.syntax import nodes as n
from harnpy.syntax import printer as p
from harnpy.syntax.printer import Printer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.printer import Show


def _if(pr: Printer, node: n.IfExpr, indent: int) -> str:
    """Write a chain of ``else if`` without recursion: it may be long."""
    parts = []
    current: n.Block | n.IfExpr | None = node
    while isinstance(current, n.IfExpr):
        parts.append(f"if {pr.subject(current.cond, indent)} {pr.block(current.then, indent)}")
        current = current.otherwise
    if current is not None:
        parts.append(pr.block(current, indent))
    return " else ".join(parts)


def _match(pr: Printer, node: n.MatchExpr, indent: int) -> str:
    arms = [pr.show(arm, indent + 1) for arm in node.arms]
    return f"match {pr.subject(node.subject, indent)} {pr.lines('{', arms, indent)}"


def _arm(pr: Printer, node: n.MatchArm, indent: int) -> str:
    patterns = " | ".join([pr.show(pattern, indent) for pattern in node.patterns])
    guard = f" if {pr.expr(node.guard, indent, p.RANGE)}" if node.guard is not None else ""
    return f"{patterns}{guard} -> {pr.block(node.body, indent)}"


def _value_pattern(pr: Printer, node: n.ValuePat, indent: int) -> str:
    return pr.expr(node.value, indent, p.RANGE)


def _variant_pattern(pr: Printer, node: n.VariantPat, indent: int) -> str:
    name = f"{node.enum}.{node.variant}" if node.enum is not None else node.variant
    return name if node.args is None else f"{name}({pr.commas(node.args, indent)})"


def _dict_pattern(pr: Printer, node: n.DictPat, indent: int) -> str:
    return f"{{{pr.commas(node.fields, indent)}}}"


def _dict_pattern_field(pr: Printer, node: n.DictPatField, indent: int) -> str:
    return f"{literals.key(node.key)}: {pr.show(node.pattern, indent)}"


def _list_pattern(pr: Printer, node: n.ListPat, indent: int) -> str:
    items = [pr.show(item, indent) for item in node.items]
    if node.rest is not None:
        items.append(f"...{node.rest}")
    return f"[{', '.join(items)}]"


def _try(pr: Printer, node: n.TryExpr, indent: int) -> str:
    parts = [f"try {pr.block(node.body, indent)}"]
    if node.catch_body is not None:
        binder = ""
        if node.catch_name is not None:
            kind = f": {pr.show(node.catch_type, indent)}" if node.catch_type is not None else ""
            binder = f"({node.catch_name}{kind}) "
        parts.append(f"catch {binder}{pr.block(node.catch_body, indent)}")
    if node.finally_body is not None:
        parts.append(f"finally {pr.block(node.finally_body, indent)}")
    return " ".join(parts)


def _parallel(pr: Printer, node: n.ParallelExpr, indent: int) -> str:
    subject = pr.subject(node.subject, indent)
    if node.kind == "count":
        if subject.startswith(("each", "settle")):
            subject = f"({subject})"
        text = f"parallel {subject}"
    else:
        text = f"parallel {node.kind} {subject}"
    if node.max_concurrent is not None:
        text += f" with {{max_concurrent: {pr.expr(node.max_concurrent, indent)}}}"
    opener = "{" if node.binder is None else f"{{ {node.binder} ->"
    body = pr.lines(opener, [pr.show(stmt, indent + 1) for stmt in node.body.body], indent)
    return f"{text} {body}" + (" as stream" if node.stream else "")


def _retry(pr: Printer, node: n.RetryExpr, indent: int) -> str:
    return f"retry {pr.subject(node.count, indent, p.POSTFIX)} {pr.block(node.body, indent)}"


def _deadline(pr: Printer, node: n.DeadlineExpr, indent: int) -> str:
    return f"deadline {pr.subject(node.limit, indent, p.POSTFIX)} {pr.block(node.body, indent)}"


SHOWS: dict[type, Show] = {
    n.IfExpr: _if,
    n.MatchExpr: _match,
    n.MatchArm: _arm,
    n.WildcardPat: lambda pr, node, indent: "_",
    n.NamePat: lambda pr, node, indent: node.name,
    n.ValuePat: _value_pattern,
    n.VariantPat: _variant_pattern,
    n.DictPat: _dict_pattern,
    n.DictPatField: _dict_pattern_field,
    n.ListPat: _list_pattern,
    n.TryExpr: _try,
    n.ParallelExpr: _parallel,
    n.RetryExpr: _retry,
    n.DeadlineExpr: _deadline,
    n.SpawnExpr: lambda pr, node, indent: f"spawn {pr.block(node.body, indent)}",
    n.BlockExpr: lambda pr, node, indent: f"block {pr.block(node.body, indent)}",
    n.ScopeExpr: lambda pr, node, indent: f"scope {pr.block(node.body, indent)}",
    n.Block: lambda pr, node, indent: pr.block(node, indent),
}
