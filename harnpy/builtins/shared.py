"""Shared cells and maps: named state of a run with versions and compare-and-set (builtins 1.13)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.builtins.context_values import runtime_context_get
from harnpy.errors import runtime_error
from harnpy.runtime.convert import key_text
from harnpy.runtime.equality import equal
from harnpy.runtime.values import Value, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_SCOPES = ("task", "task_group", "workflow_run", "agent_session", "tenant", "process")
_DEFAULT_SCOPE = "task_group"


class Shared(Value):
    """Base of shared state; ``version`` counts the writes."""

    __slots__ = ("conflicts", "key", "reads", "scope", "value", "version")

    def __init__(self, scope: str, key: str, value: Any) -> None:
        self.scope = scope
        self.key = key
        self.value = value
        self.version = 0
        self.reads = 0
        self.conflicts = 0

    def read(self) -> Any:
        """Give the value."""
        self.reads += 1
        return self.value

    def write(self, value: Any) -> Any:
        """Replace the value; give the previous one."""
        previous = self.value
        self.value = value
        self.version += 1
        return previous

    def display_text(self) -> str:
        """Give the display form."""
        return f"<{self.type_name}:{self.key}>"


class SharedCell(Shared):
    """One value."""

    __slots__ = ()
    type_name = "shared_cell"


class SharedMap(Shared):
    """A dict."""

    __slots__ = ()
    type_name = "shared_map"


def _open(ctx: Context, name: str, kind: type[Shared], options: Any, initial: Any) -> Any:
    if type(options) is not dict:
        options = {"key": options, "initial": initial}
    key = options.get("key", options.get("name"))
    if key is None:
        raise runtime_error(f"{name}: key/name is required")
    scope = options.get("scope") or _DEFAULT_SCOPE
    state: dict[Any, Shared] = ctx.services.setdefault("shared", {})
    place = (kind, _scope_id(ctx, name, scope, options), key_text(key))
    if place not in state:
        state[place] = kind(text(scope), key_text(key), options.get("initial", initial))
    return state[place]


def _scope_id(ctx: Context, name: str, scope: Any, options: dict[str, Any]) -> str:
    if scope not in _SCOPES:
        raise runtime_error(f"{name}: unknown scope '{text(scope)}', expected one of {', '.join(_SCOPES)}")
    if scope == "task":
        return f"task:{ctx.scheduler.current.id}"
    if scope == "tenant":
        tenant = options.get("tenant_id")
        if tenant is None:
            tenant = runtime_context_get(ctx, "tenant_id")
        if tenant is None:
            raise runtime_error(f"{name}: tenant scope requires tenant_id in options or runtime context")
        return f"tenant:{text(tenant)}"
    return f"{scope}:main"


def _handle(name: str, kind: type[Shared], value: Any) -> Any:
    if type(value) is not kind:
        raise runtime_error(f"{name}: first argument must be a {kind.type_name}, got {type_of(value)}")
    return value


def shared_cell(ctx: Context, options: Any = None, initial: Any = None) -> SharedCell:
    """Open the cell that ``{scope?, key, initial?}`` names; it is made when it is new.

    ``scope`` is ``task``, ``task_group`` (default), ``workflow_run``, ``agent_session``, ``tenant`` or ``process``.
    Errors: throws without a key, and for a scope that is not there.
    """
    cell: SharedCell = _open(ctx, "shared_cell", SharedCell, options, initial)
    return cell


def shared_get(cell: Any = None) -> Any:
    """Give the value of a cell that ``shared_cell`` opened."""
    return _handle("shared_get", SharedCell, cell).read()


def shared_set(cell: Any = None, value: Any = None) -> Any:
    """Write the value of a cell; gives the previous one."""
    return _handle("shared_set", SharedCell, cell).write(value)


def shared_snapshot(cell: Any = None) -> dict[str, Any]:
    """Give the value of a cell with its version: ``{value, version, ...}``, for ``shared_cas``."""
    return _snapshot(_handle("shared_snapshot", SharedCell, cell))


def _snapshot(state: Shared) -> dict[str, Any]:
    return {"key": state.key, "scope": state.scope, "value": state.read(), "version": state.version}


def shared_cas(cell: Any = None, expected: Any = None, value: Any = None) -> bool:
    """Write a cell if it still has the expected value, or was not written since the given snapshot; tells whether."""
    state = _handle("shared_cas", SharedCell, cell)
    if type(expected) is dict and {"value", "version"} <= expected.keys():
        fits: bool = expected["version"] == state.version
    else:
        fits = equal(state.value, expected)
    if fits:
        state.write(value)
    else:
        state.conflicts += 1
    return fits


def shared_map(ctx: Context, options: Any = None, initial: Any = None) -> SharedMap:
    """Open the map that ``{scope?, key, initial?}`` names; it is made when it is new. Scopes: as ``shared_cell``."""
    state: SharedMap = _open(ctx, "shared_map", SharedMap, options, initial)
    if type(state.value) is not dict:
        state.value = {}
    return state


def shared_map_get(state: Any = None, key: Any = None, default: Any = None) -> Any:
    """Give the value under ``key`` of a map that ``shared_map`` opened, or the default."""
    return _handle("shared_map_get", SharedMap, state).read().get(key_text(key), default)


def shared_map_set(state: Any = None, key: Any = None, value: Any = None) -> Any:
    """Write the value under ``key`` of a map; gives the previous one."""
    return _put(_handle("shared_map_set", SharedMap, state), key_text(key), value)


def _put(state: SharedMap, key: str, value: Any) -> Any:
    return state.write({**state.value, key: value}).get(key)


def shared_map_delete(state: Any = None, key: Any = None) -> bool:
    """Remove a key of a map; tells whether it was there."""
    found = _handle("shared_map_delete", SharedMap, state)
    name = key_text(key)
    if name not in found.value:
        return False
    found.write({other: value for other, value in found.value.items() if other != name})
    return True


def shared_map_cas(state: Any = None, key: Any = None, expected: Any = None, value: Any = None) -> bool:
    """Write under ``key`` if the value there is the expected one (nil: none)."""
    found = _handle("shared_map_cas", SharedMap, state)
    name = key_text(key)
    if not equal(found.value.get(name), expected):
        found.conflicts += 1
        return False
    _put(found, name, value)
    return True


def shared_map_snapshot(state: Any = None) -> dict[str, Any]:
    """Give the whole map with its version: ``{value, version, ...}``."""
    return _snapshot(_handle("shared_map_snapshot", SharedMap, state))


def shared_map_entries(state: Any = None) -> list[dict[str, Any]]:
    """Give the entries of a map as ``{key, value}``, in the order of the keys."""
    items = _handle("shared_map_entries", SharedMap, state).read()
    return [{"key": key, "value": items[key]} for key in sorted(items)]


def shared_metrics(ctx: Context, state: Any = None) -> Any:
    """Give the counts of one shared state, or of all as a list."""
    if isinstance(state, Shared):
        return _metrics(state)
    return [_metrics(found) for found in ctx.services.get("shared", {}).values()]


def _metrics(state: Shared) -> dict[str, Any]:
    return {
        "conflicts": state.conflicts,
        "key": state.key,
        "kind": state.type_name,
        "reads": state.reads,
        "scope": state.scope,
        "version": state.version,
        "writes": state.version,
    }


def shared_scope_id(ctx: Context, scope: Any = None, options: Any = None) -> str:
    """Give the id behind a scope: state of equal ids and keys is the same."""
    return _scope_id(ctx, "shared_scope_id", scope or _DEFAULT_SCOPE, options if type(options) is dict else {})
