"""Compiles property, index and slice expressions: lists and dicts written out, a call for the rest."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime.access import SLICED, index_at, property_at, slice_at
from harnpy.runtime.templates import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.templates import Builder


def property_of(b: Builder, node: r.Property) -> str:
    """``receiver.name`` and ``receiver?.name``."""
    value = b.hold(node.receiver)
    name = b.bind(node.name)
    site = b.bind(b.compiler.site(node.name_span))
    text = f"{value}.get({name}) if type({value}) is dict else property_at({value}, {name}, {site})"
    return f"({text} if {value} is not None else None)" if node.optional else f"({text})"


def index_of(b: Builder, node: r.Index) -> str:
    """``receiver[index]`` and its optional forms."""
    if node.optional:
        return _unless_nil(b, node, [node.index], lambda value, parts: _index(b, node, value, parts[0]))
    value, index = b.holds([node.receiver, node.index])
    return _index(b, node, value, index)


def _index(b: Builder, node: r.Index, value: str, index: str) -> str:
    known = type(node.index.value) if type(node.index) is r.Const else None
    value = _never_literal(b, value)
    text = f"index_at({value}, {index}, {b.bind(b.compiler.site(node))})"
    if known is str or known is None:
        test = "" if known is str else f" and type({index}) is str"
        text = f"{value}.get({index}) if type({value}) is dict{test} else {text}"
    if known is int or known is None:
        test = "" if known is int else f" and type({index}) is int"
        text = f"{value}[{index}] if type({value}) is list{test} and -1 < {index} < len({value}) else {text}"
    return f"({text})"


_WRITTEN_OUT = {"None": None, "True": True, "False": False}


def _never_literal(b: Builder, value: str) -> str:
    """Give the name of a receiver; Python warns of an index into a written-out nil or bool."""
    return b.bind(_WRITTEN_OUT[value]) if value in _WRITTEN_OUT else value


def slice_of(b: Builder, node: r.Slice) -> str:
    """``receiver[start:end]``."""
    written = [(which, bound) for which, bound in (("start", node.start), ("end", node.end)) if bound is not None]
    site = b.bind(b.compiler.site(node))

    def text(value: str, parts: list[str]) -> str:
        bounds = ", ".join([f"'{which}': {part}" for (which, _), part in zip(written, parts, strict=True)])
        tests = "".join([f" and type({part}) is int" for part in parts])
        names = dict(zip([which for which, _ in written], parts, strict=True))
        value = _never_literal(b, value)
        plain = f"{value}[{names.get('start', '')}:{names.get('end', '')}]"
        return f"({plain} if type({value}) in SLICED{tests} else slice_at({value}, {{{bounds}}}, {site}))"

    parts = [bound for _, bound in written]
    if node.optional:
        return _unless_nil(b, node, parts, text)
    value, *names = b.holds([node.receiver, *parts])
    return text(value, names)


def _unless_nil(b: Builder, node: r.Index | r.Slice, parts: list[r.Expr], text: Callable[[str, list[str]], str]) -> str:
    """Nil when the receiver is nil; else the parts are evaluated and ``text`` is the value."""
    value = b.hold(node.receiver)
    result = b.temp()
    b.line(f"{result} = None")
    with b.block(f"if {value} is not None:"):
        b.line(f"{result} = {text(value, b.holds(parts))}")
    return result


share(SLICED=SLICED, index_at=index_at, property_at=property_at, slice_at=slice_at)

EMITTERS: dict[type, Callable[[Builder, Any], str]] = {
    r.Property: property_of,
    r.Index: index_of,
    r.Slice: slice_of,
}
