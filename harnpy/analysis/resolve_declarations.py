"""Resolves declarations: functions, types, tools, skills, pipelines, imports and their attributes."""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.analysis.attributes import check_attributes, effects
from harnpy.analysis.resolve_patterns import bound_names
from harnpy.analysis.resolve_types import new_type_key, optional_type, resolve_type
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from harnpy.analysis.resolve import Resolver
    from harnpy.analysis.scopes import Scope

# Run before the other statements of a module, in this order, wherever they stand in the file.
_EARLY: tuple[type, ...] = (N.StructDecl, N.EnumDecl, N.FnDecl, N.ImplDecl)
_HOISTED = frozenset((N.FnDecl, N.StructDecl, N.EnumDecl, N.ToolDecl, N.SkillDecl))
_TYPES = frozenset((N.TypeDecl, N.InterfaceDecl))


# --- the module level ---


def declare_module(r: Resolver, tree: N.Module) -> tuple[list[R.Import], Callable[[], list[R.Stmt]], list[N.Stmt]]:
    """Declare the names of the module; give its imports, its early declarations and its statements.

    The early declarations come as a function, to be called when the statements are resolved: only
    then it is known which module names can change.
    """
    imports: list[R.Import] = []
    early: list[N.Stmt] = []
    pipelines: list[N.PipelineDecl] = []
    statements: list[N.Stmt] = []
    for node in tree.body:
        kind = type(node)
        if kind is N.Import:
            imports.append(_import(r, node))  # type: ignore[arg-type]
        elif kind is N.PipelineDecl:
            pipelines.append(node)  # type: ignore[arg-type]
        elif kind in _TYPES:
            _declare_module_type(r, node)  # type: ignore[arg-type]
            statements.append(node)
        elif kind in _EARLY:
            _declare_early(r, node)
            early.append(node)
        elif kind is not N.EvalPackDecl:
            _declare_late(r, node)
            statements.append(node)
    early.sort(key=lambda node: _EARLY.index(type(node)))

    def resolve_early() -> list[R.Stmt]:
        r.pipelines += [_pipeline(r, node) for node in pipelines]
        return r.stmts(early, False)

    return imports, resolve_early, statements


def _import(r: Resolver, node: N.Import) -> R.Import:
    if node.names is not None:
        r.imported.update([name for name, _ in node.names])
    if node.alias is not None:
        r.imported.add(node.alias)
    return R.Import(node.span, node.path, node.path_span, node.names, node.alias, node.public)


def _declare_module_type(r: Resolver, node: N.TypeDecl | N.InterfaceDecl) -> None:
    if node.name in r.types:
        r.error("HARN-NAM-010", f"Type '{node.name}' is declared twice", node.name_span)
    r.types[node.name] = None
    if node.public:
        r.public_types.add(node.name)


def _declare_early(r: Resolver, node: Any) -> None:
    if type(node) is N.ImplDecl:
        return
    name = node.name
    if name in r.globals:
        message = f"Cannot redeclare immutable variable '{name}' in the same scope"
        r.error("HARN-NAM-010", message, node.name_span, "use another name")
    r.globals[name] = r.declared[name] = False
    if node.public:
        r.exports[name] = None
    if type(node) is N.EnumDecl:
        r.enums[name] = tuple([variant.name for variant in node.variants])
        _note_variants(r.fn.scopes[0], node)
    for attribute in node.attributes:
        if attribute.name == "deprecated":
            uses = [arg.value for arg in attribute.args if arg.name == "use"]
            r.deprecated[name] = f"use `{uses[0]}`" if uses else ""


def _declare_late(r: Resolver, node: Any) -> None:
    kind = type(node)
    if kind is N.Binding:
        names, mutable = bound_names(node.pattern), node.mutable
    elif kind in (N.ToolDecl, N.SkillDecl):
        names, mutable = [node.name], False
    else:
        return
    for name in names:
        r.globals[name] = mutable
        if node.public:
            r.exports[name] = None


def _pipeline(r: Resolver, node: N.PipelineDecl) -> R.Pipeline:
    check_attributes(r, node.attributes, "pipeline")
    function = r.function(node.name, "pipeline", node.params, node.body, node.span)
    params = tuple([(param.name, _type_name(param.type)) for param in node.params])
    test = node.name.startswith("test_") or any(attribute.name == "test" for attribute in node.attributes)
    return R.Pipeline(node.span, node.name, function, params, node.extends, test, node.public)


def add_main_facts(tree: N.Module) -> tuple[tuple[tuple[str, str | None], ...] | None, tuple[int, int] | None]:
    """Give the parameters of the module's ``fn main`` and its place, or ``None`` twice."""
    for node in tree.body:
        if type(node) is N.FnDecl and node.name == "main":
            return tuple([(param.name, _type_name(param.type)) for param in node.params]), node.name_span
    return None, None


def _type_name(node: N.Type | None) -> str | None:
    return node.name if type(node) is N.NamedType else None


# --- the start of a block ---


def hoist_block(r: Resolver, body: Sequence[N.Stmt]) -> None:
    """Make the functions and types of a block visible from its start."""
    scope = r.fn.scopes[-1]
    for node in body:
        kind: type = type(node)
        if kind in _HOISTED:
            r.fn.hoist(node.name)  # type: ignore[attr-defined]
            if kind is N.EnumDecl:
                _note_variants(scope, node)
        elif kind in _TYPES:
            name = node.name  # type: ignore[attr-defined]
            scope.types[name] = key = new_type_key(r, name)
            r.types[key] = None


def _note_variants(scope: Scope, node: Any) -> None:
    for variant in node.variants:
        scope.variants.setdefault(variant.name, []).append((node.name, variant.fields is None))


# --- declarations as statements ---


def _function(r: Resolver, node: N.FnDecl) -> R.Function:
    r.type_params.append(node.type_params)
    function = r.function(node.name, "fn", node.params, node.body, node.span, stream=node.stream)
    optional_type(r, node.returns)  # it is not checked when the program runs, but its names are to be known
    r.type_params.pop()
    return function


def _fn(r: Resolver, node: N.FnDecl, _gives_value: bool) -> R.Stmt:
    check_attributes(r, node.attributes, "fn")
    target = r.declare_hoisted(node.name, node.name_span)
    function = _function(r, node)
    r.declared_now(node.name)
    return R.DeclareFn(node.span, target, function, effects(node.attributes))


def _tool(r: Resolver, node: N.ToolDecl, _gives_value: bool) -> R.Stmt:
    check_attributes(r, node.attributes, "tool")
    target = _late_target(r, node)
    function = r.function(node.name, "tool", node.params, node.body, node.span)
    r.declared_now(node.name)
    returns = optional_type(r, node.returns)
    attributes = effects(node.attributes)
    return R.DeclareTool(node.span, target, node.name, node.description or "", function, returns, attributes)


def _skill(r: Resolver, node: N.SkillDecl, _gives_value: bool) -> R.Stmt:
    check_attributes(r, node.attributes, "skill")
    target = _late_target(r, node)
    fields = [R.Entry(entry.span, r.expr(entry.key), r.expr(entry.value)) for entry in node.fields]
    r.declared_now(node.name)
    return R.DeclareSkill(node.span, target, node.name, tuple(fields))


def _late_target(r: Resolver, node: N.ToolDecl | N.SkillDecl) -> R.Target:
    if r.fn.parent is None and len(r.fn.scopes) == 1:
        return r.declare(node.name, node.name_span, False)
    return r.declare_hoisted(node.name, node.name_span)


def _struct(r: Resolver, node: N.StructDecl, _gives_value: bool) -> R.Stmt:
    check_attributes(r, node.attributes, "struct")
    target = r.declare_hoisted(node.name, node.name_span)
    r.type_params.append(node.type_params)
    fields = tuple([(field.name, optional_type(r, field.type), field.optional) for field in node.fields])
    r.type_params.pop()
    r.declared_now(node.name)
    return R.DeclareStruct(node.span, target, node.name, fields)


def _enum(r: Resolver, node: N.EnumDecl, _gives_value: bool) -> R.Stmt:
    check_attributes(r, node.attributes, "enum")
    target = r.declare_hoisted(node.name, node.name_span)
    variants = [
        (variant.name, None if variant.fields is None else tuple([field.name for field in variant.fields]))
        for variant in node.variants
    ]
    r.declared_now(node.name)
    return R.DeclareEnum(node.span, target, node.name, tuple(variants))


def _impl(r: Resolver, node: N.ImplDecl, _gives_value: bool) -> R.Stmt:
    check_attributes(r, node.attributes, "impl")
    struct = r.read(node.name, node.name_span)
    return R.DeclareImpl(node.span, struct, node.name, tuple([_function(r, method) for method in node.methods]))


def _type(r: Resolver, node: N.TypeDecl, _gives_value: bool) -> list[R.Stmt]:
    check_attributes(r, node.attributes, "type")
    r.type_params.append(node.type_params)
    r.types[_own_type_key(r, node.name)] = resolve_type(r, node.type)
    r.type_params.pop()
    return []


def _own_type_key(r: Resolver, name: str) -> str:
    return r.fn.scopes[-1].types.get(name, name)


def _interface(r: Resolver, node: N.InterfaceDecl, _gives_value: bool) -> list[R.Stmt]:
    check_attributes(r, node.attributes, "interface")
    return []


DECLARATIONS: dict[type, Callable[[Resolver, Any, bool], R.Stmt | list[R.Stmt]]] = {
    N.FnDecl: _fn,
    N.ToolDecl: _tool,
    N.SkillDecl: _skill,
    N.StructDecl: _struct,
    N.EnumDecl: _enum,
    N.ImplDecl: _impl,
    N.TypeDecl: _type,
    N.InterfaceDecl: _interface,
    N.EvalPackDecl: lambda r, node, _: [],
}
