"""Compiles the expressions that know a type: ``value?``, struct values, types in schema positions."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site, type_error
from harnpy.runtime.control import ReturnJump
from harnpy.runtime.templates import share
from harnpy.runtime.values import RESULT, EnumValue, StructType, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.templates import Builder, Eval


def propagate(b: Builder, node: r.Propagate) -> str:
    """``value?``: the payload of Ok; an Err is returned at once, directly where the function's body is written."""
    value = b.hold(node.value)
    site = b.bind(b.compiler.site(node))
    b.line(f"if type({value}) is not EnumValue or {value}.type is not RESULT: refuse_result({value}, {site})")
    direct = b.flow is not None and b.flow.leave == "return {}"
    with b.block(f"if {value}.variant == 'Err':"):
        b.line(f"return {value}" if direct else f"raise ReturnJump(f, {value})")
    return f"({value}.fields[0] if {value}.fields else None)"


def refuse_result(value: Any, site: Site) -> None:
    """Raise the error of ``value?`` for a value that is no Result."""
    error = type_error(f"? operator requires a Result value, got {type_of(value)}")
    error.locate(site)
    raise error


def struct_init(compiler: Compiler, node: r.StructInit) -> Eval:
    """``Name {field: value}``."""
    from harnpy.runtime.structs import build_struct

    struct = compiler.expr(node.struct)
    fields = compiler.expr(r.DictOf(node.span, node.entries))
    site = compiler.site(node)
    name = node.name

    def build(f: list[Any]) -> Any:
        kind = struct(f)
        given = fields(f)
        try:
            if type(kind) is not StructType:
                raise type_error(f"{name} is not a struct, but {type_of(kind)}")
            return build_struct(kind, given)
        except HarnError as error:
            error.locate(site)
            raise

    return build


def schema_of(compiler: Compiler, node: r.SchemaOf) -> Eval:
    """A type where a schema is expected: its schema dict, or nil when it has none."""
    from harnpy.runtime.schema_of import schema_of as lower

    named = node.type.name if type(node.type) is r.TName else ""
    if node.value is not None and compiler.module.lookup_type(named) is None:
        return compiler.expr(node.value)
    made: list[Any] = []

    def schema(f: list[Any]) -> Any:
        # The names in the type may be bound only when the program runs.
        if not made:
            made.append(lower(node.type, compiler.lookup_type))
        return made[0]

    return schema


share(EnumValue=EnumValue, RESULT=RESULT, ReturnJump=ReturnJump, refuse_result=refuse_result)

EXPRESSIONS: dict[type, Callable[[Compiler, Any], Eval]] = {r.StructInit: struct_init, r.SchemaOf: schema_of}
EMITTERS: dict[type, Callable[[Builder, Any], str]] = {r.Propagate: propagate}
