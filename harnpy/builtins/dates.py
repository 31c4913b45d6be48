"""Dates and times of day (builtins 1.12)."""

from __future__ import annotations

import calendar
import math
from datetime import UTC, datetime, timedelta, tzinfo

from harnpy.builtins.arguments import ABSENT, text
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.values import Duration, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso_text(ms: int) -> str:
    """Give Unix milliseconds as RFC 3339 with milliseconds, in UTC."""
    try:
        moment = _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        raise thrown_text("date_iso: timestamp out of range") from None
    return _formatted(moment, "%Y-%m-%dT%H:%M:%S.%3f") + "Z"


def seconds_of(value: Any, name: str) -> int | float:
    """Read a timestamp argument: a number of seconds, or a dict with ``timestamp``."""
    given = value.get("timestamp") if type(value) is dict else value
    if type(given) is not int and type(given) is not float:
        raise thrown_text(f"{name}: expected timestamp number or date dict, got {type_of(value)}")
    return given


def _moment(name: str, seconds: int | float) -> datetime:
    if not math.isfinite(seconds):
        raise thrown_text(f"{name}: timestamp out of range")
    micros = round(seconds * 1_000_000)
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        raise thrown_text(f"{name}: timestamp out of range") from None


def timestamp_of(moment: datetime) -> int | float:
    """Give Unix seconds: an int when they are whole."""
    span = moment - _EPOCH
    whole = span.days * 86_400 + span.seconds
    return whole + span.microseconds / 1_000_000 if span.microseconds else whole


def zone_of(name: str, zone: Any) -> tzinfo:
    """Find a time zone by its IANA name."""
    from zoneinfo import ZoneInfo

    wanted = text(zone)
    if wanted.upper() in ("UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(wanted)
    except (KeyError, ValueError, OSError):
        raise thrown_text(f"{name}: unknown timezone '{wanted}'") from None


def _in_zone(name: str, value: Any, zone: Any) -> datetime:
    moment = _moment(name, seconds_of(value, name))
    if zone is ABSENT or zone is None:
        return moment
    target = zone_of(name, zone)
    try:
        return moment.astimezone(target)
    except OverflowError:
        raise thrown_text(f"{name}: timestamp out of range") from None


def date_iso(ctx: Context) -> str:
    """Give the present moment as RFC 3339 with milliseconds."""
    return iso_text(ctx.clock.now_ms())


def date_now(ctx: Context) -> dict[str, Any]:
    """Give the fields of the present moment in UTC.

    ``{year, month, day, hour, minute, second, weekday, timestamp, iso8601}``; ``weekday`` is 0 on Sundays.
    """
    ms = ctx.clock.now_ms()
    moment = _moment("date_now", ms / 1000)
    return _fields(moment) | {"timestamp": timestamp_of(moment), "iso8601": iso_text(ms)}


def _fields(moment: datetime) -> dict[str, Any]:
    return {
        "year": moment.year,
        "month": moment.month,
        "day": moment.day,
        "hour": moment.hour,
        "minute": moment.minute,
        "second": moment.second,
        "weekday": moment.isoweekday() % 7,
    }


def _offset(moment: datetime) -> int:
    offset = moment.utcoffset()
    return 0 if offset is None else offset.days * 86_400 + offset.seconds


def _offset_text(moment: datetime, colon: str) -> str:
    seconds = _offset(moment)
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02d}{colon}{minutes:02d}"


def _rfc3339(moment: datetime) -> str:
    fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
    return _formatted(moment, "%Y-%m-%dT%H:%M:%S") + fraction + _offset_text(moment, ":")


_CODES: dict[str, Any] = {
    "Y": lambda m: f"{m.year:04d}",
    "F": lambda m: f"{m.year:04d}-{m.month:02d}-{m.day:02d}",
    "T": lambda m: f"{m.hour:02d}:{m.minute:02d}:{m.second:02d}",
    "R": lambda m: f"{m.hour:02d}:{m.minute:02d}",
    "D": lambda m: f"{m.month:02d}/{m.day:02d}/{m.year % 100:02d}",
    "e": lambda m: f"{m.day:2d}",
    "k": lambda m: f"{m.hour:2d}",
    "l": lambda m: f"{m.hour % 12 or 12:2d}",
    "P": lambda m: "am" if m.hour < 12 else "pm",
    "p": lambda m: "AM" if m.hour < 12 else "PM",
    "C": lambda m: f"{m.year // 100:02d}",
    "h": lambda m: calendar.month_abbr[m.month],
    "b": lambda m: calendar.month_abbr[m.month],
    "B": lambda m: calendar.month_name[m.month],
    "a": lambda m: calendar.day_abbr[m.weekday()],
    "A": lambda m: calendar.day_name[m.weekday()],
    "f": lambda m: f"{m.microsecond * 1000:09d}",
    "s": lambda m: str(math.floor(timestamp_of(m))),
    "z": lambda m: _offset_text(m, ""),
    "Z": lambda m: "UTC" if m.tzinfo is UTC else m.tzname() or "",
    "n": lambda m: "\n",
    "t": lambda m: "\t",
    "%": lambda m: "%",
}
_PLAIN_CODES = "dHIjmMSuUVwWyG"


def _formatted(moment: datetime, template: str) -> str:
    parts = []
    at = 0
    while (percent := template.find("%", at)) >= 0:
        parts.append(template[at:percent])
        piece, at = _code(moment, template, percent)
        parts.append(piece)
    return "".join(parts) + template[at:]


def _code(moment: datetime, template: str, percent: int) -> tuple[str, int]:
    """Give what one code stands for, and the place behind it; an unknown code is text."""
    if template.startswith("%:z", percent):
        return _offset_text(moment, ":"), percent + 3
    for size in (3, 6, 9):
        if template.startswith(f"%{size}f", percent):
            return f"{moment.microsecond * 1000:09d}"[:size], percent + 3
    letter = template[percent + 1 : percent + 2]
    if letter in _CODES:
        return _CODES[letter](moment), percent + 2
    if letter and letter in _PLAIN_CODES:
        return moment.strftime("%" + letter), percent + 2
    return "%", percent + 1


def date_format(value: Any = None, template: Any = ABSENT, zone: Any = ABSENT) -> str:
    """Write a moment (Unix seconds, or a dict with ``timestamp``) by a template of strftime codes such as
    ``%Y-%m-%d``.

    Errors: throws a text for an unknown time zone or what is no moment.
    """
    moment = _in_zone("date_format", value, zone)
    given = template is not ABSENT and template is not None
    return _formatted(moment, text(template) if given else "%Y-%m-%d %H:%M:%S")


def _need_zone(name: str, zone: Any) -> Any:
    if zone is ABSENT or zone is None:
        raise thrown_text(f"{name}: missing timezone argument")
    return zone


def date_in_zone(value: Any = None, zone: Any = ABSENT) -> dict[str, Any]:
    """Give the local fields of a moment in a time zone such as ``Europe/Berlin``.

    Those of ``date_now`` and ``zone``, ``offset_seconds``. Errors: throws a text for an unknown zone.
    """
    moment = _in_zone("date_in_zone", value, _need_zone("date_in_zone", zone))
    return _fields(moment) | {
        "zone": text(zone),
        "offset_seconds": _offset(moment),
        "timestamp": timestamp_of(moment),
        "iso8601": _rfc3339(moment),
    }


def date_to_zone(value: Any = None, zone: Any = ABSENT) -> str:
    """Give a moment as RFC 3339 with the offset of a time zone. Errors: throws a text for an unknown zone."""
    return _rfc3339(_in_zone("date_to_zone", value, _need_zone("date_to_zone", zone)))


def date_from_components(parts: Any = None, zone: Any = "UTC") -> int | float:
    """Give the Unix seconds of local fields ``{year, month, day, hour?, minute?, second?}``; of an ambiguous time the
    earlier.

    Errors: throws a text for a missing field, and for a time that does not exist in that zone.
    """
    name = "date_from_components"
    if type(parts) is not dict:
        raise thrown_text(f"{name}: expected dict, got {type_of(parts)}")
    target = zone_of(name, zone)
    year, month, day, hour, minute, second = [_component(name, parts, key) for key in _COMPONENTS]
    try:
        local = datetime(year, month, day, hour, minute, second, tzinfo=target)
        moment = local.astimezone(UTC)
    except (ValueError, OverflowError):
        raise thrown_text(f"{name}: invalid date or time") from None
    if moment.astimezone(target).replace(tzinfo=None) != local.replace(tzinfo=None):
        raise thrown_text(f"{name}: local time does not exist in that timezone")
    return timestamp_of(moment)


_COMPONENTS = ("year", "month", "day", "hour", "minute", "second")


def _component(name: str, parts: dict[str, Any], key: str) -> int:
    value = parts.get(key)
    if value is None and key in ("hour", "minute", "second"):
        return 0
    if value is None:
        raise thrown_text(f"{name}: missing {key}")
    if type(value) is not int:
        raise thrown_text(f"{name}: {key} must be an int, got {type_of(value)}")
    return value


def date_add(value: Any = None, duration: Any = None) -> int | float:
    """Give the Unix seconds of a moment a duration later. Errors: throws a text when ``duration`` is none."""
    if type(duration) is not Duration:
        raise thrown_text(f"date_add: expected duration, got {type_of(duration)}")
    seconds = seconds_of(value, "date_add")
    if type(seconds) is int and duration.ms % 1000 == 0:
        return _number(seconds + duration.ms // 1000)
    return _number(seconds + duration.ms / 1000)


def _number(seconds: int | float) -> int | float:
    if type(seconds) is float and seconds.is_integer() and abs(seconds) < 2**53:
        return int(seconds)
    return seconds if abs(seconds) < 2**63 else float(seconds)


def date_diff(later: Any = None, earlier: Any = None) -> Duration:
    """Give the duration between two moments, negative when ``later`` is the earlier one."""
    ms = (seconds_of(later, "date_diff") - seconds_of(earlier, "date_diff")) * 1000
    if not math.isfinite(ms) or abs(ms) >= 2**63:
        raise _overflow()
    return Duration(round(ms))


def _overflow() -> HarnError:
    return thrown_text("date_diff: duration overflow")


def weekday_name(value: Any = None, zone: Any = ABSENT) -> str:
    """Give the English name of the day of the week."""
    return _formatted(_in_zone("weekday_name", value, zone), "%A")


def month_name(value: Any = None, zone: Any = ABSENT) -> str:
    """Give the English name of the month."""
    return _formatted(_in_zone("month_name", value, zone), "%B")
