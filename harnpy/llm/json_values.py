"""Reads JSON into values of the language: strict, ints of 64 bits, no broken characters (builtins 1.9.1)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
_MAX_DIGITS = 400
# The language writes JSON of 127 levels. What holds a value that was read, as an event holds a call, adds some.
_MAX_LEVELS = 100


def mended(text: str) -> str:
    """Join surrogate pairs that arrived apart, and replace single surrogates by U+FFFD."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _read_int(digits: str) -> int | float:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("number out of range")
    value = int(digits)
    return value if INT_MIN <= value <= INT_MAX else float(value)


def _read_float(digits: str) -> float:
    value = float(digits)
    if value - value != 0.0:
        raise ValueError("number out of range")
    return value


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def mended_inside(value: Any) -> Any:
    """Mend every string inside a value."""
    kind = type(value)
    if kind is str:
        return mended(value)
    if kind is list:
        return [mended_inside(item) for item in value]
    if kind is dict:
        return {mended(key): mended_inside(item) for key, item in value.items()}
    return value


def read_deep(text: str) -> Any:
    """Read JSON of any depth that the run's recursion limit allows.

    The C scanner of Python 3.12 stops at some thousand levels, whatever that limit is; its twin in Python does not.

    Raises:
        ValueError: It is not JSON.
        RecursionError: It is too deep.
    """
    import json

    try:
        return json.loads(text)
    except RecursionError:
        from json.scanner import py_make_scanner  # type: ignore[attr-defined]

        patient: Any = json.JSONDecoder()
        patient.scan_once = py_make_scanner(patient)
        return patient.decode(text)


def decoder() -> Any:
    """Give a ``json.JSONDecoder`` with these rules, for callers that read from the middle of a text."""
    import json

    return json.JSONDecoder(parse_int=_read_int, parse_float=_read_float, parse_constant=_refuse)


def json_text(value: Any) -> str:
    """Write a value as JSON; what JSON has no form for becomes null."""
    import json

    return json.dumps(value, ensure_ascii=False, default=lambda _value: None)


def read_json(text: str) -> Any:
    """Read a JSON text.

    Raises:
        ValueError: the text is not strict JSON, or nests too deeply.
    """
    try:
        value = decoder().decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if text.count("[") + text.count("{") > _MAX_LEVELS and _is_deep(value):
        raise ValueError("nested too deeply")
    return value if text.isascii() and "\\u" not in text else mended_inside(value)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_MAX_LEVELS):
        held = [item.values() if type(item) is dict else item for item in level if type(item) in (dict, list)]
        level = [item for items in held for item in items]
        if not level:
            return False
    return True
