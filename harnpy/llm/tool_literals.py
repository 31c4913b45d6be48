"""Reads the argument of a tool call that stands in text: one TypeScript-like object literal (llm 5.3)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEPTH_LIMIT = 100
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "undefined": None}


class LiteralFault(ValueError):
    """The text is no literal; the message says what was expected."""


def is_name_start(char: str) -> bool:
    """Tell whether a bare name may begin with ``char``."""
    return char.isalpha() or char in "_$"


def name_end(text: str, at: int) -> int:
    """Give the end of the bare name at ``at``."""
    while at < len(text) and (text[at].isalnum() or text[at] in "_$-."):
        at += 1
    return at


def skip_blank(text: str, at: int) -> int:
    """Give the next place that is neither white space nor comment."""
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                raise LiteralFault("unterminated comment")
            at = end + 2
        else:
            break
    return at


def read_object(text: str, at: int) -> tuple[dict[str, Any], int]:
    """Read the object literal at ``at``: its value and its end.

    Raises:
        LiteralFault: the text at ``at`` is no object literal.
    """
    return _object(text, at, 0)


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    _check_depth(depth)
    value: dict[str, Any] = {}
    at = skip_blank(text, at + 1)
    while not text.startswith("}", at):
        key, at = _key(text, at)
        at = skip_blank(text, at)
        if not text.startswith(":", at):
            raise LiteralFault(f"expected `:` after key `{key}` inside object literal")
        value[key], at = _value(text, skip_blank(text, at + 1), depth + 1)
        at = _after_item(text, at, "}", "object literal")
    return value, at + 1


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    _check_depth(depth)
    items: list[Any] = []
    at = skip_blank(text, at + 1)
    while not text.startswith("]", at):
        item, at = _value(text, at, depth + 1)
        items.append(item)
        at = _after_item(text, at, "]", "array literal")
    return items, at + 1


def _check_depth(depth: int) -> None:
    if depth > _DEPTH_LIMIT:
        raise LiteralFault("the literal is nested too deeply")


def _after_item(text: str, at: int, closing: str, where: str) -> int:
    """Step over the comma behind an item, or stay at the closing bracket."""
    at = skip_blank(text, at)
    if text.startswith(",", at):
        return skip_blank(text, at + 1)
    if not text.startswith(closing, at):
        raise LiteralFault(f"expected `,` or `{closing}` inside {where}")
    return at


def _key(text: str, at: int) -> tuple[str, int]:
    if at >= len(text):
        raise LiteralFault("expected `}` at the end of the object literal")
    if text[at] in "'\"":
        return _string(text, at)
    end = name_end(text, at)
    if end == at:
        raise LiteralFault(f"expected a key inside object literal, got `{text[at]}`")
    return text[at:end], end


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if at >= len(text):
        raise LiteralFault("expected a value, got the end of the text")
    char = text[at]
    if char == "{":
        return _object(text, at, depth)
    if char == "[":
        return _array(text, at, depth)
    if char in "'\"`":
        return _string(text, at)
    if text.startswith("<<", at):
        return _heredoc(text, at)
    if char.isdigit() or char in "+-.":
        return _number(text, at)
    end = name_end(text, at)
    word = text[at:end]
    if word in _WORDS:
        return _WORDS[word], end
    raise LiteralFault(f"expected a value, got `{word or char}`")


def _in_number(char: str, before: str) -> bool:
    return char.isalnum() or char in "._" or (char in "+-" and before in "eE")


def _number(text: str, at: int) -> tuple[int | float, int]:
    end = at + 1
    while end < len(text) and _in_number(text[end], text[end - 1]):
        end += 1
    raw = text[at:end].replace("_", "")
    try:
        return int(raw, 10 if raw.lstrip("+-").isdecimal() else 0), end
    except ValueError:
        pass
    try:
        number = float(raw)
    except ValueError:
        raise LiteralFault(f"`{text[at:end]}` is not a number") from None
    if number - number != 0.0:
        raise LiteralFault(f"`{text[at:end]}` is not a number")
    return number, end


def _string(text: str, at: int) -> tuple[str, int]:
    quote, parts, start = text[at], list[str](), at + 1
    at = start
    while at < len(text):
        char = text[at]
        if char == quote:
            parts.append(text[start:at])
            return "".join(parts), at + 1
        if char == "\\":
            parts.append(text[start:at])
            escaped, at = _escape(text, at + 1)
            parts.append(escaped)
            start = at
        elif char == "\n" and quote != "`":
            break
        else:
            at += 1
    raise LiteralFault("unterminated string")


def _escape(text: str, at: int) -> tuple[str, int]:
    char = text[at : at + 1]
    if char == "x":
        return _code(text[at + 1 : at + 3], 2), at + 3
    if char == "u" and text.startswith("{", at + 1):
        end = text.find("}", at)
        return _code(text[at + 2 : max(end, at + 2)], 0), end + 1
    if char == "u":
        unit = _code(text[at + 1 : at + 5], 4)
        if "\ud800" <= unit <= "\udbff" and text.startswith("\\u", at + 5):
            low = _code(text[at + 7 : at + 11], 4)
            if "\udc00" <= low <= "\udfff":
                return chr(0x10000 + ((ord(unit) - 0xD800) << 10) + ord(low) - 0xDC00), at + 11
        return unit, at + 5
    if not char:
        raise LiteralFault("unterminated string")
    return _ESCAPES.get(char, char), at + 1


def _code(digits: str, size: int) -> str:
    try:
        if digits and (not size or len(digits) == size):
            return chr(int(digits, 16))
    except (ValueError, OverflowError):
        pass
    raise LiteralFault(f"bad escape `\\{'x' if size == 2 else 'u'}{digits}`")


def _heredoc(text: str, at: int) -> tuple[str, int]:
    """Read ``<<TAG``, lines, and a line whose first word is ``TAG``; what follows on that line goes on."""
    at += 2
    quote = text[at : at + 1] if text[at : at + 1] in ("'", '"') else ""
    end = name_end(text, at + len(quote))
    tag = text[at + len(quote) : end]
    line_end = text.find("\n", end)
    if not tag or line_end < 0 or text[end:line_end].strip(" \t\r" + (quote or " ")):
        raise LiteralFault("expected `<<TAG` and a line break")
    start = position = line_end + 1
    while position <= len(text):
        line_end = text.find("\n", position)
        line = text[position : len(text) if line_end < 0 else line_end]
        word = line.lstrip()
        if word.startswith(tag) and name_end(word, 0) == len(tag):
            body = text[start : max(start, position - 1)]
            return body, position + len(line) - len(word) + len(tag)
        if line_end < 0:
            break
        position = line_end + 1
    raise LiteralFault(f"the heredoc `<<{tag}` has no line that begins with `{tag}`")
