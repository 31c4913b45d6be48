"""``harness.tools``: the bound registry of the scope, by name (builtins 3.6)."""

from __future__ import annotations

from harnpy.errors import HarnError, thrown_text, type_error
from harnpy.runtime.calls import call
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def _entries(ctx: Context) -> list[dict[str, Any]]:
    """Give the entries of the registry that ``tool_bind`` made current."""
    registry = ctx.scheduler.local("tool_registry")
    return [] if registry is None else [entry for entry in registry.get("tools", ()) if type(entry) is dict]


def list_registered(ctx: Context) -> list[Any]:
    """Give the entries of the tools that ``tool_bind`` made current, without their handlers."""
    return [{key: value for key, value in entry.items() if key != "handler"} for entry in _entries(ctx)]


def invoke(ctx: Context, name: Any = None, args: Any = None) -> Any:
    """Call the handler of a bound tool with a dict of arguments, and give its value.

    Errors: throws a text when there is no such tool or it has no handler; a throw of the handler passes through.
    """
    if type(name) is not str:
        raise type_error(f"HarnessTools.invoke expects string argument 1, got {type_of(name)}")
    for entry in _entries(ctx):
        if entry.get("name") == name:
            if entry.get("handler") is None:
                raise thrown_text(f'HarnessTools.invoke: tool "{name}" has no handler here')
            return call(ctx, entry["handler"], [{} if args is None else args])
    raise _unknown(ctx, name)


def _unknown(ctx: Context, name: str) -> HarnError:
    names = sorted(str(entry.get("name")) for entry in _entries(ctx))
    listed = ", ".join(names) if names else "(none registered)"
    return thrown_text(f'HarnessTools.invoke: unknown tool "{name}". Registered tools: {listed}')
