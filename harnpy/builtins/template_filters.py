"""The filters of templates (builtins 1.17)."""

from __future__ import annotations

from harnpy.errors import runtime_error
from harnpy.runtime.display import display
from harnpy.runtime.values import RangeValue, SetValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MARKDOWN = frozenset("\\`*_{}[]()#+-.!|<>~")


def shown(value: Any) -> str:
    """Give the text of a value in a template: nil is empty."""
    if type(value) is str:
        return value
    return "" if value is None else display(value)


def _items(value: Any) -> Any:
    """Give the items of a list, set, range or text; anything else has none."""
    if type(value) is SetValue:
        return list(value.members.values())
    if type(value) is RangeValue:
        return range(value.start, value.stop)
    return value if type(value) in (list, str, dict) else ""


def _title(value: Any) -> str:
    from harnpy.builtins.text import title_case

    return title_case(shown(value))


def _end(value: Any, index: int) -> Any:
    items = _items(value)
    return items[index] if len(items) and type(items) is not dict else None


def _reverse(value: Any) -> Any:
    items = _items(value)
    return items[::-1] if type(items) is str else list(items)[::-1]


def _lines(value: Any) -> list[str]:
    lines = [line.removesuffix("\r") for line in shown(value).split("\n")]
    return lines if lines[-1] else lines[:-1]


def _escape_md(value: Any) -> str:
    return "".join(["\\" + char if char in _MARKDOWN else char for char in shown(value)])


def _join(value: Any, separator: Any) -> str:
    if type(value) in (list, SetValue, RangeValue):
        return shown(separator).join([shown(item) for item in _items(value)])
    return shown(value)


def _default(value: Any, other: Any) -> Any:
    from harnpy.builtins.template_expressions import is_true

    return value if is_true(value) else other


def _json(value: Any, pretty: Any = False) -> str:
    from harnpy.builtins.json_writing import compact_json, pretty_json

    return pretty_json(value) if pretty else compact_json(value)


def _indent(value: Any, width: Any, first: Any = False) -> str:
    margin = " " * width if type(width) is int else ""
    lines = shown(value).split("\n")
    indented = [margin + line if line.strip() else line for line in lines]
    if not first:
        indented[0] = lines[0]
    return "\n".join(indented)


def _replace(value: Any, old: Any, new: Any) -> str:
    return shown(value).replace(shown(old), shown(new))


# Name to function and the least and most number of arguments.
_FILTERS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "capitalize": (lambda value: shown(value)[:1].upper() + shown(value)[1:].lower(), 0, 0),
    "default": (_default, 1, 1),
    "escape_md": (_escape_md, 0, 0),
    "first": (lambda value: _end(value, 0), 0, 0),
    "indent": (_indent, 1, 2),
    "join": (_join, 1, 1),
    "json": (_json, 0, 1),
    "last": (lambda value: _end(value, -1), 0, 0),
    "length": (lambda value: len(_items(value)), 0, 0),
    "lines": (_lines, 0, 0),
    "lower": (lambda value: shown(value).lower(), 0, 0),
    "replace": (_replace, 2, 2),
    "reverse": (_reverse, 0, 0),
    "title": (_title, 0, 0),
    "trim": (lambda value: shown(value).strip(), 0, 0),
    "upper": (lambda value: shown(value).upper(), 0, 0),
}


def check_filter(name: str, count: int) -> str:
    """Say what is wrong with a filter that gets ``count`` arguments; empty when nothing is."""
    found = _FILTERS.get(name)
    if found is None:
        return f"unknown filter `{name}`"
    return "" if found[1] <= count <= found[2] else f"filter `{name}` got wrong number of arguments"


def apply_filter(name: str, value: Any, args: list[Any], most: int) -> Any:
    """Give what a filter makes of a value; a text of more than ``most`` characters is refused before it is made."""
    size = _size(name, value, args)
    if size > most:
        raise runtime_error(f"the text would have {size} characters; at most {most} are allowed")
    return _FILTERS[name][0](value, *args)


def _size(name: str, value: Any, args: list[Any]) -> int:
    """Give the size of what a filter makes, for those that can make a lot out of little."""
    if name == "indent" and type(args[0]) is int:
        text = shown(value)
        return len(text) + (text.count("\n") + 1) * args[0]
    if name == "replace":
        text, old, new = shown(value), shown(args[0]), shown(args[1])
        return len(text) + text.count(old) * (len(new) - len(old))
    if name == "join" and type(value) is list:
        return len(value) * len(shown(args[0]))
    return 0
