"""Modules, imports, attributes and declarations."""

from __future__ import annotations

from attrs import field, frozen

from harnpy.source import Span
from harnpy.syntax.nodes_base import Node, Stmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.nodes_base import Type
    from harnpy.syntax.nodes_expressions import Block, DictEntry, Param


@frozen
class AttrCall(Node):
    """An attribute value of the form ``name(args)`` or ``a.b`` (then ``args`` is ``None``)."""

    name: str
    args: tuple[AttrArg, ...] | None


@frozen
class AttrArg(Node):
    """``name: value`` or a positional value of an attribute.

    ``value`` is a Python constant, a tuple of values (list), a tuple of ``AttrArg`` (dict) or an ``AttrCall``.
    """

    name: str | None
    value: object


@frozen
class Attribute(Node):
    """``@name(args)``."""

    name: str
    args: tuple[AttrArg, ...]


@frozen
class Bound(Node):
    """``T: A + B`` of a ``where``."""

    name: str
    interfaces: tuple[str, ...]


@frozen
class FnDecl(Stmt):
    """``fn name(...)``; ``stream`` for ``gen fn``."""

    name: str
    name_span: Span = field(eq=False)
    params: tuple[Param, ...]
    body: Block
    returns: Type | None = None
    type_params: tuple[str, ...] = ()
    stream: bool = False
    public: bool = False
    attributes: tuple[Attribute, ...] = ()
    throws: Type | None = None
    bounds: tuple[Bound, ...] = ()


@frozen
class ToolDecl(Stmt):
    """``tool name(...) { description "..." ... }``."""

    name: str
    name_span: Span = field(eq=False)
    params: tuple[Param, ...]
    body: Block
    description: str | None = None
    returns: Type | None = None
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class SkillDecl(Stmt):
    """``skill name { field expr }``; fields are plain dict entries."""

    name: str
    name_span: Span = field(eq=False)
    fields: tuple[DictEntry, ...]
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class EvalPackDecl(Stmt):
    """``eval_pack name { ... }``: parsed and ignored."""

    name: str
    fields: tuple[DictEntry, ...]


@frozen
class PipelineDecl(Stmt):
    """``pipeline name(...)``."""

    name: str
    name_span: Span = field(eq=False)
    params: tuple[Param, ...]
    body: Block
    returns: Type | None = None
    extends: str | None = None
    public: bool = False
    attributes: tuple[Attribute, ...] = ()
    throws: Type | None = None


@frozen
class StructField(Node):
    """``name: type`` or ``name?: type``."""

    name: str
    type: Type | None
    optional: bool = False


@frozen
class StructDecl(Stmt):
    """``struct Name { fields }``."""

    name: str
    name_span: Span = field(eq=False)
    fields: tuple[StructField, ...]
    type_params: tuple[str, ...] = ()
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class Variant(Node):
    """One variant of an enum; ``fields`` is ``None`` without parentheses."""

    name: str
    fields: tuple[StructField, ...] | None


@frozen
class EnumDecl(Stmt):
    """``enum Name { variants }``."""

    name: str
    name_span: Span = field(eq=False)
    variants: tuple[Variant, ...]
    type_params: tuple[str, ...] = ()
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class TypeDecl(Stmt):
    """``type Name = type``."""

    name: str
    name_span: Span = field(eq=False)
    type: Type
    type_params: tuple[str, ...] = ()
    public: bool = False
    attributes: tuple[Attribute, ...] = ()


@frozen
class MethodSig(Node):
    """One method signature of an interface."""

    name: str
    params: tuple[Param, ...]
    returns: Type | None
    type_params: tuple[str, ...] = ()


@frozen
class InterfaceDecl(Stmt):
    """``interface Name { ... }``; ``types`` are its associated types, ``type_defaults`` their defaults."""

    name: str
    name_span: Span = field(eq=False)
    methods: tuple[MethodSig, ...]
    types: tuple[str, ...] = ()
    type_params: tuple[str, ...] = ()
    public: bool = False
    attributes: tuple[Attribute, ...] = ()
    type_defaults: tuple[Type | None, ...] = ()


@frozen
class ImplDecl(Stmt):
    """``impl Name { fn ... }``."""

    name: str
    name_span: Span = field(eq=False)
    methods: tuple[FnDecl, ...]
    attributes: tuple[Attribute, ...] = ()


def _words(names: tuple[tuple[str, Span], ...] | None) -> tuple[str, ...] | None:
    """Give the names without their places, for comparison."""
    return None if names is None else tuple([name for name, _ in names])


@frozen
class Import(Stmt):
    """``import``; ``names`` is ``None`` for a whole module, ``alias`` is set for ``* as alias``."""

    path: str
    path_span: Span = field(eq=False)
    names: tuple[tuple[str, Span], ...] | None = field(default=None, eq=_words)
    alias: str | None = None
    public: bool = False


@frozen
class Module(Node):
    """A whole file."""

    body: tuple[Stmt, ...]
