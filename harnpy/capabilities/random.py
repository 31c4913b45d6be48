"""Methods of ``harness.random`` that no global has (builtins 3.3). They draw from the run's generator."""

from __future__ import annotations

from harnpy.errors import type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

MAX_BYTES = 1024


def f64(ctx: Context) -> float:
    """Draw a float from 0 up to, but without, 1."""
    draw: float = ctx.random.random()
    return draw


def u64(ctx: Context) -> int:
    """Draw an int from 0 to 2^63-1, both included."""
    bits: int = ctx.random.getrandbits(63)
    return bits


def inclusive_range(ctx: Context, low: Any = None, high: Any = None) -> int | None:
    """Draw an int between both bounds, bounds included; nil when they are the wrong way round."""
    for bound, word in ((low, "min"), (high, "max")):
        if type(bound) is not int:
            raise type_error(f"HarnessRandom.range expects an integer {word} argument")
    if low > high:
        return None
    drawn: int = ctx.random.randint(low, high)
    return drawn


def random_bytes(ctx: Context, count: Any = None) -> bytes:
    """Draw ``count`` random bytes, from 1 to 1024. Errors: throws for another count."""
    if type(count) is not int or not 1 <= count <= MAX_BYTES:
        raise type_error("HarnessRandom.bytes expects a length from 1 through 1024")
    drawn: bytes = ctx.random.randbytes(count)
    return drawn
