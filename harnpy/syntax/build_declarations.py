"""Tree of modules, imports, attributes and declarations."""

from __future__ import annotations

from attrs import evolve

from harnpy.source import Span
from harnpy.syntax import nodes as n
from harnpy.syntax.fault import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.syntax.table import Builder

    Word = tuple[str, Span]

_ATTRIBUTED = (
    n.FnDecl,
    n.ToolDecl,
    n.SkillDecl,
    n.PipelineDecl,
    n.StructDecl,
    n.EnumDecl,
    n.TypeDecl,
    n.InterfaceDecl,
    n.ImplDecl,
)


def start(span: Span, *body: n.Stmt) -> n.Module:
    """Build a whole file."""
    return n.Module(span, body)


def public(span: Span, declaration: Any) -> Any:
    """Mark a declaration as exported."""
    if isinstance(declaration, n.EvalPackDecl):
        return evolve(declaration, span=span)
    return evolve(declaration, span=span, public=True)


def attributed(span: Span, attribute: n.Attribute, item: Any) -> Any:
    """Put an attribute on the declaration behind it."""
    if not isinstance(item, _ATTRIBUTED):
        raise Fault(
            f"Expected fn/tool/skill/pipeline/struct/enum/type/interface/impl declaration after `@{attribute.name}`, "
            "got non-declaration statement",
            item.span,
            placed=True,
        )
    return evolve(item, span=span, attributes=(attribute, *item.attributes))


def attribute(span: Span, word: str, args: tuple[n.AttrArg, ...] | None) -> n.Attribute:
    """Build ``@name(args)``."""
    return n.Attribute(span, word, args or ())


def collect(span: Span, *items: Any) -> tuple[Any, ...]:
    """Collect the elements of a list."""
    return items


def attr_arg(span: Span, word: str | None, value: object) -> n.AttrArg:
    """Build one argument of an attribute."""
    return n.AttrArg(span, word, value)


def attr_negative(span: Span, value: int | float) -> int | float:
    """Give a negative number."""
    return -value


def attr_positive(span: Span, value: int | float) -> int | float:
    """Give a number with a plus sign."""
    return value


def attr_true(span: Span) -> bool:
    """Give ``true``."""
    return True


def attr_false(span: Span) -> bool:
    """Give ``false``."""
    return False


def attr_nil(span: Span) -> None:
    """Give ``nil``."""


def attr_word(span: Span, *words: str) -> n.AttrCall:
    """Build ``a.b``."""
    return n.AttrCall(span, ".".join(words), None)


def attr_call(span: Span, *parts: Any) -> n.AttrCall:
    """Build ``a.b(args)``."""
    return n.AttrCall(span, ".".join(parts[:-1]), parts[-1])


def import_path(span: Span, path: str) -> Word:
    """Keep the path of an import and its place."""
    return path, span


def import_all(span: Span, path: Word) -> n.Import:
    """Build ``import "m"``."""
    return n.Import(span, *path)


def import_names_from(span: Span, names: tuple[Word, ...], path: Word) -> n.Import:
    """Build ``import {a} from "m"``."""
    return n.Import(span, *path, names)


def import_namespace(span: Span, alias: str, path: Word) -> n.Import:
    """Build ``import * as ns from "m"``."""
    return n.Import(span, *path, None, alias)


def module_path(span: Span, *words: str) -> Word:
    """Turn ``std::llm::safe`` into a path."""
    return "/".join(words), span


def import_by_path(span: Span, path: Word, names: tuple[Word, ...]) -> n.Import:
    """Build ``import std::llm::safe::{a}``."""
    return n.Import(span, *path, names)


def pipeline(
    span: Span,
    word: Word,
    params: tuple[n.Param, ...],
    returns: n.Type | None,
    throws: n.Type | None,
    extends: str | None,
    body: n.Block,
) -> n.PipelineDecl:
    """Build ``pipeline``."""
    return n.PipelineDecl(span, *word, params, body, returns, extends, throws=throws)


def fn_decl(span: Span, word: Word, *header: Any) -> n.FnDecl:
    """Build ``fn name(...)``."""
    type_params, params, returns, throws, bounds, body = header
    return n.FnDecl(span, *word, params, body, returns, type_params or (), throws=throws, bounds=bounds or ())


def gen_decl(span: Span, word: Word, *header: Any) -> n.FnDecl:
    """Build ``gen fn name(...)``."""
    return evolve(fn_decl(span, word, *header), stream=True)


def bound(span: Span, word: str, *interfaces: str) -> n.Bound:
    """Build ``T: A + B``."""
    return n.Bound(span, word, interfaces)


def tool_body(span: Span, *body: n.Stmt) -> tuple[str | None, n.Block]:
    """Keep the body of a tool without a description."""
    return None, n.Block(span, body)


def described_body(span: Span, description: str, *body: n.Stmt) -> tuple[str | None, n.Block]:
    """Keep the body of a tool and its description."""
    return description, n.Block(span, body)


def tool_decl(span: Span, word: Word, params: tuple[n.Param, ...], returns: n.Type | None, body: Any) -> n.ToolDecl:
    """Build ``tool``."""
    return n.ToolDecl(span, *word, params, body[1], body[0], returns)


def field(span: Span, word: str, value: n.Expr) -> n.DictEntry:
    """Build a field of a skill."""
    return n.DictEntry(span, n.StringLit((span[0], span[0] + len(word)), word), value)


def skill_decl(span: Span, word: Word, *fields: n.DictEntry) -> n.SkillDecl:
    """Build ``skill``."""
    return n.SkillDecl(span, *word, fields)


def eval_pack_decl(span: Span, word: Word, *fields: n.DictEntry) -> n.EvalPackDecl:
    """Build ``eval_pack``."""
    return n.EvalPackDecl(span, word[0], fields)


def struct_field(span: Span, word: str, kind: n.Type | None) -> n.StructField:
    """Build ``name: T``."""
    return n.StructField(span, word, kind)


def optional_field(span: Span, word: str, kind: n.Type | None) -> n.StructField:
    """Build ``name?: T``."""
    return n.StructField(span, word, kind, True)


def struct_decl(span: Span, word: Word, type_params: tuple[str, ...] | None, *fields: n.StructField) -> n.StructDecl:
    """Build ``struct``."""
    return n.StructDecl(span, *word, fields, type_params or ())


def variant(span: Span, word: str, payload: tuple[n.StructField, ...] | None) -> n.Variant:
    """Build one variant of an enum."""
    return n.Variant(span, word, payload)


def enum_decl(span: Span, word: Word, type_params: tuple[str, ...] | None, *variants: n.Variant) -> n.EnumDecl:
    """Build ``enum``."""
    return n.EnumDecl(span, *word, variants, type_params or ())


def type_decl(span: Span, word: Word, type_params: tuple[str, ...] | None, kind: n.Type) -> n.TypeDecl:
    """Build ``type``."""
    return n.TypeDecl(span, *word, kind, type_params or ())


def method_sig(
    span: Span, word: str, type_params: Any, params: tuple[n.Param, ...], returns: n.Type | None
) -> n.MethodSig:
    """Build one method signature of an interface."""
    return n.MethodSig(span, word, params, returns, type_params or ())


def associated_type(span: Span, word: str, kind: n.Type | None) -> tuple[str, n.Type | None]:
    """Keep an associated type of an interface."""
    return word, kind


def interface_decl(span: Span, word: Word, type_params: tuple[str, ...] | None, *members: Any) -> n.InterfaceDecl:
    """Build ``interface``."""
    methods = tuple(member for member in members if isinstance(member, n.MethodSig))
    types = [member for member in members if not isinstance(member, n.MethodSig)]
    names, defaults = tuple([name for name, _ in types]), tuple([kind for _, kind in types])
    return n.InterfaceDecl(span, *word, methods, names, type_params or (), type_defaults=defaults)


def impl_decl(span: Span, word: Word, *methods: n.FnDecl) -> n.ImplDecl:
    """Build ``impl``."""
    return n.ImplDecl(span, *word, methods)


BUILDERS: dict[str, Builder] = {
    "start": start,
    "public": public,
    "attributed": attributed,
    "attribute": attribute,
    "attr_args": collect,
    "attr_arg": attr_arg,
    "attr_entry": attr_arg,
    "attr_negative": attr_negative,
    "attr_positive": attr_positive,
    "attr_true": attr_true,
    "attr_false": attr_false,
    "attr_nil": attr_nil,
    "attr_word": attr_word,
    "attr_call": attr_call,
    "attr_list": collect,
    "attr_dict": collect,
    "import_path": import_path,
    "import_names": collect,
    "import_all": import_all,
    "import_names_from": import_names_from,
    "import_namespace": import_namespace,
    "module_path": module_path,
    "import_by_path": import_by_path,
    "pipeline": pipeline,
    "fn_decl": fn_decl,
    "gen_decl": gen_decl,
    "type_params": collect,
    "where": collect,
    "bound": bound,
    "tool_body": tool_body,
    "described_body": described_body,
    "tool_decl": tool_decl,
    "field": field,
    "skill_decl": skill_decl,
    "eval_pack_decl": eval_pack_decl,
    "struct_field": struct_field,
    "optional_field": optional_field,
    "struct_decl": struct_decl,
    "variant": variant,
    "payload": collect,
    "enum_decl": enum_decl,
    "type_decl": type_decl,
    "method_sig": method_sig,
    "associated_type": associated_type,
    "interface_decl": interface_decl,
    "impl_decl": impl_decl,
}
