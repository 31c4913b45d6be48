"""Writing JSON texts (builtins 1.9.2)."""

from __future__ import annotations

from harnpy.errors import HarnError
from harnpy.runtime.display import display, float_text
from harnpy.runtime.values import RangeValue, SetValue, StructValue, is_decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_DEPTH = 127

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
    """Writes one value; ``other`` gives the text of a kind without a JSON form."""

    def __init__(self, pretty: bool, other: Callable[[Any], str]) -> None:
        self.pretty = pretty
        self.other = other
        self.parts: list[str] = []
        # The walks over the open containers; what each still holds comes after its children.
        self.open: list[tuple[Any, str]] = []

    def write(self, value: Any) -> str:
        """Give the JSON text of ``value``."""
        self._value(value)
        while self.open:
            items, closing = self.open[-1]
            item = next(items, None)
            if item is None:
                self.open.pop()
                self.parts.append(self._line(len(self.open)) + closing)
            else:
                self._item(*item)
        return "".join(self.parts)

    def _line(self, depth: int) -> str:
        return "\n" + "  " * depth if self.pretty else ""

    def _item(self, first: bool, key: str | None, value: Any) -> None:
        if not first:
            self.parts.append(",")
        self.parts.append(self._line(len(self.open)))
        if key is not None:
            self.parts.append(quoted(key) + (": " if self.pretty else ":"))
        self._value(value)

    def _value(self, value: Any) -> None:
        write = _PLAIN.get(type(value))
        if write is not None:
            self.parts.append(write(value))
        elif type(value) is list:
            self._enter("[", value, "]")
        elif type(value) is dict:
            self._enter_fields(value)
        elif type(value) is SetValue:
            self._enter("[", value.members.values(), "]")
        elif type(value) is StructValue:
            self._enter_fields(value.fields)
        else:
            self.parts.append(self._other(value))

    def _enter(self, opening: str, items: Any, closing: str) -> None:
        walk = ((index == 0, None, item) for index, item in enumerate(items))
        self._begin(opening, len(items), walk, closing)

    def _enter_fields(self, fields: dict[str, Any]) -> None:
        walk = ((index == 0, key, fields[key]) for index, key in enumerate(sorted(fields)))
        self._begin("{", len(fields), walk, "}")

    def _begin(self, opening: str, size: int, walk: Any, closing: str) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise too_deep()
        if size:
            self.parts.append(opening)
            self.open.append((walk, closing))
        else:
            self.parts.append(opening + closing)

    def _other(self, value: Any) -> str:
        if type(value) is bytes:
            return _bytes_text(value)
        if type(value) is RangeValue or is_decimal(value):
            return quoted(display(value))
        return self.other(value)


def _null(value: Any) -> str:
    return "null"


def _shown(value: Any) -> str:
    return quoted(display(value))


def compact_json(value: Any) -> str:
    """Write without white space; a kind without a JSON form is null."""
    return _Writer(pretty=False, other=_null).write(value)


def pretty_json(value: Any) -> str:
    """Write with an indent of two; a kind without a JSON form is its display form."""
    return _Writer(pretty=True, other=_shown).write(value)


def host_json(value: Any) -> str:
    """Write without white space for the host: a kind without a JSON form is its display form."""
    return _Writer(pretty=False, other=_shown).write(value)


def json_line(fields: dict[str, Any]) -> str:
    """Write a dict in the order in which it was made (log lines)."""
    return "{" + ",".join([f"{quoted(key)}:{host_json(fields[key])}" for key in fields]) + "}"
