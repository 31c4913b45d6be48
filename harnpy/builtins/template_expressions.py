"""The expressions of templates: paths, literals, operators and filters (builtins 1.17)."""

from __future__ import annotations

import re

from harnpy.builtins.template_filters import apply_filter, check_filter
from harnpy.errors import HarnError
from harnpy.runtime.equality import equal
from harnpy.runtime.ordering import compare
from harnpy.runtime.values import StructValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.builtins.template_scan import Template

    Scope = dict[str, Any]
    Evaluate = Callable[[Scope], Any]

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<mark>==|!=|<=|>=|&&|\|\||[<>!|:,.()\[\]{}])
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_WORDS = {"and": "&&", "or": "||", "not": "!"}
_LITERALS = {"true": True, "false": False, "nil": None}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Expression:
    """Something to evaluate in a scope; ``name`` is set for a bare identifier."""

    __slots__ = ("evaluate", "name")

    def __init__(self, evaluate: Evaluate, name: str | None = None) -> None:
        self.evaluate = evaluate
        self.name = name


class Token:
    """One token: ``kind`` is ``number``, ``name``, ``string``, ``mark`` or ``end``."""

    __slots__ = ("at", "kind", "text")

    def __init__(self, kind: str, text: str, at: int) -> None:
        self.kind = kind
        self.text = text
        self.at = at


def _is_blank(text: str) -> bool:
    return not text.strip()


def is_true(value: Any) -> bool:
    """Tell whether a template takes a value for true: blank texts are not, sets are."""
    kind = type(value)
    if kind is str:
        return not _is_blank(value)
    return bool(value) if kind in (bool, int, float, list, dict) else value is not None


class Parser:
    """Reads the inside of one directive."""

    def __init__(self, template: Template, text: str, at: int) -> None:
        self._template = template
        self._tokens = self._tokenise(text, at)
        self._index = 0

    def _tokenise(self, text: str, offset: int) -> list[Token]:
        tokens, at, end = [], 0, len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                at += len(text[at:]) - len(text[at:].lstrip())
                raise self._bad_character(text[at], offset + at)
            kind = match.lastgroup or ""
            tokens.append(Token(kind, match[kind], offset + match.start(kind)))
            at = match.end()
        return [*tokens, Token("end", "", offset + end)]

    def _bad_character(self, char: str, at: int) -> HarnError:
        if char == "=":
            return self._template.fault(at, "unexpected `=` (use `==`)")
        if char in "\"'":
            return self._template.fault(at, "unterminated string literal")
        return self._template.fault(at, f"unexpected character `{char}` in expression")

    # --- tokens ---

    @property
    def _next(self) -> Token:
        return self._tokens[self._index]

    def take(self, text: str) -> bool:
        """Step over a mark or word and tell whether it was there."""
        token = self._next
        mark = _WORDS.get(token.text, token.text) if token.kind == "name" else token.text
        if token.kind in ("mark", "name") and text in (mark, token.text):
            self._index += 1
            return True
        return False

    def need(self, text: str, message: str) -> None:
        """Step over a mark or word; anything else is the fault ``message``."""
        if not self.take(text):
            raise self.unexpected(message)

    def unexpected(self, message: str = "") -> HarnError:
        """Make the fault of the next token."""
        token = self._next
        shown = f"unexpected `{token.text}` in expression" if token.text else "expected an expression"
        return self._template.fault(token.at, message or shown)

    def name(self, message: str) -> str:
        """Step over an identifier and give it."""
        token = self._next
        if token.kind != "name":
            raise self.unexpected(message)
        self._index += 1
        return token.text

    def end(self) -> None:
        """Make sure that nothing is left."""
        if self._next.kind != "end":
            raise self.unexpected()

    # --- expressions ---

    def piped(self) -> Expression:
        """Read an expression with its filters."""
        first = self.expression()
        while self.take("|"):
            first = self._filtered(first.evaluate)
        return first

    def _filtered(self, source: Evaluate) -> Expression:
        at = self._next.at
        name = self.name("expected the name of a filter")
        args: list[Evaluate] = []
        if self.take(":"):
            args.append(self.expression().evaluate)
            while self.take(","):
                args.append(self.expression().evaluate)
        fault = check_filter(name, len(args))
        if fault:
            raise self._template.fault(at, fault)
        most = self._template.most
        return Expression(lambda scope: apply_filter(name, source(scope), [arg(scope) for arg in args], most))

    def expression(self) -> Expression:
        """Read an expression without filters."""
        left = self._both()
        while self.take("||"):
            left = _either(left.evaluate, self._both().evaluate)
        return left

    def _both(self) -> Expression:
        left = self._negated()
        while self.take("&&"):
            left = _both_of(left.evaluate, self._negated().evaluate)
        return left

    def _negated(self) -> Expression:
        if self.take("!"):
            inner = self._negated().evaluate
            return Expression(lambda scope: not is_true(inner(scope)))
        return self._comparison()

    def _comparison(self) -> Expression:
        left = self._path()
        while (token := self._next).kind == "mark" and token.text in _COMPARISONS:
            self._index += 1
            left = _comparing(token.text, left.evaluate, self._path().evaluate)
        return left

    def _path(self) -> Expression:
        value = self._primary()
        while True:
            if self.take("."):
                value = _step(value.evaluate, _constant(self._member()).evaluate)
            elif self.take("["):
                value = _step(value.evaluate, self.expression().evaluate)
                self.need("]", "expected `]`")
            else:
                return value

    def _member(self) -> str:
        return self.name("expected a name after `.`")

    def _primary(self) -> Expression:
        token = self._next
        self._index += 1
        if token.kind == "string":
            return _constant(_ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), token.text[1:-1]))
        if token.kind == "number":
            return _constant(int(token.text) if token.text.lstrip("-").isdigit() else float(token.text))
        if token.kind == "name" and token.text not in _WORDS:
            return _named(token.text)
        if token.text == "(":
            inner = self.piped()
            self.need(")", "expected `)`")
            return Expression(inner.evaluate)
        self._index -= 1
        raise self.unexpected()


def _constant(value: Any) -> Expression:
    return Expression(lambda scope: value)


def _named(name: str) -> Expression:
    if name in _LITERALS:
        return _constant(_LITERALS[name])
    return Expression(lambda scope: scope.get(name), name)


def _either(left: Evaluate, right: Evaluate) -> Expression:
    def evaluate(scope: Scope) -> Any:
        value = left(scope)
        return value if is_true(value) else right(scope)

    return Expression(evaluate)


def _both_of(left: Evaluate, right: Evaluate) -> Expression:
    def evaluate(scope: Scope) -> Any:
        value = left(scope)
        return right(scope) if is_true(value) else value

    return Expression(evaluate)


def _comparing(mark: str, left: Evaluate, right: Evaluate) -> Expression:
    return Expression(lambda scope: _holds(mark, left(scope), right(scope)))


def _holds(mark: str, a: Any, b: Any) -> bool:
    if mark in ("==", "!="):
        return equal(a, b) is (mark == "==")
    numbers = type(a) in (int, float) and type(b) in (int, float)
    if not numbers and (type(a) is not str or type(b) is not str):
        return False
    order = compare(a, b)
    return "=" in mark if order == 0 else (order < 0) is (mark[0] == "<")


def _step(container: Evaluate, key: Evaluate) -> Expression:
    return Expression(lambda scope: _at(container(scope), key(scope)))


def _at(container: Any, key: Any) -> Any:
    """Give a field or item; what is not there is nil."""
    fields: Any = container.fields if type(container) is StructValue else container
    if type(fields) is dict:
        return fields.get(key) if type(key) is str else None
    if type(fields) in (list, str) and type(key) is int and -len(fields) <= key < len(fields):
        return fields[key]
    return None
