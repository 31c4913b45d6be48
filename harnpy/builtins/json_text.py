"""JSON builtins: parsing, writing, and picking JSON out of prose (builtins 1.9)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text, too_few
from harnpy.builtins.json_reading import parse
from harnpy.builtins.json_writing import compact_json, pretty_json
from harnpy.errors import HarnError, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def json_parse(source: Any = ABSENT) -> Any:
    """Read a JSON text. Integers become ints, or floats when they do not fit into 64 bits.

    Errors: throws ``{error: "structured_parse_error", kind, format: "json", message, line, column}``.
    """
    if source is ABSENT:
        raise too_few("json_parse", 1)
    return parse(text(source))


def json_stringify(value: Any = ABSENT) -> str:
    """Write compact JSON, keys in order. What JSON does not have, such as a function or NaN, becomes null."""
    if value is ABSENT:
        raise too_few("json_stringify", 1)
    return compact_json(value)


def json_stringify_pretty(value: Any = ABSENT) -> str:
    """Write JSON with an indent of two, keys in order; otherwise as ``json_stringify``."""
    if value is ABSENT:
        raise too_few("json_stringify_pretty", 1)
    return pretty_json(value)


def json_extract(source: Any = ABSENT, key: Any = None) -> Any:
    """Read the JSON that stands in a text, also between prose and fences, and pick one key of it if that is given."""
    if source is ABSENT:
        raise thrown_text("json_extract requires at least 1 argument: text")
    try:
        value = parse(json_part(text(source)))
    except HarnError as error:
        raise thrown_text(f"json_extract: failed to parse JSON: {error.value['message']}") from None
    if key is None:
        return value
    if type(value) is not dict:
        raise thrown_text("json_extract: parsed value is not a dict, cannot extract key")
    name = text(key)
    if name not in value:
        raise thrown_text(f"json_extract: key '{name}' not found")
    return value[name]


def json_part(source: str) -> str:
    """Give the part of a text that is most likely meant as JSON."""
    fenced = _fenced(source)
    if fenced is not None:
        return fenced
    for opening, closing in (("{", "}"), ("[", "]")):
        part = balanced(source, opening, closing)
        if part is not None:
            return part
    return source.strip()


def _fenced(source: str) -> str | None:
    start = source.find("```")
    if start < 0:
        return None
    line_end = source.find("\n", start)
    end = source.find("```", line_end) if line_end >= 0 else -1
    return source[line_end + 1 : end].strip() if end >= 0 else None


def balanced(source: str, opening: str, closing: str) -> str | None:
    """Give the balanced part that begins first; brackets in JSON strings do not count."""
    import re

    best: tuple[int, int] | None = None
    starts: list[int] = []
    in_string = False
    skip = -1
    for match in re.finditer(rf'["\\\{opening}\{closing}]', source):
        at, mark = match.start(), match[0]
        if at == skip:
            continue
        if in_string:
            if mark == "\\":
                skip = at + 1
            in_string = mark != '"'
        elif mark == opening:
            starts.append(at)
        elif starts and mark == '"':
            in_string = True
        elif starts and mark == closing:
            start = starts.pop()
            best = (start, at + 1) if best is None or start < best[0] else best
            if not starts:
                break
    return source[best[0] : best[1]] if best else None
