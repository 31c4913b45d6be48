"""Compiles names, literals, logic and the other expressions that are neither operators, access nor calls."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site, runtime_error, type_error
from harnpy.runtime.convert import key_text
from harnpy.runtime.display import display
from harnpy.runtime.sizes import emit_list_bound, emit_text_bound, refuse_list, refuse_text
from harnpy.runtime.templates import share
from harnpy.runtime.values import UNSET, Duration, RangeValue, StructValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.templates import Builder, Eval

# Longer literals are built in a loop: their text would be a shape of its own each.
_LONGEST_WRITTEN = 8


# --- names and constants ------------------------------------------------------------------------


def local(b: Builder, node: r.Local) -> str:
    """A frame slot."""
    return f"f[{b.bind(node.slot)}]"


def local_cell(b: Builder, node: r.LocalCell | r.OwnName) -> str:
    """The content of the cell in a frame slot."""
    value = b.temp()
    b.line(f"{value} = f[{b.bind(node.slot)}][0]")
    _refuse_unset(b, value, node, node.name)
    return value


def global_name(b: Builder, node: r.Global | r.OwnName) -> str:
    """A module variable, or a builtin as a value."""
    return _read_cell(b, node, b.compiler.module.lookup(node.name))


def outer_name(b: Builder, node: r.Outer) -> str:
    """A name from outside the module that a variable of the module hides."""
    return _read_cell(b, node, b.compiler.module.outer_cells.get(node.name))


def own_name(b: Builder, node: r.OwnName) -> str:
    """The variable that a closure is being made for, unless something global has its name."""
    module = b.compiler.module
    if module.lookup(node.name) is None and b.compiler.ctx.find_builtin(node.name) is None:
        return local_cell(b, node)
    return global_name(b, node)


def _read_cell(b: Builder, node: r.Global | r.OwnName | r.Outer, cell: list[Any] | None) -> str:
    compiler = b.compiler
    if cell is not None:
        value = b.temp()
        b.line(f"{value} = {b.bind(cell)}[0]")
        _refuse_unset(b, value, node, node.name)
        return value
    builtin = compiler.ctx.find_builtin(node.name)
    if builtin is not None:
        return b.bind(builtin)
    return f"undefined({b.bind(compiler.module)}, {b.bind(node.name)}, {b.bind(compiler.site(node))})"


def _refuse_unset(b: Builder, value: str, node: r.Node, name: str) -> None:
    module = b.bind(b.compiler.module)
    b.line(f"if {value} is UNSET: undefined({module}, {b.bind(name)}, {b.bind(b.compiler.site(node))})")


def undefined(module: Any, name: str, site: Site, called: bool = False) -> None:
    """Raise the error of a variable that has no value at ``site``."""
    error: HarnError = module.undefined(name)
    if called and type(error.value) is str:
        error.value = error.value.replace("Undefined variable: ", "Undefined builtin: ", 1)
    error.locate(site)
    raise error


def constant(b: Builder, node: r.Const) -> str:
    """A constant; nil and the bools are written out."""
    value = node.value
    if value is None or value is True or value is False:
        return str(value)
    return b.bind(value)


def duration(b: Builder, node: r.DurationConst) -> str:
    """A duration literal."""
    return b.bind(Duration(node.ms))


# --- texts, lists, dicts --------------------------------------------------------------------------


def interpolation(compiler: Compiler, node: r.Interp) -> Eval:
    """A string with holes, for any number of parts."""
    parts = [(part, None) if isinstance(part, str) else ("", compiler.expr(part)) for part in node.parts]
    limit = compiler.ctx.limits.max_string
    site = compiler.site(node)

    def join(f: list[Any]) -> str:
        pieces = [text if hole is None else display(hole(f)) for text, hole in parts]
        size = sum(map(len, pieces))
        if size > limit:
            refuse_text(size, limit, site)
        return "".join(pieces)

    return join


def emit_interpolation(b: Builder, node: r.Interp) -> str:
    """A string with few holes, as one f-string."""
    if len(node.parts) > _LONGEST_WRITTEN:
        return b.bind(interpolation(b.compiler, node)) + "(f)"
    names = iter(b.holds([part for part in node.parts if not isinstance(part, str)]))
    pieces = []
    for part in node.parts:
        if isinstance(part, str):
            pieces.append(f"{{{b.bind(part)}}}")
        else:
            name = next(names)
            pieces.append(f"{{{name} if type({name}) is str or type({name}) is int else display({name})}}")
    result = b.temp()
    b.line(f"{result} = " + 'f"' + "".join(pieces) + '"')
    emit_text_bound(b, f"len({result})", node)
    return result


def list_of(compiler: Compiler, node: r.ListOf) -> Eval:
    """A list of any length, with spreads."""
    items = [(isinstance(item, r.Spread), compiler.expr(spread_or_plain(item))) for item in node.items]
    site = compiler.site(node)
    limit = compiler.ctx.limits.max_list

    def build(f: list[Any]) -> list[Any]:
        made: list[Any] = []
        for spread, item in items:
            if spread:
                made += spread_list(item(f), site)
            else:
                made.append(item(f))
        if len(made) > limit:
            refuse_list(len(made), limit, site)
        return made

    return build


def spread_or_plain(item: r.Expr | r.Spread) -> r.Expr:
    """Give the expression of an item, with or without ``...``."""
    return item.value if isinstance(item, r.Spread) else item


def spread_list(value: Any, site: Site) -> list[Any]:
    """Give the items of ``...value`` in a list or an argument list."""
    if type(value) is list:
        return value
    error = type_error(f"cannot spread {type_of(value)} — expected list")
    error.locate(site)
    raise error


def emit_list(b: Builder, node: r.ListOf) -> str:
    """A short list."""
    items = node.items
    if len(items) > _LONGEST_WRITTEN:
        return b.bind(list_of(b.compiler, node)) + "(f)"
    texts = b.values([spread_or_plain(item) for item in items])
    site = b.bind(b.compiler.site(node)) if any(isinstance(item, r.Spread) for item in items) else ""
    written = [
        f"*spread_list({text}, {site})" if isinstance(item, r.Spread) else text
        for item, text in zip(items, texts, strict=True)
    ]
    text = "[" + ", ".join(written) + "]"
    if not site:
        return text
    result = b.held(text)
    emit_list_bound(b, f"len({result})", node)
    return result


def dict_of(compiler: Compiler, node: r.DictOf) -> Eval:
    """A dict of any size, with computed keys and spreads."""
    parts = [
        (None if isinstance(entry, r.Spread) else compiler.expr(entry.key), compiler.expr(entry.value))
        for entry in node.entries
    ]
    site = compiler.site(node)

    def build(f: list[Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in parts:
            if key is None:
                made.update(spread_dict(value(f), site))
            else:
                name = key(f)
                made[name if type(name) is str else key_text(name)] = value(f)
        return made

    return build


def spread_dict(value: Any, site: Site) -> dict[str, Any]:
    """Give the entries of ``...value`` in a dict."""
    if type(value) is dict:
        return value
    if type(value) is StructValue:
        return value.fields
    error = type_error(f"cannot spread {type_of(value)} — expected dict")
    error.locate(site)
    raise error


def emit_dict(b: Builder, node: r.DictOf) -> str:
    """A small dict with constant keys."""
    entries = node.entries
    keys = [_plain_key(entry) for entry in entries]
    if len(entries) > _LONGEST_WRITTEN or None in keys:
        return b.bind(dict_of(b.compiler, node)) + "(f)"
    texts = b.values([entry.value for entry in entries])
    site = b.bind(b.compiler.site(node)) if any(key is _SPREAD for key in keys) else ""
    written = [
        f"**spread_dict({text}, {site})" if key is _SPREAD else f"{b.bind(key)}: {text}"
        for key, text in zip(keys, texts, strict=True)
    ]
    return "{" + ", ".join(written) + "}"


class _SpreadKey(str):
    """Stands for the key of a spread."""


_SPREAD = _SpreadKey()


def _plain_key(entry: r.Entry | r.Spread) -> str | None:
    """Give the constant key of an entry, ``_SPREAD`` for a spread, or None for a computed key."""
    if isinstance(entry, r.Spread):
        return _SPREAD
    key = entry.key
    return key.value if isinstance(key, r.Const) and isinstance(key.value, str) else None


# --- logic ------------------------------------------------------------------------------------------


def negation(b: Builder, node: r.Not) -> str:
    """``!value``."""
    return f"(not {b.condition(node.value)})"


def conjunction(b: Builder, node: r.And) -> str:
    """``left && right``: a bool."""
    return f"(True if {and_condition(b, node)} else False)"


def disjunction(b: Builder, node: r.Or) -> str:
    """``left || right``: a bool."""
    return f"(True if {or_condition(b, node)} else False)"


def and_condition(b: Builder, node: r.And) -> str:
    """``left && right`` where only the truth matters."""
    return _short_circuit(b, node.left, node.right, "and", "")


def or_condition(b: Builder, node: r.Or) -> str:
    """``left || right`` where only the truth matters."""
    return _short_circuit(b, node.left, node.right, "or", "not ")


def _short_circuit(b: Builder, left: r.Expr, right: r.Expr, word: str, test: str) -> str:
    first = b.condition(left)
    text, lines = b.attempt(right, b.condition)
    if not lines:
        return f"({first} {word} {text})"
    result = b.temp()
    b.line(f"{result} = {first}")
    with b.block(f"if {test}{result}:"):
        b.insert(lines)
        b.line(f"{result} = {text}")
    return result


def coalesce(b: Builder, node: r.Coalesce) -> str:
    """``left ?? right``."""
    first = b.value(node.left)
    text, lines = b.attempt(node.right)
    result = b.temp()
    if not lines:
        return f"({text} if ({result} := {first}) is None else {result})"
    b.line(f"{result} = {first}")
    with b.block(f"if {result} is None:"):
        b.insert(lines)
        b.line(f"{result} = {text}")
    return result


def ternary(b: Builder, node: r.Ternary) -> str:
    """``cond ? then : otherwise``."""
    cond = b.condition(node.cond)
    then, then_lines = b.attempt(node.then)
    other, other_lines = b.attempt(node.otherwise)
    if not then_lines and not other_lines:
        return f"({then} if {cond} else {other})"
    result = b.temp()
    with b.block(f"if {cond}:"):
        b.insert(then_lines)
        b.line(f"{result} = {then}")
    with b.block("else:"):
        b.insert(other_lines)
        b.line(f"{result} = {other}")
    return result


# --- the rest ---------------------------------------------------------------------------------------


def range_of(b: Builder, node: r.RangeOf) -> str:
    """``start to end``."""
    start, end = b.values([node.start, node.end])
    return f"make_range({start}, {end}, {node.exclusive}, {b.bind(b.compiler.site(node))})"


def make_range(start: Any, end: Any, exclusive: bool, site: Site) -> RangeValue:
    """Make the range of two bounds, which must be ints."""
    for bound in (start, end):
        if type(bound) is not int:
            error = type_error(f"range bounds must be int, got {type_of(bound)}")
            error.locate(site)
            raise error
    return RangeValue(start, end, exclusive)


def let_in(b: Builder, node: r.LetIn) -> str:
    """A pipe with placeholders."""
    place = f"f[{b.bind(node.slot)}]"
    b.line(f"{place} = {b.value(node.value)}")
    result = b.hold(node.body)
    # A second owner left behind would make the next change of a list copy it.
    b.line(f"{place} = None")
    return result


def unwrap(b: Builder, node: r.Unwrap) -> str:
    """``value!``."""
    value = b.hold(node.value)
    b.line(f"if {value} is None: refuse_nil({b.bind(b.compiler.site(node))})")
    return value


def refuse_nil(site: Site) -> None:
    """Raise the error of ``nil!``."""
    error = runtime_error("unwrap_nil: value is nil")
    error.locate(site)
    raise error


def try_star(b: Builder, node: r.TryStar) -> str:
    """``try* value``: an error simply goes on."""
    return b.value(node.value)


share(
    UNSET=UNSET,
    display=display,
    make_range=make_range,
    refuse_nil=refuse_nil,
    spread_dict=spread_dict,
    spread_list=spread_list,
    undefined=undefined,
)

LEAVES: dict[type, Callable[[Builder, Any], str]] = {
    r.Local: local,
    r.LocalCell: local_cell,
    r.OwnName: own_name,
    r.Global: global_name,
    r.Outer: outer_name,
    r.Const: constant,
    r.DurationConst: duration,
}
EMITTERS: dict[type, Callable[[Builder, Any], str]] = {
    r.Interp: emit_interpolation,
    r.ListOf: emit_list,
    r.DictOf: emit_dict,
    r.Not: negation,
    r.And: conjunction,
    r.Or: disjunction,
    r.Coalesce: coalesce,
    r.Ternary: ternary,
    r.RangeOf: range_of,
    r.LetIn: let_in,
    r.Unwrap: unwrap,
    r.TryStar: try_star,
}
CONDITIONS: dict[type, Callable[[Builder, Any], str]] = {r.And: and_condition, r.Or: or_condition}
