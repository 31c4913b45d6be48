"""``jq``: a small query language over values (builtins 1.9).

A filter is a Python function from a value to the list of its outputs. Parsing goes from the loosest operator
(pipe) to the tightest (path steps).
"""

from __future__ import annotations

import re

from harnpy.builtins.arguments import ABSENT, text, too_few
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.equality import equal
from harnpy.runtime.ordering import less
from harnpy.runtime.typecheck import fields_of
from harnpy.runtime.values import SetValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Filter = Callable[[Any], list[Any]]

_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)'
    r"|(?P<mark>\.\.|==|!=|[.\[\](){}:|,<>]))",
    re.ASCII,
)
_MAX_DEPTH = 100


def every(value: Any = None, expression: Any = ABSENT) -> list[Any]:
    """``jq``: all outputs of an expression in the language of jq. Errors: throws a text for what it cannot read."""
    if expression is ABSENT:
        raise too_few("jq", 2)
    return _Parser(text(expression)).parse()(value)


def first(value: Any = None, expression: Any = ABSENT) -> Any:
    """``jq_first``: the first output of an expression, or nil."""
    if expression is ABSENT:
        raise too_few("jq_first", 2)
    found = _Parser(text(expression)).parse()(value)
    return found[0] if found else None


class _Parser:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.depth = 0

    def parse(self) -> Filter:
        """Read the whole expression."""
        result = self._pipe()
        if self.source[self.at :].strip():
            raise self._unexpected()
        return result

    def _unexpected(self) -> HarnError:
        return thrown_text(f"jq: unexpected input near '{self.source[self.at :].strip()[:20]}'")

    def _peek(self) -> tuple[str, str]:
        match = _TOKEN.match(self.source, self.at)
        if match is None or match.lastgroup is None:
            return "", ""
        return match.lastgroup, match[match.lastgroup]

    def _take(self, *wanted: str) -> str | None:
        """Take the next token when it is one of the marks or names."""
        kind, token = self._peek()
        if kind in ("mark", "name") and token in wanted:
            self._skip()
            return token
        return None

    def _skip(self) -> None:
        match = _TOKEN.match(self.source, self.at)
        if match is not None:
            self.at = match.end()

    def _need(self, mark: str) -> None:
        if self._take(mark) is None:
            raise self._unexpected()

    def _pipe(self) -> Filter:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise thrown_text("jq: the expression is nested too deep")
        result = self._comma()
        while self._take("|"):
            result = _piped(result, self._comma())
        self.depth -= 1
        return result

    def _comma(self) -> Filter:
        result = self._or()
        while self._take(","):
            result = _both(result, self._or())
        return result

    def _or(self) -> Filter:
        result = self._and()
        while self._take("or"):
            result = _combined(result, self._and(), lambda a, b: _true(a) or _true(b))
        return result

    def _and(self) -> Filter:
        result = self._comparison()
        while self._take("and"):
            result = _combined(result, self._comparison(), lambda a, b: _true(a) and _true(b))
        return result

    def _comparison(self) -> Filter:
        left = self._path()
        operator = self._take("==", "!=", "<", ">")
        return left if operator is None else _combined(left, self._path(), _COMPARE[operator])

    def _path(self) -> Filter:
        result = self._term()
        while True:
            if self._peek() == ("mark", "["):
                result = _piped(result, self._bracket())
            elif self._peek() == ("mark", "."):
                self._skip()
                result = _piped(result, self._step())
            else:
                return result

    def _term(self) -> Filter:
        kind, token = self._peek()
        if kind == "text" or kind == "number":
            self._skip()
            return _constant(_literal(kind, token))
        if kind == "name":
            self._skip()
            return self._named(token)
        if self._take(".."):
            return _descend
        if self._take("."):
            at_step = self._peek()[0] in ("name", "text") and not self.source[self.at : self.at + 1].isspace()
            return self._step() if at_step else lambda value: [value]
        if self._take("("):
            inner = self._pipe()
            self._need(")")
            return inner
        if self._take("{"):
            return self._object()
        if self._take("["):
            inner = self._pipe()
            self._need("]")
            return lambda value: [inner(value)]
        raise self._unexpected()

    def _step(self) -> Filter:
        kind, token = self._peek()
        if kind == "name" or kind == "text":
            self._skip()
            key = token if kind == "name" else _literal(kind, token)
            return lambda value: [(fields_of(value) or {}).get(key)]
        if (kind, token) == ("mark", "["):
            return self._bracket()
        raise self._unexpected()

    def _bracket(self) -> Filter:
        """Read ``[]``, ``[i]``, ``["key"]`` or ``[a:b]``."""
        self._need("[")
        if self._take("]"):
            return _items
        kind, token = self._peek()
        start = None
        if kind == "number" or kind == "text":
            self._skip()
            start = _literal(kind, token)
        if not self._take(":"):
            self._need("]")
            if start is None:
                raise self._unexpected()
            return lambda value: [_at(value, start)]
        kind, token = self._peek()
        end = None
        if kind == "number":
            self._skip()
            end = _literal(kind, token)
        self._need("]")
        return lambda value: [_slice(value, start, end)]

    def _named(self, name: str) -> Filter:
        if name in _CONSTANTS:
            return _constant(_CONSTANTS[name])
        if name in _FUNCTIONS:
            function = _FUNCTIONS[name]
            return lambda value: [function(value)]
        if name not in ("map", "select"):
            self.at -= len(name)
            raise self._unexpected()
        self._need("(")
        inner = self._pipe()
        self._need(")")
        if name == "map":
            return lambda value: [[out for item in _items(value) for out in inner(item)]]
        return lambda value: [value for out in inner(value) if _true(out)]

    def _object(self) -> Filter:
        fields: list[tuple[str, Filter]] = []
        while not self._take("}"):
            if fields:
                self._need(",")
            kind, token = self._peek()
            if kind not in ("name", "text"):
                raise self._unexpected()
            self._skip()
            key = token if kind == "name" else _literal(kind, token)
            fields.append((key, self._or() if self._take(":") else _field(key)))
        return lambda value: _objects(fields, value)


def _literal(kind: str, token: str) -> Any:
    from harnpy.builtins.json_reading import parse

    try:
        return parse(token)
    except HarnError:
        raise thrown_text(f"jq: unexpected input near '{token[:20]}'") from None


def _constant(constant: Any) -> Filter:
    return lambda value: [constant]


def _field(key: str) -> Filter:
    return lambda value: [(fields_of(value) or {}).get(key)]


def _piped(left: Filter, right: Filter) -> Filter:
    return lambda value: [out for between in left(value) for out in right(between)]


def _both(left: Filter, right: Filter) -> Filter:
    return lambda value: left(value) + right(value)


def _combined(left: Filter, right: Filter, combine: Callable[[Any, Any], Any]) -> Filter:
    return lambda value: [combine(a, b) for b in right(value) for a in left(value)]


def _objects(fields: list[tuple[str, Filter]], value: Any) -> list[Any]:
    results: list[Any] = [{}]
    for key, inner in fields:
        results = [{**result, key: out} for result in results for out in inner(value)]
    return results


def _true(value: Any) -> bool:
    return value is not None and value is not False


def _items(value: Any) -> list[Any]:
    if type(value) is list:
        return value
    if type(value) is SetValue:
        return list(value.members.values())
    fields = fields_of(value) or {}
    return [fields[key] for key in sorted(fields)]


def _at(value: Any, index: Any) -> Any:
    if type(index) is str:
        return (fields_of(value) or {}).get(index)
    if type(value) is not list or type(index) is not int:
        return None
    return value[index] if -len(value) <= index < len(value) else None


def _slice(value: Any, start: Any, end: Any) -> Any:
    bounds = [bound if type(bound) is int else None for bound in (start, end)]
    return value[bounds[0] : bounds[1]] if type(value) is list or type(value) is str else None


def _descend(value: Any) -> list[Any]:
    """Give a value and everything inside it, outer before inner."""
    found = []
    pending = [value]
    while pending:
        item = pending.pop()
        found.append(item)
        pending.extend(reversed(_items(item)))
    return found


def _length(value: Any) -> Any:
    if value is None:
        return 0
    if type(value) is str:
        return len(value)
    return abs(value) if type(value) is int or type(value) is float else len(_items(value))


def _keys(value: Any) -> list[Any]:
    return list(range(len(value))) if type(value) is list else sorted(fields_of(value) or {})


_JSON_TYPES = {"nil": "null", "bool": "boolean", "int": "number", "float": "number", "list": "array", "dict": "object"}

_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "length": _length,
    "keys": _keys,
    "values": _items,
    "type": lambda value: _JSON_TYPES.get(type_of(value), type_of(value)),
    "not": lambda value: not _true(value),
}
_CONSTANTS = {"null": None, "nil": None, "true": True, "false": False}

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": equal,
    "!=": lambda a, b: not equal(a, b),
    "<": less,
    ">": lambda a, b: less(b, a),
}
