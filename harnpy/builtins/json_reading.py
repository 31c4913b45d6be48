"""Reading JSON texts (builtins 1.9, 1.9.1): Python's scanner, and Harn's rules where they differ."""

from __future__ import annotations

import json
import re
from json.decoder import JSONDecodeError

from harnpy.builtins.json_writing import MAX_DEPTH, too_deep
from harnpy.errors import HarnError
from harnpy.runtime.values import INT_MAX, INT_MIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Unreadable(Exception):
    """A token that JSON or Harn has no value for."""


def _read_int(digits: str) -> int | float:
    # No 64-bit number has more digits; int() of a very long text would be slow, or refused.
    if len(digits) <= 20:
        number = int(digits)
        if INT_MIN <= number <= INT_MAX:
            return number
    return _read_float(digits)


def _read_float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _Unreadable(digits)
    return number


def _refuse_constant(name: str) -> None:
    raise _Unreadable(name)


_decode = json.JSONDecoder(parse_int=_read_int, parse_float=_read_float, parse_constant=_refuse_constant).decode

_REASONS = {
    "Expecting value": "expected a value",
    "Expecting ',' delimiter": "expected ','",
    "Expecting ':' delimiter": "expected ':'",
    "Expecting property name enclosed in double quotes": "expected a key in double quotes",
    "Extra data": "unexpected text after the value",
    "Unterminated string starting at": "unterminated string",
    "Invalid control character at": "control character in a string",
}

_STRING_OR_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def parse(text: str) -> Any:
    """Give the value of a JSON text.

    Raises:
        HarnError: the dict of a parse failure.
    """
    try:
        value = _decode(text)
    except JSONDecodeError as error:
        raise _malformed(text, *_fault(text, error)) from None
    except _Unreadable as error:
        token = str(error)
        raise _malformed(text, _find_token(text, token), f"{token[:40]} is no finite number") from None
    except RecursionError:
        raise _depth_error(text) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise _depth_error(text)
    if "\\ud" in text or "\\uD" in text:
        return _without_surrogates(value)
    return value


def _fault(text: str, error: JSONDecodeError) -> tuple[int, str]:
    """Give the place and the reason; Python's versions name a trailing comma in different ways."""
    at = error.pos
    if error.msg.startswith("Illegal trailing comma"):
        at = len(text) - len(text[at + 1 :].lstrip())
    if text[at : at + 1] in ("]", "}") and text[:at].rstrip().endswith(","):
        return at, "trailing comma"
    return at, _REASONS.get(error.msg) or error.msg[:1].lower() + error.msg[1:]


def _place(text: str, at: int) -> dict[str, int]:
    return {"line": text.count("\n", 0, at) + 1, "column": at - text.rfind("\n", 0, at)}


def _malformed(text: str, at: int, reason: str) -> HarnError:
    place = _place(text, at)
    return HarnError(
        {
            "error": "structured_parse_error",
            "format": "json",
            "kind": "malformed",
            "message": f"JSON parse error: {reason} at line {place['line']} column {place['column']}",
            **place,
        },
        thrown=True,
    )


def _find_token(text: str, token: str) -> int:
    """Find where a token stands outside of strings."""
    at = 0
    for match in _STRING_OR_MARK.finditer(text):
        if match[0][0] == '"':
            hit = text.find(token, at, match.start())
            if hit >= 0:
                return hit
            at = match.end()
    return max(text.find(token, at), 0)


def _depth_error(text: str) -> HarnError:
    error = too_deep()
    depth = 0
    for match in _STRING_OR_MARK.finditer(text):
        mark = match[0]
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                error.value |= _place(text, match.start())
                break
        elif mark in "]}":
            depth -= 1
    return error


def _containers(value: Any) -> list[Any]:
    items = value.values() if type(value) is dict else value
    return [item for item in items if type(item) is list or type(item) is dict]


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value] if type(value) is list or type(value) is dict else []
    for _ in range(limit):
        level = [child for container in level for child in _containers(container)]
        if not level:
            return False
    return True


def _sound(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _without_surrogates(value: Any) -> Any:
    """Put U+FFFD for the halves of pairs; the depth is bounded, so recursion is fine."""
    if type(value) is str:
        return _sound(value)
    if type(value) is list:
        return [_without_surrogates(item) for item in value]
    if type(value) is dict:
        return {_sound(key): _without_surrogates(item) for key, item in value.items()}
    return value
