"""Reads the waiting time that a server asks for: seconds, an HTTP date in three forms, or ms (llm 9.6)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
_DATE_FORMS = (
    rf"[a-z]{{3}}, (?P<day>\d\d) (?P<month>[a-z]{{3}}) (?P<year>\d{{4}}) {_TIME} (?:gmt|utc)",
    rf"[a-z]{{6,9}}, (?P<day>\d\d)-(?P<month>[a-z]{{3}})-(?P<year>\d\d) {_TIME} (?:gmt|utc)",
    rf"[a-z]{{3}} (?P<month>[a-z]{{3}}) +(?P<day>\d\d?) {_TIME} (?P<year>\d{{4}})",
)


def read_retry_after(value: str, now_ms: int) -> int | None:
    """Give the ms that a ``Retry-After`` value asks for, or ``None`` when it says nothing."""
    text = value.strip()
    seconds = _number(text)
    if seconds is not None:
        return round(seconds * 1000)
    due = _date_ms(text.lower(), now_ms)
    return None if due is None else max(0, due - now_ms)


def read_ms(value: str) -> int | None:
    """Give the ms of a ``retry-after-ms`` value, or ``None`` when it says nothing."""
    number = _number(value.strip())
    return None if number is None else round(number)


def retry_after_of(headers: Mapping[str, str], now_ms: int) -> int | None:
    """Give the hint of response headers (their names lower-case): ms before seconds or date."""
    exact = headers.get("retry-after-ms")
    hint = None if exact is None else read_ms(exact)
    if hint is None and "retry-after" in headers:
        hint = read_retry_after(headers["retry-after"], now_ms)
    return hint


def _number(text: str) -> float | None:
    """Give a non-negative decimal number; signs, exponents and words are none."""
    whole, dot, fraction = text.partition(".")
    digits = whole + fraction
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 15 or (dot and not (whole and fraction)):
        return None
    return float(text)


def _date_ms(text: str, now_ms: int) -> int | None:
    import re
    from datetime import UTC, datetime

    for form in _DATE_FORMS:
        found = re.fullmatch(form, text, re.ASCII)
        if found is None or found["month"] not in _MONTHS:
            continue
        year = int(found["year"])
        if year < 100:
            year = _full_year(year, now_ms)
        month = _MONTHS.index(found["month"]) + 1
        day, hour, minute, second = (int(found[name]) for name in ("day", "hour", "minute", "second"))
        try:
            return round(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() * 1000)
        except ValueError:
            return None
    return None


def _full_year(short: int, now_ms: int) -> int:
    """Complete a two-digit year: one that would lie more than 50 years ahead is in the past (RFC 9110)."""
    this_year = 1970 + now_ms // 31_556_952_000
    year = this_year - this_year % 100 + short
    return year - 100 if year > this_year + 50 else year
