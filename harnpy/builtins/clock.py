"""Reading, waiting for and mocking the clock (builtins 1.12, 1.21)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.runtime.values import Duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def timestamp(ctx: Context) -> float:
    """Give the Unix time in seconds."""
    return ctx.clock.timestamp()


def now_ms(ctx: Context) -> int:
    """Give the Unix time in ms."""
    return ctx.clock.now_ms()


def monotonic_ms(ctx: Context) -> int:
    """Give the ms since the interpreter started, or since the clock was mocked."""
    return ctx.clock.monotonic_ms()


def sleep(ctx: Context, length: Any = None) -> None:
    """Wait an int of ms or a duration; anything else, and what is not positive, returns at once.

    Effects: other tasks run meanwhile; on a virtual clock it takes no time. A deadline or a cancellation ends the
    wait.
    """
    if type(length) is Duration:
        length = length.ms
    if type(length) is int:
        ctx.scheduler.sleep(length)


def mock_time(ctx: Context, wall_ms: Any = None) -> None:
    """Fix the wall clock at ``wall_ms`` (ms since 1970), and let time move only by waiting and ``advance_time``.

    When every task waits, the clock jumps to the next timer. Errors: throws a text when ``wall_ms`` is no int.
    """
    if type(wall_ms) is not int:
        raise thrown_text("mock_time(ms): expected an integer millisecond timestamp")
    ctx.clock.mock(wall_ms)


def advance_time(ctx: Context, ms: Any = None) -> int:
    """Move the mocked clock on by so many ms; give the new wall time in ms. Errors: throws a text without
    ``mock_time``.
    """
    if not ctx.clock.virtual:
        raise thrown_text("advance_time: no mock active. Call mock_time(ms) first.")
    if type(ms) is Duration:
        ms = ms.ms
    if type(ms) is not int:
        raise thrown_text("advance_time(ms): expected an integer number of milliseconds")
    ctx.clock.advance(ms)
    return ctx.clock.now_ms()


def unmock_time(ctx: Context) -> None:
    """Go back to real time."""
    ctx.clock.unmock()
