"""Syntax trees as JSON-able data for ``harnpy parse --json``."""

from __future__ import annotations

from harnpy.source import Source, Span
from harnpy.syntax import nodes
from harnpy.syntax.depth import deep_recursion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def dump(node: nodes.Node, source: Source) -> dict[str, Any]:
    """Give ``node`` as ``{"kind", "span": [line, column, end line, end column], field: value...}``."""
    with deep_recursion():
        return _node(node, source)


def _node(node: nodes.Node, source: Source) -> dict[str, Any]:
    result: dict[str, Any] = {"kind": type(node).__name__, "span": _span(node.span, source)}
    for attribute in type(node).__attrs_attrs__:
        name = attribute.name
        if name == "span":
            continue
        value = getattr(node, name)
        if name.endswith("_span"):
            result[name] = _span(value, source)
        elif name == "names" and isinstance(node, nodes.Import) and value is not None:
            result[name] = [{"name": word, "span": _span(span, source)} for word, span in value]
        else:
            result[name] = _value(value, source)
    return result


def _value(value: object, source: Source) -> Any:
    if isinstance(value, nodes.Node):
        return _node(value, source)
    if isinstance(value, tuple):
        return [_value(item, source) for item in value]
    return value


def _span(span: Span, source: Source) -> list[int]:
    return [*source.line_column(span[0]), *source.line_column(span[1])]
