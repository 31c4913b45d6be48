"""Cuts the text of a template into texts and directives, and says where they stand (builtins 1.17)."""

from __future__ import annotations

import re

from harnpy.errors import HarnError, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_END_RAW = re.compile(r"\{\{(-?)\s*endraw\s*(-?)\}\}")
_TRIM_BEFORE = re.compile(r"(\r?\n)?[ \t]*\Z")
_TRIM_AFTER = re.compile(r"[ \t]*(\r?\n)?")


class Template:
    """The text of a template; ``path`` is ``""`` for a text without a file, ``most`` bounds what filters make."""

    __slots__ = ("most", "path", "text")

    def __init__(self, text: str, path: str, most: int) -> None:
        self.text = text
        self.path = path
        self.most = most

    def line_column(self, at: int) -> tuple[int, int]:
        """Give line and column of an offset, from 1."""
        return self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)

    def fault(self, at: int, message: str) -> HarnError:
        """Make the error of something at an offset."""
        line, column = self.line_column(at)
        where = f"{self.path} " if self.path else ""
        return thrown_text(f"{where}at {line}:{column}: {message}")


class Piece:
    """A verbatim text, or the inside of a directive (``at``: where its ``{{`` stands; ``inside``: its content)."""

    __slots__ = ("at", "inside", "is_directive", "text")

    def __init__(self, text: str, at: int, inside: int = 0, *, is_directive: bool = False) -> None:
        self.text = text
        self.at = at
        self.inside = inside
        self.is_directive = is_directive


def scan(template: Template) -> Iterator[Piece]:
    """Give the pieces of a template in order; comments are dropped and raw blocks are texts."""
    text = template.text
    at = 0
    trims = False
    while True:
        opening = text.find("{{", at)
        end = len(text) if opening < 0 else opening
        start = _after_trim(text, at, end) if trims else at
        if opening < 0:
            yield Piece(text[start:], start)
            return
        trims_before = text.startswith("{{-", opening)
        yield Piece(_trim_end(text[start:end]) if trims_before else text[start:end], start)
        inside = opening + 3 if trims_before else opening + 2
        closing = _closing(template, opening, inside)
        is_comment = text.startswith("#", inside)
        at = closing + 2
        trims = text[closing - 1] == "-" and closing > inside
        content = text[inside : closing - 1 if trims else closing]
        if content.strip() == "raw" and not is_comment:
            raw, at, trims = _raw(template, opening, at, trims)
            yield raw
        elif not is_comment:
            yield Piece(content, opening, inside, is_directive=True)


def _after_trim(text: str, at: int, end: int) -> int:
    match = _TRIM_AFTER.match(text, at, end)
    return match.end() if match else at


def _trim_end(text: str) -> str:
    match = _TRIM_BEFORE.search(text)
    return text[: match.start()] if match else text


def _closing(template: Template, opening: int, inside: int) -> int:
    """Find the ``}}`` of a directive; one inside a string literal does not count."""
    text = template.text
    if text.startswith("#", inside):
        end = text.find("#}}", inside + 1)
        if end < 0:
            raise template.fault(opening, "unterminated comment")
        return end + 1
    at, quote = inside, ""
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif text.startswith("}}", at):
            return at
        at += 1
    # With an unclosed string the nearest end is meant: reading the directive then reports the string.
    end = text.find("}}", inside) if quote else -1
    if end < 0:
        raise template.fault(opening, "unterminated directive")
    return end


def _raw(template: Template, opening: int, at: int, trims: bool) -> tuple[Piece, int, bool]:
    end = _END_RAW.search(template.text, at)
    if end is None:
        raise template.fault(opening, "unterminated `{{ raw }}` block")
    start = _after_trim(template.text, at, end.start()) if trims else at
    content = template.text[start : end.start()]
    return Piece(_trim_end(content) if end[1] else content, start), end.end(), bool(end[2])
