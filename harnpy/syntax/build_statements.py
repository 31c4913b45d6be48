"""Tree of statements and binding patterns."""

from __future__ import annotations

from harnpy.source import Span
from harnpy.syntax import nodes as n
from harnpy.syntax.fault import BAD_SELECT, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.syntax.table import Builder


class Rest:
    """``...name`` at the end of a pattern or a shape."""

    __slots__ = ("name", "span")

    def __init__(self, span: Span, name: str) -> None:
        self.span = span
        self.name = name


def expr_stmt(span: Span, value: n.Expr) -> n.ExprStmt:
    """Build an expression as a statement."""
    return n.ExprStmt(span, value)


def assign(span: Span, target: n.Expr, op: str, value: n.Expr) -> n.Assign:
    """Build an assignment; the target is a name followed by ``.x`` and ``[i]``."""
    root = target
    while isinstance(root, n.Property | n.Index) and not root.optional:
        root = root.receiver
    if not isinstance(root, n.Name):
        raise Fault("invalid assignment target", target.span)
    return n.Assign(span, target, op, value)


def return_(span: Span, value: n.Expr | None) -> n.Return:
    """Build ``return``."""
    return n.Return(span, value)


def throw(span: Span, value: n.Expr) -> n.Throw:
    """Build ``throw``."""
    return n.Throw(span, value)


def break_(span: Span) -> n.Break:
    """Build ``break``."""
    return n.Break(span)


def continue_(span: Span) -> n.Continue:
    """Build ``continue``."""
    return n.Continue(span)


def yield_(span: Span, value: n.Expr | None) -> n.Yield:
    """Build ``yield``."""
    return n.Yield(span, value)


def emit(span: Span, value: n.Expr) -> n.Emit:
    """Build ``emit``."""
    return n.Emit(span, value)


def for_(span: Span, pattern: n.Pattern, iterable: n.Expr, body: n.Block) -> n.For:
    """Build ``for``."""
    return n.For(span, pattern, iterable, body)


def while_(span: Span, cond: n.Expr, body: n.Block) -> n.While:
    """Build ``while``."""
    return n.While(span, cond, body)


def guard(span: Span, cond: n.Expr, otherwise: n.Block) -> n.Guard:
    """Build ``guard``."""
    return n.Guard(span, cond, otherwise)


def require(span: Span, cond: n.Expr, message: n.Expr | None) -> n.Require:
    """Build ``require``."""
    return n.Require(span, cond, message)


def defer(span: Span, body: n.Block) -> n.Defer:
    """Build ``defer``."""
    return n.Defer(span, body)


def mutex(span: Span, key: n.Expr | None, body: n.Block) -> n.Mutex:
    """Build ``mutex``."""
    return n.Mutex(span, key, body)


def block_stmt(span: Span, body: n.Block) -> n.ExprStmt:
    """Build ``block { ... }``."""
    return n.ExprStmt(span, n.BlockExpr(span, body))


def scope_stmt(span: Span, body: n.Block) -> n.ExprStmt:
    """Build ``scope { ... }``."""
    return n.ExprStmt(span, n.ScopeExpr(span, body))


def select_case(span: Span, word: str, channel: n.Expr, body: n.Block) -> n.SelectCase:
    """Build ``v from ch { ... }``."""
    return n.SelectCase(span, word, channel, body)


def select_timeout(span: Span, limit: n.Expr, body: n.Block) -> tuple[Span, n.Expr | None, n.Block]:
    """Keep ``timeout d { ... }``."""
    return span, limit, body


def select_default(span: Span, body: n.Block) -> tuple[Span, n.Expr | None, n.Block]:
    """Keep ``default { ... }``."""
    return span, None, body


def select(span: Span, *parts: Any) -> n.Select:
    """Build ``select``: at least one case, and at most one of timeout and default."""
    cases = tuple(part for part in parts if isinstance(part, n.SelectCase))
    others = [part for part in parts if not isinstance(part, n.SelectCase)]
    for at, (place, limit, _) in enumerate(others[1:], 1):
        if (limit is None) != (others[at - 1][1] is None):
            raise Fault("select cannot have both timeout and default", place, BAD_SELECT)
        raise Fault(f"select cannot have two {'default' if limit is None else 'timeout'} cases", place, BAD_SELECT)
    if not cases:
        raise Fault("select needs at least one select case", (span[0], span[0] + len("select")), BAD_SELECT)
    if not others:
        return n.Select(span, cases)
    _, limit, body = others[0]
    return n.Select(span, cases, None, None, body) if limit is None else n.Select(span, cases, limit, body)


def route_option(span: Span, word: str, value: n.Expr) -> n.DictEntry:
    """Build one option of ``cost_route``."""
    return n.DictEntry(span, n.StringLit((span[0], span[0] + len(word)), word), value)


def cost_route(span: Span, *parts: n.DictEntry | n.Stmt) -> n.CostRoute:
    """Build ``cost_route``: options, then statements."""
    options: list[n.DictEntry] = []
    body: list[n.Stmt] = []
    for part in parts:
        if isinstance(part, n.Stmt):
            body.append(part)
        elif body:
            raise Fault("Options of cost_route come before its statements", part.span)
        else:
            options.append(part)
    return n.CostRoute(span, tuple(options), n.Block(span, tuple(body)))


def words(span: Span, *items: str) -> tuple[str, ...]:
    """Collect words."""
    return items


def override(span: Span, word: str, params: tuple[str, ...], body: n.Block) -> n.Override:
    """Build ``override``."""
    return n.Override(span, word, params, body)


def const_binding(span: Span, pattern: n.Pattern, kind: n.Type | None, value: n.Expr) -> n.Binding:
    """Build ``const``."""
    return n.Binding(span, False, pattern, kind, value)


def let_binding(span: Span, pattern: n.Pattern, kind: n.Type | None, value: n.Expr) -> n.Binding:
    """Build ``let``."""
    return n.Binding(span, True, pattern, kind, value)


def name_binding(span: Span, word: str) -> n.NameBinding:
    """Build a plain name that is bound."""
    return n.NameBinding(span, word)


def pair_binding(span: Span, first: str, second: str) -> n.PairBinding:
    """Build ``(k, v)``."""
    return n.PairBinding(span, first, second)


def dict_field(span: Span, key: str, default: n.Expr | None) -> n.DictField:
    """Build ``key`` in a dict pattern."""
    return n.DictField(span, key, key, default)


def dict_alias(span: Span, key: str, word: str, default: n.Expr | None) -> n.DictField:
    """Build ``key: name`` in a dict pattern."""
    return n.DictField(span, key, word, default)


def list_item(span: Span, word: str, default: n.Expr | None) -> n.ListItem:
    """Build one name of a list pattern."""
    return n.ListItem(span, word, default)


def split_rest(items: tuple[Any, ...]) -> tuple[tuple[Any, ...], str | None]:
    """Take the rest off the end of ``items``; it may stand nowhere else."""
    for item in items[:-1]:
        if isinstance(item, Rest):
            raise Fault(f"`...{item.name}` must be last", item.span)
    if items and isinstance(items[-1], Rest):
        return items[:-1], items[-1].name
    return items, None


def dict_binding(span: Span, *items: Any) -> n.DictBinding:
    """Build ``{a, b: c, ...rest}``."""
    return n.DictBinding(span, *split_rest(items))


def list_binding(span: Span, *items: Any) -> n.ListBinding:
    """Build ``[a, b, ...rest]``."""
    return n.ListBinding(span, *split_rest(items))


BUILDERS: dict[str, Builder] = {
    "expr_stmt": expr_stmt,
    "assign": assign,
    "return": return_,
    "throw": throw,
    "break": break_,
    "continue": continue_,
    "yield": yield_,
    "emit": emit,
    "for": for_,
    "while": while_,
    "guard": guard,
    "require": require,
    "defer": defer,
    "mutex": mutex,
    "select": select,
    "select_case": select_case,
    "select_timeout": select_timeout,
    "select_default": select_default,
    "block_stmt": block_stmt,
    "scope_stmt": scope_stmt,
    "cost_route": cost_route,
    "route_option": route_option,
    "override": override,
    "override_params": words,
    "const_binding": const_binding,
    "let_binding": let_binding,
    "name_binding": name_binding,
    "pair_binding": pair_binding,
    "dict_field": dict_field,
    "dict_alias": dict_alias,
    "dict_binding": dict_binding,
    "list_item": list_item,
    "list_binding": list_binding,
    "rest": Rest,
}
