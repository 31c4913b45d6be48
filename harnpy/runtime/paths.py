"""Assignment into containers along a path: copy on write, level by level (language 4.5)."""

from __future__ import annotations

from sys import getrefcount

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site, runtime_error, type_error
from harnpy.runtime import blocks
from harnpy.runtime.access import get_index, get_property
from harnpy.runtime.assignment import emit_defined, holder_of, is_number, is_push, read_of, release_but
from harnpy.runtime.convert import key_text
from harnpy.runtime.operators import add, placed
from harnpy.runtime.operators_nodes import binary_of
from harnpy.runtime.ownership import OWNED_BY_LOCAL, OWNED_BY_PLACE, WRITTEN_BY_PLACE
from harnpy.runtime.sizes import check_growth
from harnpy.runtime.templates import share
from harnpy.runtime.values import StructValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.limits import Limits
    from harnpy.runtime.templates import Builder

    Run = Callable[[list[Any]], Any]

add_at = placed(add)


# --- writing ----------------------------------------------------------------------------------


def _emit_store_path(b: Builder, node: r.StorePath) -> None:
    """Write ``root.steps = value``: value first, then the indices, then the store."""
    emit_defined(b, node.root)
    if node.op is None and is_push(node.value) and _same(_read_node(node), node.value.receiver):  # type: ignore[attr-defined]
        _emit_push(b, node, node.value.args[0])  # type: ignore[attr-defined]
        return
    node, default = _as_update(node)
    if node.op is None:
        value = b.held(blocks.emit_value(b, node.value))
        _emit_store(b, node, _keys(b, node), value)
        return
    keys = _keys(b, node)
    old = _emit_read(b, node, keys)
    if default is not None:
        blocks.suite(b, f"if {old} is None:", lambda: b.line(f"{old} = {b.value(default)}"))
    right = b.hold(node.value)
    if node.op != "+" or is_number(node.value):
        _emit_store(b, node, keys, b.held(binary_of(b, node.op, old, right, (None, node.value), node)))
        return
    loose = b.loose[:]
    with b.block(f"if type({old}) is int or type({old}) is float:"):
        _emit_store(b, node, keys, b.held(binary_of(b, "+", old, right, (None, node.value), node)))
    b.loose += [name for name in loose if name not in b.loose]
    with b.block("else:"):
        _emit_growth(b, node, keys, old, right)


def _emit_growth(b: Builder, node: r.StorePath, keys: list[str], old: str, right: str) -> None:
    b.line(f"box = [{old}]")
    release_but(b, *keys, right)
    limits = b.bind(b.compiler.ctx.limits)
    b.line(f"grow_path({_path(b, node, keys)}, box, {right}, {_site(b, node)}, {limits})")


def _emit_push(b: Builder, node: r.StorePath, item: r.Expr) -> None:
    """Write ``path = path.appending(item)``."""
    keys = _keys(b, node)
    old = _emit_read(b, node, keys)
    loose = b.loose[:]
    with b.block(f"if type({old}) is list:"):
        _emit_growth(b, node, keys, old, b.hold(r.ListOf(node.span, (item,))))
    b.loose += [name for name in loose if name not in b.loose]
    with b.block("else:"):
        _emit_store(b, node, keys, b.held(b.value(node.value)))


def _as_update(node: r.StorePath) -> tuple[r.StorePath, r.Expr | None]:
    """Give ``path += e`` for ``path = path + e``, and ``default`` for ``path = (path ?? default) + e``."""
    value = node.value
    if node.op is not None or not isinstance(value, r.Binary) or value.op != "+":
        return node, None
    left: r.Expr = value.left
    default: r.Expr | None = None
    if isinstance(left, r.Coalesce):
        if is_number(value.right):
            return node, None
        default = left.right
        left = left.left
    reading = _read_node(node)
    if reading is None or not _same(reading, left):
        return node, None
    return r.StorePath(node.span, node.root, node.steps, "+", value.right), default


def _same(one: Any, other: Any) -> bool:
    """Tell whether two expressions read the same variable or path."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is r.Local or kind is r.LocalCell:
        return bool(one.slot == other.slot)
    if kind is r.Global:
        return bool(one.name == other.name)
    if kind is r.Const:
        return type(one.value) is type(other.value) and one.value == other.value
    if kind is r.Property:
        return one.name == other.name and not other.optional and _same(one.receiver, other.receiver)
    if kind is r.Index:
        return not other.optional and _same(one.index, other.index) and _same(one.receiver, other.receiver)
    return False


def _emit_store(b: Builder, node: r.StorePath, keys: list[str], value: str) -> None:
    if len(keys) == 1:
        _emit_store_step(b, node, keys[0], value)
    else:
        release_but(b, *keys, value)
        b.line(f"store_path({_path(b, node, keys)}, {value}, {_site(b, node)})")


def _path(b: Builder, node: r.StorePath, keys: list[str]) -> str:
    """Give the arguments that describe a path: where the variable is, the keys, and which of them are names."""
    holder, position = holder_of(b, node.root)
    return f"{holder}, {position}, ({', '.join(keys)},), {b.bind(_names(node))}"


def _site(b: Builder, node: r.Node) -> str:
    return b.bind(b.compiler.site(node))


def _keys(b: Builder, node: r.StorePath) -> list[str]:
    """Write the evaluation of the indices; give a name for the key of each step."""
    return [
        b.hold(step.index) if type(step) is r.At else b.bind(step.name)  # type: ignore[union-attr]
        for step in node.steps
    ]


def _names(node: r.StorePath) -> tuple[bool, ...]:
    """Tell for each step whether it is a ``.name``."""
    return tuple([type(step) is r.Key for step in node.steps])


def _emit_read(b: Builder, node: r.StorePath, keys: list[str]) -> str:
    """Write the reading of the old value; give its name."""
    reading = _read_node(node)
    if reading is not None:
        return b.held(b.value(reading))
    old = b.temp()
    holder, position = holder_of(b, node.root)
    path = f"({', '.join(keys)},), {b.bind(_names(node))}"
    b.line(f"{old} = read_path({holder}[{position}], {path}, {_site(b, node)})")
    return old


def _read_node(node: r.StorePath) -> r.Expr | None:
    """Give the expression that reads the path, if its indices may be evaluated again."""
    reading: r.Expr = read_of(node.span, node.root)
    for step in node.steps:
        if type(step) is r.Key:
            reading = r.Property(node.span, reading, step.name, node.span, False)
        elif type(step) is r.At and type(step.index) in (r.Const, r.Local):
            reading = r.Index(node.span, reading, step.index, False)
        else:
            return None
    return reading


def _step_tests(step: r.Key | r.At, container: str, key: str) -> list[tuple[type, str]]:
    """Give the kinds of containers that a step is written out for, each with its test."""
    known = type(step.index.value) if type(step) is r.At and type(step.index) is r.Const else None
    tests: list[tuple[type, str]] = []
    if type(step) is r.At and known in (None, int):
        check = "" if known is int else f" and type({key}) is int"
        tests.append((list, f"type({container}) is list{check} and 0 <= {key} < len({container})"))
    if known in (None, str):
        check = "" if known is str or type(step) is r.Key else f" and type({key}) is str"
        tests.append((dict, f"type({container}) is dict{check}"))
    return tests


def _emit_store_step(b: Builder, node: r.StorePath, key: str, value: str) -> None:
    """Write the store into the container that the variable itself holds."""
    holder, position = holder_of(b, node.root)
    here = f"{holder}[{position}]"
    named = type(node.steps[0]) is r.Key
    container = b.name("c")
    release_but(b, key, value)
    b.line(f"{container} = {here}")
    word = "if"
    for _, test in _step_tests(node.steps[0], container, key):
        with b.block(f"{word} {test}:"):
            b.line(f"if getrefcount({container}) != OWNED_BY_PLACE: {container} = {here} = {container}.copy()")
            b.line(f"{container}[{key}] = {value}")
        word = "elif"
    if named:
        with b.block(f"elif type({container}) is StructValue and getrefcount({container}) == OWNED_BY_PLACE:"):
            b.line(f"own_fields({container})[{key}] = {value}")
    with b.block(f"{'else' if word == 'elif' else 'if True'}:"):
        b.line(f"{container} = None")
        b.line(f"store_path({_path(b, node, [key])}, {value}, {_site(b, node)})")
    b.line(f"{container} = None")


# --- run-time support -------------------------------------------------------------------------


def read_path(container: Any, keys: tuple[Any, ...], names: tuple[bool, ...], site: Site) -> Any:
    """Give the value at the end of a path."""
    try:
        for key, named in zip(keys, names, strict=True):
            container = get_property(container, key) if named else get_index(container, key)
    except HarnError as error:
        error.locate(site)
        raise
    return container


def store_path(
    holder: list[Any], position: Any, keys: tuple[Any, ...], names: tuple[bool, ...], value: Any, site: Site
) -> None:
    """Store ``value`` at the end of a path that starts at ``holder[position]``."""
    parent, where = _own_path(holder, position, keys, names, site)
    parent[where] = value


def grow_path(
    holder: list[Any],
    position: Any,
    keys: tuple[Any, ...],
    names: tuple[bool, ...],
    box: list[Any],
    right: Any,
    site: Site,
    limits: Limits,
) -> None:
    """Store the sum of the old value in ``box`` and ``right`` at the end of a path.

    A text or container that only the path owns is taken out of it first and grows in place.
    """
    parent, where = _own_path(holder, position, keys, names, site)
    old = box.pop()
    kind = type(old)
    if kind is not type(right) or (kind is not str and kind is not list and kind is not dict):
        parent[where] = add_at(old, right, site)
        return
    if kind is not dict:
        check_growth(kind, len(old) + len(right), limits, site)
    parent[where] = None
    if kind is str:
        old += right
    elif getrefcount(old) != OWNED_BY_LOCAL:
        old = add_at(old, right, site)
    elif kind is list:
        old += right
    else:
        old |= right
    parent[where] = old


def _own_path(
    holder: list[Any], position: Any, keys: tuple[Any, ...], names: tuple[bool, ...], site: Site
) -> tuple[Any, Any]:
    """Give the container and the key at the end of a path, each level owned by its place alone.

    ``parent[where]`` is always the place of the level in hand. A level with a second owner is copied there before it is
    changed; its parts then have a second owner, too, so that the copying goes on exactly as far as it must.
    """
    parent: Any = holder
    where = position
    for level, key in enumerate(keys):
        # A missing key is nil, which no store can enter.
        container: Any = parent.get(where) if type(parent) is dict else parent[where]
        kind = type(container)
        if kind is dict or kind is list:
            if getrefcount(container) != OWNED_BY_PLACE:
                container = parent[where] = container.copy()
            if kind is dict:
                where = key if type(key) is str else key_text(key)
            elif type(key) is int and 0 <= key < len(container):
                where = key
            else:
                where = _list_position(container, key, names[level], site)
            parent = container
        elif kind is StructValue and names[level]:
            if getrefcount(container) != OWNED_BY_PLACE:
                container = parent[where] = StructValue(container.type, container.fields.copy())
            parent = own_fields(container)
            where = key
        else:
            raise _cannot_store(container, key, names[level], site)
    return parent, where


def own_fields(struct: StructValue) -> dict[str, Any]:
    """Give the fields of a struct value that has one owner, to be changed."""
    fields = struct.fields
    if getrefcount(fields) != OWNED_BY_PLACE:
        fields = struct.fields = fields.copy()
    return fields


def _list_position(container: list[Any], key: Any, named: bool, site: Site) -> int:
    if named or type(key) is not int:
        raise _cannot_store(container, key, named, site)
    if -len(container) <= key < len(container):
        return key
    error = runtime_error(f"Index {key} out of bounds for list of length {len(container)}")
    error.locate(site)
    raise error


def _cannot_store(container: Any, key: Any, named: bool, site: Site) -> HarnError:
    kind = type_of(container)
    if named:
        error = type_error(f"cannot set property `{key}` on {kind}")
    elif kind == "list":
        error = type_error(f"cannot index into list with {type_of(key)}")
    else:
        error = type_error(f"cannot assign by index into {kind}")
    error.locate(site)
    return error


share(
    OWNED_BY_PLACE=WRITTEN_BY_PLACE,
    StructValue=StructValue,
    grow_path=grow_path,
    own_fields=own_fields,
    read_path=read_path,
    store_path=store_path,
)

STATEMENT_EMITTERS: dict[type, Callable[[Builder, Any], None]] = {r.StorePath: _emit_store_path}

STATEMENTS: dict[type, Callable[[Compiler, Any], Run]] = {r.StorePath: blocks.standalone(_emit_store_path)}
