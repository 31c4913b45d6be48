"""The stores below ``std/cache``: which one a place means, warnings, and values as JSON (builtins 4.2)."""

from __future__ import annotations

import os

from harnpy.builtins.file_access import absolute, allowed
from harnpy.builtins.locations import project_root, root, source_dir
from harnpy.errors import HarnError, type_error
from harnpy.events.redact import redact_known
from harnpy.runtime.values import INT_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from harnpy.runtime.context import Context

    class Store(Protocol):
        """Texts by namespace and key. An ``OSError`` means: this store cannot be used."""

        def get(self, namespace: str, key: str, now: int) -> str | None:
            """Give the living text of a key and refresh its recency."""

        def put(self, namespace: str, key: str, text: str, now: int, expires: int, most: int) -> None:
            """Keep a text, then drop what is dead and what is more than ``most`` entries."""

        def drop(self, namespace: str, key: str) -> None:
            """Forget one key."""

        def clear(self, namespace: str) -> None:
            """Forget a namespace."""


_DEFAULT_FILES = {"sqlite": "llm.sqlite", "fs": "llm"}


def _path(ctx: Context, place: dict[str, Any]) -> str:
    """Give the file or folder of a place; a relative one starts at the folder of the script."""
    given = place.get("path")
    if given is not None:
        return absolute(ctx, "write_text", os.path.join(source_dir(ctx), given))
    return os.path.join(project_root(ctx) or root(ctx), ".harn", "cache", _DEFAULT_FILES[place["backend"]])


def _make(ctx: Context, backend: str, path: str) -> Store:
    if backend == "mem":
        from harnpy.builtins.cache_memory import MemoryStore

        return MemoryStore()
    allowed(ctx, "write_text", path, write=True)
    if backend == "fs":
        from harnpy.builtins.cache_files import FileStore

        return FileStore(path)
    from harnpy.builtins.cache_sqlite import SqliteStore

    store = SqliteStore(path, lambda text: ctx.write_err(f"warning: {text}\n"))
    ctx.services.setdefault("at_end", []).append(store.close)
    return store


class Stores:
    """The stores of one run, by backend and path; a store that failed once stays out of use."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Store | None] = {}

    def use(self, ctx: Context, place: dict[str, Any], operation: str, *args: Any) -> tuple[bool, Any]:
        """Do an operation; ``(False, None)`` when the store cannot be used, with a warning the first time."""
        backend = place["backend"]
        path = place.get("path") or ""
        try:
            path = "" if backend == "mem" else _path(ctx, place)
            if (backend, path) not in self._known:
                self._known[backend, path] = _make(ctx, backend, path)
            store = self._known[backend, path]
            if store is None:
                return False, None
            return True, getattr(store, operation)(place["namespace"], *args)
        except (OSError, HarnError) as error:
            self._known[backend, path] = None
            reason = _reason(error)
            ctx.write_err(f"warning: the {backend} cache {path} is not used: {reason}\n")
            return False, None


def _reason(error: OSError | HarnError) -> str:
    if isinstance(error, HarnError):
        return str(error.value["message"] if type(error.value) is dict else error.value)
    return error.strerror or str(error)


def _stores(ctx: Context) -> Stores:
    stores: Stores | None = ctx.services.get("cache")
    if stores is None:
        stores = ctx.services["cache"] = Stores()
    return stores


def _checked(place: Any, key: str = "") -> str:
    """Check what std/cache gives, and give the key as text that every store can keep."""
    if type(place) is not dict or type(place.get("namespace")) is not str or type(key) is not str:
        raise type_error("the arguments of a cache store are a place and a key")
    if place.get("backend") not in ("mem", *_DEFAULT_FILES) or type(place.get("path", "")) not in (str, type(None)):
        raise type_error("a cache store has a backend and a path")
    return _sound(key)


def _sound(text: str) -> str:
    """Replace what is no character: half a surrogate pair, out of a file name or an argument that is not UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def read(ctx: Context, place: Any = None, key: Any = None) -> dict[str, Any]:
    """``__cache_read``: give ``{hit: true, value}`` or ``{hit: false}``; a damaged entry is removed."""
    from harnpy.builtins.json_reading import parse

    key = _checked(place, key)
    _, text = _stores(ctx).use(ctx, place, "get", key, ctx.clock.now_ms())
    if text is None:
        return {"hit": False}
    try:
        return {"hit": True, "value": parse(text)}
    except HarnError:
        _stores(ctx).use(ctx, place, "drop", key)
        return {"hit": False}


def write(
    ctx: Context, place: Any = None, key: Any = None, value: Any = None, ttl_seconds: Any = 0, max_entries: Any = 1
) -> bool:
    """``__cache_write``: keep a value; false when the store cannot be used."""
    from harnpy.builtins.json_writing import compact_json

    key = _checked(place, key)
    if type(ttl_seconds) is not int or type(max_entries) is not int:
        raise type_error("a cache store keeps ints as limits")
    text = _sound(compact_json(value))
    if place["backend"] != "mem":
        # What stays after the run holds no key, whatever an answer said.
        text = redact_known(text)
    now = ctx.clock.now_ms()
    # The moment of expiry must fit into 64 bits, in SQLite too.
    expires = min(now + ttl_seconds * 1000, INT_MAX)
    return _stores(ctx).use(ctx, place, "put", key, text, now, expires, max_entries)[0]


def clear(ctx: Context, place: Any = None) -> None:
    """``__cache_erase``: forget a namespace."""
    _checked(place)
    _stores(ctx).use(ctx, place, "clear")
