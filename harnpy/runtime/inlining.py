"""Writes calls of tiny helper functions in place: one expression of tests and constants that cannot fail.

A function like ``fn dict_or_empty(value) { return if type_of(value) == "dict" { value } else { {} } }`` costs more to
enter than to run. Nothing in it can throw, loop or be seen in a trace, so its call may as well be its expression.
"""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime.builtin_nodes import asked_kind, kind_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.runtime.templates import Builder
    from harnpy.runtime.values import Closure


def inlined(b: Builder, function: Closure, args: list[str]) -> str | None:
    """Give the expression that the call of ``function`` with ``args`` comes to, or None."""
    node = function.code.function
    plain = node.kind == "fn" and not node.produces and not node.captures and node.nslots == len(node.params)
    if not plain or function.code.drops_handle or any(param.type is not None for param in node.params):
        return None
    value = _only_value(node.body, r.Return)
    if value is None or not _is_total(value, function.code.module):
        return None
    return _text(b, value, [b.held(arg) for arg in args])


def _only_value(block: r.Block, kind: type = r.ExprStmt) -> r.Expr | None:
    """Give the expression of a block that has just one statement, of the given kind."""
    if len(block.body) != 1 or block.defers or block.cells:
        return None
    only = block.body[0]
    return only.value if type(only) is kind else None  # type: ignore[attr-defined]


def _is_total(node: r.Expr, module: object) -> bool:
    """Tell whether ``node`` is made of parameters, constants and tests of kinds alone."""
    kind = type(node)
    if kind is r.Local or kind is r.Const:
        return True
    if isinstance(node, r.DictOf):
        return not node.entries
    if isinstance(node, r.ListOf):
        return not node.items
    if isinstance(node, r.Binary):
        asked = asked_kind(node, module)
        return asked is not None and type(asked[0]) is r.Local
    if not isinstance(node, r.If) or not isinstance(node.otherwise, r.Block):
        return False
    parts = (node.cond, _only_value(node.then), _only_value(node.otherwise))
    return all(part is not None and _is_total(part, module) for part in parts)


def _text(b: Builder, node: r.Expr | None, names: list[str]) -> str:
    if isinstance(node, r.Local):
        return names[node.slot]
    if isinstance(node, r.If) and isinstance(node.otherwise, r.Block):
        then, other = _text(b, _only_value(node.then), names), _text(b, _only_value(node.otherwise), names)
        return f"({then} if {_text(b, node.cond, names)} else {other})"
    if isinstance(node, r.Binary):
        asked = asked_kind(node, None)
        assert asked is not None
        return kind_text(b, node.op, names[asked[0].slot], asked[1])  # type: ignore[attr-defined]
    assert node is not None
    return b.value(node)
