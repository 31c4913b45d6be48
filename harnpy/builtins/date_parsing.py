"""``date_parse``: dates out of texts (builtins 1.12)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from harnpy.builtins.arguments import text
from harnpy.builtins.dates import timestamp_of
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DATE_TIME = re.compile(
    r"(\d{1,4})-(\d{1,2})-(\d{1,2})[T ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(\.\d+)?)?(?:(Z)|([+-])(\d\d):?(\d\d))?",
    re.ASCII | re.IGNORECASE,
)
_DATE = re.compile(r"(\d{1,4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_GROUPS = re.compile(r"\d+", re.ASCII)

_LIMITS = (("month", 1, 12), ("day", 1, 31), ("hour", 0, 23), ("minute", 0, 59), ("second", 0, 59))


def date_parse(value: Any = "") -> int | float:
    """Give the Unix seconds of a date; without an offset it is taken as UTC.

    It reads RFC 3339, ``Y-M-D H:M:S``, ``Y-M-D``, and at last any text with at least three numbers in that order.
    Errors: throws ``Cannot parse date: <text>``, or which part is out of its range.
    """
    source = text(value)
    trimmed = source.strip()
    match = _DATE_TIME.fullmatch(trimmed)
    if match:
        parts = [int(part or 0) for part in match.groups()[:6]]
        micros = round(float(match[7] or 0) * 1_000_000)
        sign = -1 if match[9] == "-" else 1
        offset = timedelta(hours=int(match[10] or 0), minutes=int(match[11] or 0)) * sign
        return _checked(parts, micros, offset)
    match = _DATE.fullmatch(trimmed)
    if match:
        return _checked([int(part) for part in match.groups()])
    groups = [int(group[:9]) for group in _GROUPS.findall(source)[:6]]
    if len(groups) < 3:
        raise thrown_text(f"Cannot parse date: {source}")
    return _checked(groups)


def _checked(parts: list[int], micros: int = 0, offset: timedelta = timedelta()) -> int | float:
    parts = parts + [0] * (6 - len(parts))
    for (name, low, high), part in zip(_LIMITS, parts[1:], strict=True):
        if not low <= part <= high:
            raise thrown_text(f"Invalid {name}: {part} (must be {low}-{high})")
    year, month, day, hour, minute, second = parts
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        return timestamp_of(moment + timedelta(microseconds=micros) - offset)
    except (ValueError, OverflowError):
        raise thrown_text(f"Invalid date: {year:04d}-{month:02d}-{day:02d}") from None
