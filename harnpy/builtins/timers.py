"""Timers that print how long something took (builtins 1.12)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def timer_start(ctx: Context, name: Any = "default") -> dict[str, Any]:
    """Start a timer: ``{name, start_ms}``, for ``timer_end``."""
    return {"name": text(name), "start_ms": ctx.clock.monotonic_ms()}


def timer_end(ctx: Context, timer: Any = None) -> int:
    """Print ``[timer] <name>: <ms>ms`` and give the ms since a timer was started. Errors: throws a text for another
    dict.
    """
    if type(timer) is not dict or type(timer.get("start_ms")) is not int:
        raise thrown_text("timer_end: argument must be a timer dict from timer_start")
    passed: int = ctx.clock.monotonic_ms() - timer["start_ms"]
    ctx.write_out(f"[timer] {text(timer.get('name', 'default'))}: {passed}ms\n")
    return passed
