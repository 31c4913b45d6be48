"""Binding of values to names: targets, and the destructuring patterns of language 4.4."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site, type_error
from harnpy.runtime import blocks
from harnpy.runtime.templates import share
from harnpy.runtime.values import Pair, StructValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.templates import Builder

    Store = Callable[[list[Any], Any], None]


# --- targets ----------------------------------------------------------------------------------


def declare(compiler: Compiler, target: r.Target) -> Store:
    """Give the function that declares ``target`` with a value: a boxed slot gets a fresh cell."""
    if type(target) is r.ToLocal:
        slot = target.slot
        return _boxed(slot) if target.boxed else _plain(slot)
    if type(target) is r.ToGlobal:
        return _global(compiler.cell(target.name))
    return _nowhere


def _plain(slot: int) -> Store:
    def store(frame: list[Any], value: Any) -> None:
        frame[slot] = value

    return store


def _boxed(slot: int) -> Store:
    def store(frame: list[Any], value: Any) -> None:
        frame[slot] = [value]

    return store


def _global(cell: list[Any]) -> Store:
    def store(frame: list[Any], value: Any) -> None:
        cell[0] = value

    return store


def _nowhere(frame: list[Any], value: Any) -> None:
    """Drop the value of ``_``."""


def emit_declare(b: Builder, target: r.Target, value: str) -> None:
    """Write the declaration of ``target`` with the value of the expression ``value``."""
    if type(target) is r.ToLocal:
        b.line(f"f[{b.bind(target.slot)}] = [{value}]" if target.boxed else f"f[{b.bind(target.slot)}] = {value}")
    elif type(target) is r.ToGlobal:
        b.line(f"{b.bind(b.compiler.cell(target.name))}[0] = {value}")
    else:
        b.line(value)


# --- patterns ---------------------------------------------------------------------------------


def emit_destructure(b: Builder, pattern: r.Pattern, value: str) -> None:
    """Write the binding of the names in ``pattern`` to the parts of the variable ``value``."""
    kind = type(pattern)
    if kind is r.PName:
        emit_declare(b, pattern.target, value)  # type: ignore[attr-defined]
        return
    site = b.bind(b.compiler.site(pattern))
    if kind is r.PDict:
        _emit_dict(b, pattern, value, site)  # type: ignore[arg-type]
    elif kind is r.PList:
        _emit_list(b, pattern, value, site)  # type: ignore[arg-type]
    else:
        _emit_pair(b, pattern, value, site)  # type: ignore[arg-type]


def _emit_dict(b: Builder, pattern: r.PDict, value: str, site: str) -> None:
    fields = b.temp()
    b.line(f"{fields} = {value} if type({value}) is dict else fields_of({value}, {site})")
    for key, target, default in pattern.fields:
        _emit_part(b, f"{fields}.get({b.bind(key)})", target, default)
    if pattern.rest is not None:
        taken = frozenset([key for key, _, _ in pattern.fields])
        emit_declare(b, pattern.rest, f"without({fields}, {b.bind(taken)})")


def _emit_list(b: Builder, pattern: r.PList, value: str, site: str) -> None:
    b.line(f"if type({value}) is not list: raise not_a_list({value}, {site})")
    for position, (target, default) in enumerate(pattern.items):
        _emit_part(b, f"{value}[{position}] if len({value}) > {position} else None", target, default)
    if pattern.rest is not None:
        emit_declare(b, pattern.rest, f"{value}[{len(pattern.items)}:]")


def _emit_part(b: Builder, value: str, target: r.Target, default: r.Expr | None) -> None:
    """Write the binding of one name; the default stands in for nil."""
    if default is None:
        emit_declare(b, target, value)
        return
    part = b.temp()
    b.line(f"{part} = {value}")
    blocks.suite(b, f"if {part} is None:", lambda: b.line(f"{part} = {b.value(default)}"))
    emit_declare(b, target, part)


def _emit_pair(b: Builder, pattern: r.PPair, value: str, site: str) -> None:
    b.line(f"if type({value}) is not Pair: raise not_a_pair({value}, {site})")
    emit_declare(b, pattern.first, f"{value}.first")
    emit_declare(b, pattern.second, f"{value}.second")


# --- run-time support -------------------------------------------------------------------------


def fields_of(value: Any, site: Site) -> dict[str, Any]:
    """Give the fields that a dict pattern takes apart: those of a struct value."""
    if type(value) is StructValue:
        return value.fields
    error = type_error(f"cannot destructure {type_of(value)} with {{...}} pattern — expected dict")
    error.locate(site)
    raise error


def not_a_list(value: Any, site: Site) -> HarnError:
    """Make the error of a list pattern on another value."""
    error = type_error(f"cannot destructure {type_of(value)} with [...] pattern — expected list")
    error.locate(site)
    return error


def not_a_pair(value: Any, site: Site) -> HarnError:
    """Make the error of a pair pattern on another value."""
    error = type_error(f"cannot access property `first` on {type_of(value)}")
    error.locate(site)
    return error


def without(fields: dict[str, Any], taken: frozenset[str]) -> dict[str, Any]:
    """Give the entries whose keys are not in ``taken``."""
    return {key: value for key, value in fields.items() if key not in taken}


share(Pair=Pair, fields_of=fields_of, not_a_list=not_a_list, not_a_pair=not_a_pair, without=without)
