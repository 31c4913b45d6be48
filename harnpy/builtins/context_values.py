"""Values that a task hands down to the tasks that it starts (builtins 1.19)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.builtins.locations import project_root, root, source_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_VALUES = "context_values"


def runtime_context_values(ctx: Context) -> dict[str, Any]:
    """Give all values of the running task."""
    values: dict[str, Any] = ctx.scheduler.local(_VALUES, {})
    return values


def runtime_context(ctx: Context) -> dict[str, Any]:
    """Give where the run takes place, which task runs, and its values.

    ``{execution_root, project_root, source_dir, task_id, values}``.
    """
    task = ctx.scheduler.current
    return {
        "execution_root": root(ctx),
        "project_root": project_root(ctx),
        "source_dir": source_dir(ctx),
        "task_id": task.id,
        "values": runtime_context_values(ctx),
    }


def runtime_context_get(ctx: Context, key: Any = "", default: Any = None) -> Any:
    """Give the value of a key, or ``default``."""
    return runtime_context_values(ctx).get(text(key), default)


def runtime_context_set(ctx: Context, key: Any = "", value: Any = None) -> Any:
    """Set the value of a key; give the one before."""
    values, name = runtime_context_values(ctx), text(key)
    ctx.scheduler.set_local(_VALUES, {**values, name: value})
    return values.get(name)


def runtime_context_clear(ctx: Context, key: Any = "") -> Any:
    """Drop a key; give the value that it had."""
    values, name = runtime_context_values(ctx), text(key)
    ctx.scheduler.set_local(_VALUES, {other: value for other, value in values.items() if other != name})
    return values.get(name)
