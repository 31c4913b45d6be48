"""Writing JSON texts (builtins 1.9.2)."""

from __future__ import annotations

from harnpy.errors import HarnError, runtime_error
from harnpy.runtime.display import display, float_text
from harnpy.runtime.values import RangeValue, SetValue, StructValue, is_decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_DEPTH = 127
# A list that holds one list many times over can be small and have a text beyond any memory.
_MAX_CONTAINERS = 10_000_000

_ESCAPES: dict[int, str] = {code: f"\\u{code:04x}" for code in range(0x20)}
_ESCAPES |= {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def too_deep() -> HarnError:
    """Make the error of a value or text whose containers nest too deep."""
    return HarnError(
        {
            "error": "structured_parse_error",
            "format": "json",
            "kind": "recursion_limit",
            "message": f"JSON nesting exceeds the maximum container depth ({MAX_DEPTH})",
        },
        thrown=True,
    )


def quoted(text: str) -> str:
    """Give a JSON string."""
    return f'"{text.translate(_ESCAPES)}"'


def json_float(x: float) -> str:
    """Give a float so that it is read back as a float."""
    if x != x or x in (float("inf"), float("-inf")):
        return "null"
    text = float_text(x)
    return text if "." in text else text + ".0"


_PLAIN: dict[type, Callable[[Any], str]] = {
    str: quoted,
    int: str,
    float: json_float,
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "null",
}


def _bytes_text(value: bytes) -> str:
    from base64 import b64encode

    return f'{{"$bytes_b64":"{b64encode(value).decode()}"}}'


class _Writer:
    """Writes one value, by recursion, for the depth is bounded; ``other`` writes a kind without a JSON form."""

    def __init__(self, pretty: bool, other: Callable[[Any], str]) -> None:
        self.pretty = pretty
        self.other = other
        self.colon = ": " if pretty else ":"
        self.room = _MAX_CONTAINERS

    def text(self, value: Any, depth: int) -> str:
        """Give the JSON text of a value inside ``depth`` containers."""
        kind = type(value)
        write = _PLAIN.get(kind)
        if write is not None:
            return write(value)
        if kind is list:
            return self._items(value, depth)
        if kind is dict:
            return self._fields(value, depth)
        if kind is SetValue:
            return self._items(list(value.members.values()), depth)
        if kind is StructValue:
            return self._fields(value.fields, depth)
        if kind is bytes:
            return _bytes_text(value)
        if kind is RangeValue or is_decimal(value):
            return quoted(display(value))
        return self.other(value)

    def _check(self, depth: int) -> None:
        if depth >= MAX_DEPTH:
            raise too_deep()
        self.room -= 1
        if self.room < 0:
            raise runtime_error("the value is too large to be written as JSON")

    def _items(self, items: list[Any], depth: int) -> str:
        self._check(depth)
        text, inner = self.text, depth + 1
        return self._enclosed("[", [text(item, inner) for item in items], "]", depth)

    def _fields(self, fields: dict[str, Any], depth: int) -> str:
        self._check(depth)
        text, inner, colon = self.text, depth + 1, self.colon
        parts = [quoted(key) + colon + text(fields[key], inner) for key in sorted(fields)]
        return self._enclosed("{", parts, "}", depth)

    def _enclosed(self, opening: str, parts: list[str], closing: str, depth: int) -> str:
        if not self.pretty or not parts:
            return opening + ",".join(parts) + closing
        outside = "\n" + "  " * depth
        inside = outside + "  "
        return opening + inside + ("," + inside).join(parts) + outside + closing


def _null(value: Any) -> str:
    return "null"


def _shown(value: Any) -> str:
    return quoted(display(value))


def compact_json(value: Any) -> str:
    """Write without white space; a kind without a JSON form is null."""
    return _Writer(pretty=False, other=_null).text(value, 0)


def pretty_json(value: Any) -> str:
    """Write with an indent of two; a kind without a JSON form is its display form."""
    return _Writer(pretty=True, other=_shown).text(value, 0)


def host_json(value: Any) -> str:
    """Write without white space for the host: a kind without a JSON form is its display form."""
    return _Writer(pretty=False, other=_shown).text(value, 0)


def json_line(fields: dict[str, Any]) -> str:
    """Write a dict in the order in which it was made (log lines)."""
    return "{" + ",".join([f"{quoted(key)}:{host_json(fields[key])}" for key in fields]) + "}"
