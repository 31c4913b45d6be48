"""String literals: escapes, raw and triple-quoted forms, and holes whose tokens lie in the same stream."""

from __future__ import annotations

import re

from harnpy.syntax import tokens as t
from harnpy.syntax.fault import UNEXPECTED_CHARACTER, UNTERMINATED_STRING, Fault
from harnpy.syntax.tokens import Tokens

_PLAIN_TEXT = re.compile(r'[^"\\\n$]*+(?:(?:\\[^\n]|\$(?!\{))[^"\\\n$]*+)*+')
_TRIPLE_STOP = re.compile(r'"""|\$\{')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\", '"': '"', "$": "$"}
_UNTERMINATED = "Unterminated string"
_UNTERMINATED_HOLE = "Unterminated string interpolation"
_LINE_HINT = 'a string ends on its line; one over several lines stands in `"""`'
_HOLE_HINT = "this `${` is not closed: `}` is missing"


class OpenString:
    """A string whose hole is being read."""

    __slots__ = ("depth", "first", "hole", "start", "texts", "triple")

    def __init__(self, start: int, triple: bool) -> None:
        self.start = start
        self.triple = triple
        self.hole = -1  # offset of the `${` being read
        self.depth = 0  # braces open in the hole
        self.first = 0  # index of the first token in the hole
        self.texts: list[int] = []  # indexes of the tokens with the literal pieces


class StringScanner:
    """Adds the tokens of strings to the stream; ``open`` holds the strings around the current hole."""

    def __init__(self, text: str, tokens: Tokens) -> None:
        self.text = text
        self.tokens = tokens
        self.open: list[OpenString] = []

    def begin(self, start: int, *, triple: bool) -> int:
        """Read a string from its opening quote to its end or to its first hole."""
        return self._text(OpenString(start, triple), start + (3 if triple else 1))

    def close_hole(self, brace: int) -> int:
        """Take the ``}`` that ends a hole, and go on with the string around it."""
        string = self.open.pop()
        kinds = self.tokens.kinds
        if all(kind == t.NEWLINE for kind in kinds[string.first :]):
            raise Fault("Unexpected character '}'", (brace, brace + 1), UNEXPECTED_CHARACTER, placed=True)
        self.tokens.add(t.HOLE_CLOSE, "}", brace, brace + 1)
        return self._text(string, brace + 1)

    def finish(self) -> None:
        """Complain when the text ended inside a hole."""
        if self.open:
            hole = self.open[-1].hole
            place, end = (hole, hole + 2), len(self.text)
            raise Fault(_UNTERMINATED_HOLE, place, UNTERMINATED_STRING, hint=_HOLE_HINT, incomplete=True, end=end)

    def raw(self, start: int, *, hashes: int) -> int:
        """Read ``r"..."`` or ``r#"..."#``."""
        body = start + hashes + 2
        closer = '"' + "#" * hashes
        end = self.text.find(closer, body)
        line_end = self.text.find("\n", body)
        if end < 0 or 0 <= line_end < end:
            raise self._unterminated(start, incomplete=False)
        self.tokens.add(t.RAW_STRING, self.text[body:end], start, end + len(closer))
        return end + len(closer)

    def _text(self, string: OpenString, pos: int) -> int:
        """Read literal text from ``pos`` to the end of the string or to the next hole."""
        value, end = self._triple_text(string, pos) if string.triple else self._plain_text(string, pos)
        if self.text[end] == '"':
            return self._end(string, value, pos, end)
        tokens = self.tokens
        if string.hole < 0:
            tokens.add(t.INTERP_START, "triple" if string.triple else "plain", string.start, pos)
        self._piece(string, value, pos, end)
        tokens.add(t.HOLE_OPEN, "${", end, end + 2)
        string.hole, string.depth, string.first = end, 0, len(tokens.kinds)
        self.open.append(string)
        return end + 2

    def _piece(self, string: OpenString, value: str, start: int, end: int) -> None:
        if value or string.triple:
            string.texts.append(len(self.tokens.kinds))
            self.tokens.add(t.INTERP_TEXT, value, start, end)

    def _end(self, string: OpenString, value: str, pos: int, quote: int) -> int:
        tokens, end = self.tokens, quote + (3 if string.triple else 1)
        if string.hole >= 0:
            self._piece(string, value, pos, quote)
            if string.triple:
                self._dedent_pieces(string)
            tokens.add(t.INTERP_END, '"', quote, end)
        elif string.triple:
            tokens.add(t.TRIPLE_STRING, dedent([value])[0], string.start, end)
        else:
            tokens.add(t.STRING, value, string.start, end)
        return end

    def _dedent_pieces(self, string: OpenString) -> None:
        values = self.tokens.values
        pieces = dedent([str(values[index]) for index in string.texts])
        for index, piece in zip(string.texts, pieces, strict=True):
            values[index] = piece

    def _plain_text(self, string: OpenString, pos: int) -> tuple[str, int]:
        found = _PLAIN_TEXT.match(self.text, pos)
        end = found.end() if found else pos
        if end >= len(self.text) or self.text[end] not in '"$':
            raise self._unterminated(string.start, incomplete=False)
        value = self.text[pos:end]
        return (_ESCAPE.sub(_unescape, value) if "\\" in value else value), end

    def _triple_text(self, string: OpenString, pos: int) -> tuple[str, int]:
        text, pieces, start, search = self.text, [], pos, pos
        while True:
            stop = _TRIPLE_STOP.search(text, search)
            if stop is None:
                raise self._unterminated(string.start, incomplete=True)
            at, search = stop.span()
            escaped = at > pos and text[at - 1] == "\\" and not (at - 1 > pos and text[at - 2] == "\\")
            if stop.group() == '"""' or not escaped:
                pieces.append(text[start:at])
                return "".join(pieces).replace("\r\n", "\n"), at
            pieces.append(text[start : at - 1])
            start = at

    def _unterminated(self, start: int, *, incomplete: bool) -> Fault:
        """Make the fault; inside a hole it is the hole that has no end."""
        if self.open and not incomplete:
            hole = self.open[-1].hole
            return Fault(_UNTERMINATED_HOLE, (hole, hole + 2), UNTERMINATED_STRING, hint=_HOLE_HINT)
        place, end = (start, start + 1), len(self.text) if incomplete else None
        hint = None if incomplete else _LINE_HINT
        code = UNTERMINATED_STRING
        return Fault(_UNTERMINATED, place, code, hint=hint, incomplete=incomplete, placed=True, end=end)


def _unescape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found.group(1)) or found.group()


def dedent(pieces: list[str]) -> list[str]:
    """Take the layout out of a triple-quoted string whose literal pieces are given (language 1.4)."""
    pieces[0] = pieces[0].removeprefix("\n")
    split = [piece.split("\n") for piece in pieces]
    margin = _margin(split)
    result = []
    for number, lines in enumerate(split):
        last_piece = number == len(split) - 1
        for at in range(0 if number == 0 else 1, len(lines)):
            blank = lines[at].isspace() and (last_piece or at < len(lines) - 1)
            lines[at] = "" if blank else lines[at][margin:]
        result.append("\n".join(lines))
    if len(result) > 1 and (not result[-1] or result[-1].isspace()):
        result[-1] = ""
    else:
        result[-1] = result[-1].removesuffix("\n")
    return result


def _margin(split: list[list[str]]) -> int:
    """Count the leading blanks that all lines that are not blank share; a hole counts as text."""
    margins = []
    for number, lines in enumerate(split):
        hole_follows = number < len(split) - 1
        for at in range(0 if number == 0 else 1, len(lines)):
            stripped = lines[at].lstrip(" \t")
            if (stripped and not stripped.isspace()) or (hole_follows and at == len(lines) - 1):
                margins.append(len(lines[at]) - len(stripped))
    return min(margins, default=0)
