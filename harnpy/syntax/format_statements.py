"""Statements and binding patterns as source text."""

from __future__ import annotations

from harnpy.syntax import nodes as n
from harnpy.syntax import printer as p
from harnpy.syntax.printer import Printer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.printer import Show


def _binding(pr: Printer, node: n.Binding, indent: int) -> str:
    word = ("pub " if node.public else "") + ("let" if node.mutable else "const")
    kind = f": {pr.show(node.type, indent)}" if node.type is not None else ""
    return f"{word} {pr.show(node.pattern, indent)}{kind} = {pr.expr(node.value, indent)}"


def _assign(pr: Printer, node: n.Assign, indent: int) -> str:
    return f"{pr.expr(node.target, indent)} {node.op} {pr.expr(node.value, indent)}"


def _with_value(word: str) -> Show:
    def show(pr: Printer, node: n.Return | n.Yield | n.Throw | n.Emit, indent: int) -> str:
        return word if node.value is None else f"{word} {pr.expr(node.value, indent)}"

    return show


def _for(pr: Printer, node: n.For, indent: int) -> str:
    pattern, iterable = pr.show(node.pattern, indent), pr.subject(node.iterable, indent)
    return f"for {pattern} in {iterable} {pr.block(node.body, indent)}"


def _while(pr: Printer, node: n.While, indent: int) -> str:
    return f"while {pr.subject(node.cond, indent)} {pr.block(node.body, indent)}"


def _guard(pr: Printer, node: n.Guard, indent: int) -> str:
    cond = pr.expr(node.cond, indent)
    if cond.endswith("}"):
        cond = f"({cond})"  # an `if` in it would take the `else`
    return f"guard {cond} else {pr.block(node.otherwise, indent)}"


def _require(pr: Printer, node: n.Require, indent: int) -> str:
    message = f", {pr.expr(node.message, indent)}" if node.message is not None else ""
    return f"require {pr.expr(node.cond, indent)}{message}"


def _mutex(pr: Printer, node: n.Mutex, indent: int) -> str:
    key = f"({pr.expr(node.key, indent)}) " if node.key is not None else ""
    return f"mutex {key}{pr.block(node.body, indent)}"


def _select(pr: Printer, node: n.Select, indent: int) -> str:
    cases = [
        f"{case.name} from {pr.subject(case.channel, indent + 1)} {pr.block(case.body, indent + 1)}"
        for case in node.cases
    ]
    if node.timeout is not None and node.timeout_body is not None:
        cases.append(f"timeout {pr.subject(node.timeout, indent + 1)} {pr.block(node.timeout_body, indent + 1)}")
    if node.default_body is not None:
        cases.append(f"default {pr.block(node.default_body, indent + 1)}")
    return f"select {pr.lines('{', cases, indent)}"


def _option(pr: Printer, option: n.DictEntry, indent: int) -> str:
    """Show an option; a ``?`` at the end of its line would make a ternary of it and the next one."""
    text = pr.show(option, indent)
    if not text.endswith("?"):
        return text
    value = pr.show(option.value, indent)
    return f"{text[: -len(value)]}({value})"


def _cost_route(pr: Printer, node: n.CostRoute, indent: int) -> str:
    options = tuple([_option(pr, option, indent + 1) for option in node.options])
    return f"cost_route {pr.block(node.body, indent, options)}"


def _override(pr: Printer, node: n.Override, indent: int) -> str:
    return f"override {node.name}({', '.join(node.params)}) {pr.block(node.body, indent)}"


def _default(pr: Printer, text: str, default: n.Expr | None, indent: int) -> str:
    return text if default is None else f"{text} = {pr.expr(default, indent)}"


def _dict_field(pr: Printer, node: n.DictField, indent: int) -> str:
    text = node.key if node.key == node.name else f"{node.key}: {node.name}"
    return _default(pr, text, node.default, indent)


def _names(pr: Printer, parts: tuple[n.DictField | n.ListItem, ...], rest: str | None, indent: int) -> str:
    shown = [pr.show(part, indent) for part in parts]
    if rest is not None:
        shown.append(f"...{rest}")
    return ", ".join(shown)


SHOWS: dict[type, Show] = {
    n.ExprStmt: lambda pr, node, indent: pr.expr(node.value, indent, p.LOOSEST),
    n.Binding: _binding,
    n.Assign: _assign,
    n.Return: _with_value("return"),
    n.Throw: _with_value("throw"),
    n.Yield: _with_value("yield"),
    n.Emit: _with_value("emit"),
    n.Break: lambda pr, node, indent: "break",
    n.Continue: lambda pr, node, indent: "continue",
    n.For: _for,
    n.While: _while,
    n.Guard: _guard,
    n.Require: _require,
    n.Defer: lambda pr, node, indent: f"defer {pr.block(node.body, indent)}",
    n.Mutex: _mutex,
    n.Select: _select,
    n.CostRoute: _cost_route,
    n.Override: _override,
    n.NameBinding: lambda pr, node, indent: node.name,
    n.PairBinding: lambda pr, node, indent: f"({node.first}, {node.second})",
    n.DictBinding: lambda pr, node, indent: f"{{{_names(pr, node.fields, node.rest, indent)}}}",
    n.DictField: _dict_field,
    n.ListBinding: lambda pr, node, indent: f"[{_names(pr, node.items, node.rest, indent)}]",
    n.ListItem: lambda pr, node, indent: _default(pr, node.name, node.default, indent),
}
