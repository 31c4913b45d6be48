"""Modules, imports, attributes and declarations as source text."""

from __future__ import annotations

from harnpy.syntax import format_literals as literals
from harnpy.syntax import nodes as n
from harnpy.syntax.printer import INDENT, Printer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.printer import Show


def _module(pr: Printer, node: n.Module, indent: int) -> str:
    return "".join([pr.show(stmt, indent) + "\n" for stmt in node.body])


def _import(pr: Printer, node: n.Import, indent: int) -> str:
    word, path = "pub import" if node.public else "import", literals.quoted(node.path)
    if node.alias is not None:
        return f"{word} * as {node.alias} from {path}"
    if node.names is not None:
        return f"{word} {{{', '.join([name for name, _ in node.names])}}} from {path}"
    return f"{word} {path}"


def _value(pr: Printer, value: object, indent: int) -> str:
    """Write the value of an attribute's argument."""
    if value is None or isinstance(value, bool):
        return {None: "nil", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return literals.quoted(value)
    if isinstance(value, float):
        return ("-" if value < 0 else "") + literals.number(abs(value))
    if isinstance(value, n.Node):
        return pr.show(value, indent)
    if not isinstance(value, tuple):
        return str(value)
    if value and isinstance(value[0], n.AttrArg):
        return f"{{{', '.join([f'{literals.key(arg.name)}: {_value(pr, arg.value, indent)}' for arg in value])}}}"
    return f"[{', '.join([_value(pr, item, indent) for item in value])}]"


def _attr_arg(pr: Printer, node: n.AttrArg, indent: int) -> str:
    value = _value(pr, node.value, indent)
    return value if node.name is None else f"{node.name}: {value}"


def _attr_call(pr: Printer, node: n.AttrCall, indent: int) -> str:
    return node.name if node.args is None else f"{node.name}({pr.commas(node.args, indent)})"


def _attribute(pr: Printer, node: n.Attribute, indent: int) -> str:
    return f"@{node.name}({pr.commas(node.args, indent)})" if node.args else f"@{node.name}"


def _head(pr: Printer, node: n.Stmt, word: str, indent: int) -> str:
    """Write attributes, ``pub``, the word and the name."""
    attributes = [pr.show(attribute, indent) + "\n" + INDENT * indent for attribute in getattr(node, "attributes", ())]
    public = "pub " if getattr(node, "public", False) else ""
    return f"{''.join(attributes)}{public}{word} {getattr(node, 'name', '')}"


def _type_params(names: tuple[str, ...]) -> str:
    return f"<{', '.join(names)}>" if names else ""


def _signature(pr: Printer, params: tuple[n.Param, ...], returns: n.Type | None, indent: int) -> str:
    arrow = f" -> {pr.show(returns, indent)}" if returns is not None else ""
    return f"({pr.commas(params, indent)}){arrow}"


def _throws(pr: Printer, kind: n.Type | None, indent: int) -> str:
    return f" throws {pr.show(kind, indent)}" if kind is not None else ""


def _fn(pr: Printer, node: n.FnDecl, indent: int) -> str:
    text = _head(pr, node, "gen fn" if node.stream else "fn", indent) + _type_params(node.type_params)
    text += _signature(pr, node.params, node.returns, indent) + _throws(pr, node.throws, indent)
    if node.bounds:
        text += f" where {pr.commas(node.bounds, indent)}"
    return f"{text} {pr.block(node.body, indent)}"


def _tool(pr: Printer, node: n.ToolDecl, indent: int) -> str:
    first = (f"description {literals.quoted(node.description)}",) if node.description is not None else ()
    header = _head(pr, node, "tool", indent) + _signature(pr, node.params, node.returns, indent)
    return f"{header} {pr.block(node.body, indent, first)}"


def _fields(pr: Printer, fields: tuple[n.DictEntry, ...], indent: int) -> str:
    shown = []
    for field in fields:
        name = field.key.value if isinstance(field.key, n.StringLit) else ""
        shown.append(f"{name} {pr.expr(field.value, indent + 1)}")
    return pr.lines("{", shown, indent)


def _pipeline(pr: Printer, node: n.PipelineDecl, indent: int) -> str:
    text = _head(pr, node, "pipeline", indent) + _signature(pr, node.params, node.returns, indent)
    text += _throws(pr, node.throws, indent)
    if node.extends is not None:
        text += f" extends {node.extends}"
    return f"{text} {pr.block(node.body, indent)}"


def _struct_field(pr: Printer, node: n.StructField, indent: int) -> str:
    kind = f": {pr.show(node.type, indent)}" if node.type is not None else ""
    return f"{node.name}{'?' if node.optional else ''}{kind}"


def _struct(pr: Printer, node: n.StructDecl, indent: int) -> str:
    fields = [pr.show(field, indent + 1) for field in node.fields]
    return f"{_head(pr, node, 'struct', indent)}{_type_params(node.type_params)} {pr.lines('{', fields, indent)}"


def _variant(pr: Printer, node: n.Variant, indent: int) -> str:
    return node.name if node.fields is None else f"{node.name}({pr.commas(node.fields, indent)})"


def _enum(pr: Printer, node: n.EnumDecl, indent: int) -> str:
    variants = [pr.show(variant, indent + 1) for variant in node.variants]
    return f"{_head(pr, node, 'enum', indent)}{_type_params(node.type_params)} {pr.lines('{', variants, indent)}"


def _type(pr: Printer, node: n.TypeDecl, indent: int) -> str:
    return f"{_head(pr, node, 'type', indent)}{_type_params(node.type_params)} = {pr.show(node.type, indent)}"


def _method_sig(pr: Printer, node: n.MethodSig, indent: int) -> str:
    return f"fn {node.name}{_type_params(node.type_params)}{_signature(pr, node.params, node.returns, indent)}"


def _interface(pr: Printer, node: n.InterfaceDecl, indent: int) -> str:
    members = []
    for name, kind in zip(node.types, node.type_defaults, strict=True):
        members.append(f"type {name}" + (f" = {pr.show(kind, indent + 1)}" if kind is not None else ""))
    members += [pr.show(method, indent + 1) for method in node.methods]
    return f"{_head(pr, node, 'interface', indent)}{_type_params(node.type_params)} {pr.lines('{', members, indent)}"


def _impl(pr: Printer, node: n.ImplDecl, indent: int) -> str:
    methods = [pr.show(method, indent + 1) for method in node.methods]
    return f"{_head(pr, node, 'impl', indent)} {pr.lines('{', methods, indent)}"


SHOWS: dict[type, Show] = {
    n.Module: _module,
    n.Import: _import,
    n.Attribute: _attribute,
    n.AttrArg: _attr_arg,
    n.AttrCall: _attr_call,
    n.FnDecl: _fn,
    n.Bound: lambda pr, node, indent: f"{node.name}: {' + '.join(node.interfaces)}",
    n.ToolDecl: _tool,
    n.SkillDecl: lambda pr, node, indent: f"{_head(pr, node, 'skill', indent)} {_fields(pr, node.fields, indent)}",
    n.EvalPackDecl: lambda pr, node, indent: f"eval_pack {node.name} {_fields(pr, node.fields, indent)}",
    n.PipelineDecl: _pipeline,
    n.StructField: _struct_field,
    n.StructDecl: _struct,
    n.Variant: _variant,
    n.EnumDecl: _enum,
    n.TypeDecl: _type,
    n.MethodSig: _method_sig,
    n.InterfaceDecl: _interface,
    n.ImplDecl: _impl,
}
