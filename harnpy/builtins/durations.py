"""Durations (builtins 1.12)."""

from __future__ import annotations

import math

from harnpy.errors import thrown_text
from harnpy.runtime.values import Duration, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _make(name: str, amount: Any, unit: int) -> Duration:
    if type(amount) is not int and type(amount) is not float:
        raise thrown_text(f"{name}: expected number, got {type_of(amount)}")
    exact = amount * unit
    if not abs(exact) < 2**63:
        raise thrown_text(f"{name}: duration overflow")
    if type(exact) is int:
        return Duration(exact)
    # Halves of a millisecond go away from zero.
    whole = math.floor(abs(exact) + 0.5)
    return Duration(whole if exact >= 0 else -whole)


def duration_ms(amount: Any = None) -> Duration:
    """Make a duration of so many milliseconds. Errors: throws when ``amount`` is no number or too large."""
    return _make("duration_ms", amount, 1)


def duration_seconds(amount: Any = None) -> Duration:
    """Make a duration of so many seconds. Errors: as ``duration_ms``."""
    return _make("duration_seconds", amount, 1000)


def duration_minutes(amount: Any = None) -> Duration:
    """Make a duration of so many minutes. Errors: as ``duration_ms``."""
    return _make("duration_minutes", amount, 60_000)


def duration_hours(amount: Any = None) -> Duration:
    """Make a duration of so many hours. Errors: as ``duration_ms``."""
    return _make("duration_hours", amount, 3_600_000)


def duration_days(amount: Any = None) -> Duration:
    """Make a duration of so many days of 24 hours. Errors: as ``duration_ms``."""
    return _make("duration_days", amount, 86_400_000)


def duration_to_seconds(duration: Any = None) -> int:
    """Give the whole seconds of a duration, truncated toward zero. Errors: throws when it is none."""
    if type(duration) is not Duration:
        raise thrown_text(f"duration_to_seconds: expected duration, got {type_of(duration)}")
    seconds = abs(duration.ms) // 1000
    return seconds if duration.ms >= 0 else -seconds


_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms"))


def duration_to_human(duration: Any = None) -> str:
    """Give at most three of days, hours, minutes, seconds and ms, the largest first: ``1h 2m 3s``."""
    if type(duration) is not Duration:
        raise thrown_text(f"duration_to_human: expected duration, got {type_of(duration)}")
    rest = abs(duration.ms)
    parts = []
    for size, name in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{name}")
    return ("-" if duration.ms < 0 else "") + " ".join(parts[:3]) if parts else "0s"
