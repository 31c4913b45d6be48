"""Declarations that run: functions, structs, enums, methods, tools and skills (language 12, 14)."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, runtime_error, type_error
from harnpy.runtime.calls import call
from harnpy.runtime.patterns import declare
from harnpy.runtime.schema_of import schema_of
from harnpy.runtime.values import Closure, EnumType, StructType, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.context import Context
    from harnpy.runtime.values import Code

    Run = Callable[[list[Any]], Any]
    Store = Callable[[list[Any], Any], None]

# Attribute to the name of the run's table in which its functions are registered.
_REGISTERING = {"acp_tool": "acp_tools", "acp_skill": "acp_skills"}


def _define(compiler: Compiler, target: r.Target) -> Store:
    """Give the store of a declaration: a boxed slot has its cell since the block was entered."""
    if type(target) is r.ToLocal and target.boxed:
        slot = target.slot

        def store(frame: list[Any], value: Any) -> None:
            frame[slot][0] = value

        return store
    return declare(compiler, target)


# --- functions --------------------------------------------------------------------------------


def _function(compiler: Compiler, node: r.DeclareFn) -> Run:
    make = _maker(compiler, node)
    store = _define(compiler, node.target)
    ctx = compiler.ctx
    attributes = [item for item in node.attributes if item[0] in _REGISTERING]

    def run(frame: list[Any]) -> None:
        closure = make(frame)
        store(frame, closure)
        for name, args in attributes:
            _register(ctx, _REGISTERING[name], closure, dict(args))

    return run


def _maker(compiler: Compiler, node: r.DeclareFn) -> Run:
    function = node.function
    if function.captures:
        return compiler.expr(r.MakeClosure(node.span, function))
    # As nearly all functions of a module: no source needs to be generated for these.
    code = compiler.make_code(function)
    free = [None] * (function.nslots - len(function.params))
    return lambda _frame: Closure(code, free[:])


def _register(ctx: Context, table: str, closure: Closure, args: dict[str | None, object]) -> None:
    """Enter a function that an attribute declares as the handler of a tool or the hook of a skill."""
    name = args.pop("name", None) or args.pop(None, None) or closure.code.name
    annotations = {key: value for key, value in args.items() if key is not None}
    ctx.services.setdefault(table, {})[name] = {"name": name, "handler": closure, "annotations": annotations}


def _close(code: Code, function: r.Function, frame: list[Any]) -> Closure:
    """Make a closure of ``code`` over ``frame``."""
    captured = [frame[slot] for slot in function.captures]
    return Closure(code, captured + [None] * (function.nslots - len(function.params) - len(captured)))


# --- types ------------------------------------------------------------------------------------


def _struct(compiler: Compiler, node: r.DeclareStruct) -> Run:
    store = _define(compiler, node.target)

    def fields() -> tuple[tuple[str, Any, bool], ...]:
        return tuple([(name, type_ and compiler.checker(type_), optional) for name, type_, optional in node.fields])

    def run(frame: list[Any]) -> None:
        store(frame, StructType(node.name, (), fields))

    return run


def _enum(compiler: Compiler, node: r.DeclareEnum) -> Run:
    store = _define(compiler, node.target)
    variants = dict(node.variants)

    def run(frame: list[Any]) -> None:
        store(frame, EnumType(node.name, variants))

    return run


def _impl(compiler: Compiler, node: r.DeclareImpl) -> Run:
    struct = compiler.expr(node.struct)
    methods = [(method, compiler.make_code(method)) for method in node.methods]
    site = compiler.site(node)

    def run(frame: list[Any]) -> None:
        owner = struct(frame)
        if type(owner) is not StructType:
            error = type_error(f"impl {node.name}: expected a struct, got {type_of(owner)}")
            error.locate(site)
            raise error
        for method, code in methods:
            owner.methods[method.name] = _close(code, method, frame)

    return run


# --- tools and skills -------------------------------------------------------------------------


def _tool(compiler: Compiler, node: r.DeclareTool) -> Run:
    function = node.function
    code = compiler.make_code(function)
    code.exact = -1
    code.bind = _bind_by_name(compiler, node.name, function, code.bind)
    store = _define(compiler, node.target)
    site = compiler.site(node)
    annotations = {key: value for name, args in node.attributes if name == "acp_tool" for key, value in args if key}

    def run(frame: list[Any]) -> None:
        config: dict[str, Any] = {
            "parameters": {param.name: _parameter(compiler, param, frame) for param in function.params},
            "handler": _close(code, function, frame),
        }
        returns = None if node.returns is None else schema_of(node.returns, compiler.lookup_type)
        if returns is not None:
            config["returns"] = returns
        if annotations:
            config["annotations"] = annotations.copy()
        try:
            registry = _builtin(compiler.ctx, "tool_registry", [])
            store(frame, _builtin(compiler.ctx, "tool_define", [registry, node.name, node.description, config]))
        except HarnError as error:
            error.locate(site)
            raise

    return run


def _parameter(compiler: Compiler, param: r.Param, frame: list[Any]) -> dict[str, Any]:
    """Lower one parameter of a tool to its schema with ``required`` and ``default``."""
    schema = None if param.type is None else schema_of(param.type, compiler.lookup_type)
    spec: dict[str, Any] = {} if schema is None else dict(schema)
    if param.rest:
        spec = {"type": "list", "items": spec} if spec else {"type": "list"}
    spec["required"] = param.default is None and not param.rest
    if type(param.default) is r.Const:
        spec["default"] = param.default.value
    return spec


def _bind_by_name(
    compiler: Compiler, tool: str, function: r.Function, by_position: Callable[[Closure, list[Any]], list[Any]]
) -> Callable[[Closure, list[Any]], list[Any]]:
    """Give the binding of a tool's handler: a call with one dict gives the arguments by name."""
    params = function.params
    defaults = [None if param.default is None else compiler.expr(param.default) for param in params]

    def bind(closure: Closure, args: list[Any]) -> list[Any]:
        if len(args) != 1 or type(args[0]) is not dict:
            return by_position(closure, args)
        given = args[0]
        frame = [given.get(param.name, [] if param.rest else None) for param in params] + closure.tail
        for slot, param in enumerate(params):
            default = defaults[slot]
            if param.name in given or param.rest:
                continue
            if default is None:
                raise runtime_error(f"tool '{tool}': missing argument '{param.name}'")
            frame[slot] = default(frame)
        return frame

    return bind


def _skill(compiler: Compiler, node: r.DeclareSkill) -> Run:
    fields = compiler.expr(r.DictOf(node.span, node.fields))
    store = _define(compiler, node.target)
    site = compiler.site(node)

    def run(frame: list[Any]) -> None:
        config = fields(frame)
        try:
            registry = _builtin(compiler.ctx, "skill_registry", [])
            store(frame, _builtin(compiler.ctx, "skill_define", [registry, node.name, config]))
        except HarnError as error:
            error.locate(site)
            raise

    return run


def _builtin(ctx: Context, name: str, args: list[Any]) -> Any:
    builtin = ctx.find_builtin(name)
    if builtin is None:
        raise runtime_error(f"{name}: not supported yet")
    return call(ctx, builtin, args)


STATEMENTS: dict[type, Callable[[Compiler, Any], Run]] = {
    r.DeclareFn: _function,
    r.DeclareStruct: _struct,
    r.DeclareEnum: _enum,
    r.DeclareImpl: _impl,
    r.DeclareTool: _tool,
    r.DeclareSkill: _skill,
}
