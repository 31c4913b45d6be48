"""Types as source text."""

from __future__ import annotations

from harnpy.syntax import format_literals as literals
from harnpy.syntax import nodes as n
from harnpy.syntax.printer import Printer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.printer import Show

_COMPOUND = (n.UnionType, n.IntersectionType, n.FnType)


def _member(pr: Printer, node: n.Type, indent: int) -> str:
    text = pr.show(node, indent)
    return f"({text})" if isinstance(node, _COMPOUND) else text


def _named(pr: Printer, node: n.NamedType, indent: int) -> str:
    return f"{node.name}<{pr.commas(node.args, indent)}>" if node.args else node.name


def _literal(pr: Printer, node: n.LiteralType, indent: int) -> str:
    value = node.value
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    return literals.quoted(value) if isinstance(value, str) else str(value)


def _function(pr: Printer, node: n.FnType, indent: int) -> str:
    returns = f" -> {pr.show(node.returns, indent)}" if node.returns is not None else ""
    return f"fn({pr.commas(node.params, indent)}){returns}"


def _shape(pr: Printer, node: n.ShapeType, indent: int) -> str:
    fields = [pr.show(field, indent) for field in node.fields]
    if node.rest is not None:
        fields.append(f"...{node.rest}")
    return f"{{{', '.join(fields)}}}"


def _shape_field(pr: Printer, node: n.ShapeField, indent: int) -> str:
    return f"{node.name}{'?' if node.optional else ''}: {pr.show(node.type, indent)}"


SHOWS: dict[type, Show] = {
    n.NamedType: _named,
    n.LiteralType: _literal,
    n.UnionType: lambda pr, node, indent: " | ".join([_member(pr, member, indent) for member in node.members]),
    n.IntersectionType: lambda pr, node, indent: " & ".join([_member(pr, member, indent) for member in node.members]),
    n.FnType: _function,
    n.ShapeType: _shape,
    n.ShapeField: _shape_field,
}
