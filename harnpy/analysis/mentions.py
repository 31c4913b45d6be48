"""Finds where a program writes what a warning at run time is about: an option, a function that is not called."""

from __future__ import annotations

from harnpy.syntax import nodes as n
from harnpy.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harnpy.errors import Site
    from harnpy.source import Source


def option_place(sources: Iterable[Source], function: str, key: str) -> Site | None:
    """Give the place of ``key`` in a dict that a call of ``function`` is given in one of ``sources``.

    When no call has the key in its arguments, it is the one place where any dict is written with it.
    """
    elsewhere: list[Site] = []
    for source in sources:
        for node in _below(parse(source)):
            if isinstance(node, n.Call | n.MethodCall) and _called(node) == function:
                for argument in node.args:
                    found = _key(argument, key)
                    if found is not None:
                        return source, found.span
            found = _key(node, key)
            if found is not None:
                elsewhere.append((source, found.span))
    return elsewhere[0] if len(elsewhere) == 1 else None


def uncalled_place(sources: Iterable[Source], name: str) -> Site | None:
    """Give the first place where ``name`` is read but not called."""
    for source in sources:
        callees: set[int] = set()
        for node in _below(parse(source)):
            if isinstance(node, n.Call):
                callees.add(id(node.callee))
            elif isinstance(node, n.Name) and node.name == name and id(node) not in callees:
                return source, node.span
    return None


def _called(node: n.Call | n.MethodCall) -> str:
    if isinstance(node, n.MethodCall):
        return node.name
    return node.callee.name if isinstance(node.callee, n.Name) else ""


def _key(node: n.Node, key: str) -> n.Expr | None:
    """Give the key of an entry of the dict literal ``node``."""
    for entry in node.entries if isinstance(node, n.DictLit) else ():
        if isinstance(entry, n.DictEntry) and isinstance(entry.key, n.StringLit) and entry.key.value == key:
            return entry.key
    return None


def _below(top: n.Node) -> Iterator[n.Node]:
    """Give all nodes of a tree in the order of the text."""
    left: list[object] = [top]
    while left:
        value = left.pop()
        if isinstance(value, n.Node):
            yield value
            left += [getattr(value, attribute.name) for attribute in reversed(type(value).__attrs_attrs__)]
        elif isinstance(value, tuple):
            left += reversed(value)
