"""The persistent key-value store of a project (builtins 1.15)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.builtins.file_access import Place, locate, read_bytes, write_bytes
from harnpy.builtins.locations import state_root
from harnpy.errors import HarnError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def _place(ctx: Context, method: str, write: bool) -> Place:
    """Give the place of the store: ``store.json`` in the state directory of the project."""
    return locate(ctx, method, f"{state_root(ctx)}/store.json", write=write)


def _entries(ctx: Context) -> dict[str, Any]:
    """Give the entries; a file that cannot be read counts as empty."""
    known: dict[str, Any] | None = ctx.services.get("store")
    if known is not None:
        return known
    from harnpy.builtins.json_reading import parse

    place = _place(ctx, "read_text", write=False)
    try:
        found = parse(read_bytes(ctx, place).decode("utf-8"))
    except (OSError, UnicodeDecodeError, HarnError):
        found = {}
    entries = ctx.services["store"] = found if type(found) is dict else {}
    return entries


def _save(ctx: Context, entries: dict[str, Any]) -> None:
    import os

    from harnpy.builtins.directories import mkdir
    from harnpy.builtins.json_writing import pretty_json

    place = _place(ctx, "write_text", write=True)
    shown = pretty_json(entries).encode("utf-8")
    try:
        mkdir(ctx, state_root(ctx))
    except HarnError as error:
        if type(error.value) is not str:
            raise
        raise runtime_error(f"store mkdir error: {error.value.rpartition(': ')[2]}") from None
    beside = place.sibling(f".{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        write_bytes(beside, shown)
        with beside, place:
            os.replace(beside.name, place.name, src_dir_fd=beside.folder, dst_dir_fd=place.folder)
    except OSError as error:
        raise runtime_error(f"store write error: {error.strerror}") from None
    ctx.services["store"] = entries


def _storable(value: Any) -> Any:
    """Give what a value is after it was written and read: functions and handles become nil."""
    from harnpy.builtins.json_reading import parse
    from harnpy.builtins.json_writing import compact_json

    return parse(compact_json(value))


def store_get(ctx: Context, key: Any = "") -> Any:
    """Give the value of a key of the store (``.harn/store.json`` of the project), or nil."""
    return _entries(ctx).get(text(key))


def store_set(ctx: Context, key: Any = "", value: Any = None) -> None:
    """Put a value under a key of the store and save; functions and handles become nil."""
    _save(ctx, {**_entries(ctx), text(key): _storable(value)})


def store_delete(ctx: Context, key: Any = "") -> None:
    """Drop a key of the store and save."""
    name = text(key)
    entries = _entries(ctx)
    if name in entries:
        _save(ctx, {other: value for other, value in entries.items() if other != name})


def store_clear(ctx: Context) -> None:
    """Drop all keys of the store and save."""
    if _entries(ctx):
        _save(ctx, {})


def store_save(ctx: Context) -> None:
    """Write the store to its file; the other functions do so by themselves."""
    _save(ctx, _entries(ctx))


def store_list(ctx: Context) -> list[Any]:
    """Give the keys of the store, sorted."""
    return sorted(_entries(ctx))
