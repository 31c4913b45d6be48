"""TOML (builtins 1.9)."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time

from harnpy.builtins.arguments import ABSENT, text, too_few
from harnpy.builtins.json_writing import quoted
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.convert import fit
from harnpy.runtime.display import display, float_text
from harnpy.runtime.values import SetValue, StructValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_parse(source: Any = ABSENT) -> dict[str, Any]:
    """Read a TOML document into a dict. Errors: throws with the line and column of the fault."""
    import tomllib

    if source is ABSENT:
        raise too_few("toml_parse", 1)
    document = text(source)
    try:
        return {key: _value(item) for key, item in tomllib.loads(document).items()}
    except tomllib.TOMLDecodeError as error:
        raise _malformed(document, str(error)) from None
    except RecursionError:
        raise _malformed(document, "nested too deep") from None


def _malformed(document: str, message: str) -> HarnError:
    place = _PLACE.search(message)
    if place and place[1]:
        line, column = int(place[1]), int(place[2])
    else:
        line, column = document.count("\n") + 1, len(document) - document.rfind("\n")
    return HarnError(
        {
            "error": "structured_parse_error",
            "format": "toml",
            "kind": "malformed",
            "message": f"TOML parse error: {message}",
            "line": line,
            "column": column,
        },
        thrown=True,
    )


def _value(item: Any) -> Any:
    if type(item) is dict:
        return {key: _value(part) for key, part in item.items()}
    if type(item) is list:
        return [_value(part) for part in item]
    if isinstance(item, datetime | date | time):
        return item.isoformat()
    return fit(item) if type(item) is int else item


def toml_stringify(value: Any = ABSENT) -> str:
    """Write a dict as a TOML document."""
    if value is ABSENT:
        raise too_few("toml_stringify", 1)
    fields = _fields(value)
    if fields is None:
        raise thrown_text("toml_stringify: expected a dict")
    lines: list[str] = []
    try:
        _table(lines, "", fields)
    except RecursionError:
        raise thrown_text("toml_stringify: nested too deep") from None
    return "\n".join(lines) + "\n" if lines else ""


def _fields(value: Any) -> dict[str, Any] | None:
    if type(value) is StructValue:
        return value.fields
    return value if type(value) is dict else None


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else quoted(key)


def _table(lines: list[str], path: str, fields: dict[str, Any]) -> None:
    """Write plain values first, then the tables below; TOML has no nil, so nil is left out."""
    inner = []
    for key in sorted(fields):
        item = fields[key]
        if _fields(item) is not None or _is_tables(item):
            inner.append(key)
        elif item is not None:
            lines.append(f"{_key(key)} = {_inline(item)}")
    for key in inner:
        place = f"{path}.{_key(key)}" if path else _key(key)
        item = fields[key]
        for part in item if type(item) is list else [item]:
            if lines:
                lines.append("")
            lines.append(f"[[{place}]]" if type(item) is list else f"[{place}]")
            _table(lines, place, _fields(part) or {})


def _is_tables(item: Any) -> bool:
    return type(item) is list and bool(item) and all(_fields(part) is not None for part in item)


def _inline(item: Any) -> str:
    fields = _fields(item)
    if fields is not None:
        parts = [f"{_key(key)} = {_inline(fields[key])}" for key in sorted(fields) if fields[key] is not None]
        return "{ " + ", ".join(parts) + " }" if parts else "{}"
    if type(item) is list or type(item) is SetValue:
        members: Any = item.members.values() if type(item) is SetValue else item
        return "[" + ", ".join([_inline(part) for part in members if part is not None]) + "]"
    if type(item) is bool or type(item) is int:
        return display(item)
    if type(item) is float:
        shown = float_text(item) if math.isfinite(item) else display(item).lower()
        return shown if "." in shown or not math.isfinite(item) else shown + ".0"
    return quoted(display(item))
