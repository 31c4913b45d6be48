"""The current tool registry of a task, and names looked up in it (builtins 1.18)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.builtins.tools import entries_of, entry_name
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_BOUND = "tool_registry"


def tool_bind(ctx: Context, registry: Any = None) -> Any:
    """Make a registry the current one, or none; gives the registry back."""
    if registry is not None:
        entries_of("tool_bind", registry)
    ctx.scheduler.set_local(_BOUND, registry)
    return registry


def _found(ctx: Context, function: str, name: Any) -> dict[str, Any]:
    registry = ctx.scheduler.local(_BOUND)
    entries = [] if registry is None else entries_of(function, registry)
    for entry in entries:
        if entry_name(entry) == text(name):
            return entry  # type: ignore[no-any-return]
    names = ", ".join(sorted([text(entry_name(entry)) for entry in entries])) or "(none registered)"
    raise thrown_text(f'{function}: unknown tool "{text(name)}". Registered tools: {names}')


def tool_ref(ctx: Context, name: Any = "") -> str:
    """Give the name of a tool of the current registry, which must have it."""
    return text(_found(ctx, "tool_ref", name)["name"])


def tool_def(ctx: Context, name: Any = "") -> dict[str, Any]:
    """Give the entry of a tool of the current registry, which must have it."""
    return _found(ctx, "tool_def", name)
