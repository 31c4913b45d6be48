"""From characters to raw tokens: words, numbers, operators, comments and line breaks (language 1)."""

from __future__ import annotations

import re

from harnpy.syntax import tokens as t
from harnpy.syntax.fault import INT_OUT_OF_RANGE, UNEXPECTED_CHARACTER, UNTERMINATED_COMMENT, Fault
from harnpy.syntax.foreign import CHARACTERS
from harnpy.syntax.strings import StringScanner
from harnpy.syntax.tokens import Tokens

_SKIP = r"(?:[ \t\r]+|//[^\n]*|\\\r?\n)*+"
_SKIP_IN_HOLE = r"(?:[ \t\r]+|//[^\n]*)*+"
_ONE = r"""(?:
    (?P<raw>r\#*")
  | (?P<word>[^\W\d]\w*(?:\?(?=\()(?:(?<=\.all\?)|(?<=\.none\?)))?)   # two methods end in "?" (builtins 2.2)
  | (?P<op>\.\.\.|\*\*|==|!=|&&|\|\||\|>|\?\?|\?\.|->|-=|\+=|\*=|/=|%=|<=|>=|/(?![/*])|[{}()\[\],:;.=!+\-*%<>?|&@])
  | (?P<newline>\n)
  | (?P<string>"(?!"")[^"\\\n$]*")
  | (?P<number>[0-9]+(?:\.[0-9]+|(?:ms|[smhdw])(?!\w))?)
  | (?P<quote>"(?:"")?)
  | (?P<comment>/\*)
)"""
_TOKEN = re.compile(_SKIP + _ONE, re.VERBOSE)
_TOKEN_IN_HOLE = re.compile(_SKIP_IN_HOLE + _ONE, re.VERBOSE)
_BLANK = re.compile(_SKIP)
_BLANK_IN_HOLE = re.compile(_SKIP_IN_HOLE)
_COMMENT_MARK = re.compile(r"/\*|\*/")
_NUMBER = re.compile(r"([0-9]+)(?:(\.[0-9]+)|(ms|[smhdw]))?")

_INT_MAX = 2**63 - 1
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


class Scanner:
    """Reads one text into tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = Tokens()
        self.strings = StringScanner(text, self.tokens)

    def run(self) -> Tokens:
        """Scan the whole text."""
        text, tokens, strings = self.text, self.tokens, self.strings
        kinds, values, starts, ends = tokens.kinds, tokens.values, tokens.starts, tokens.ends
        open_strings, kind_of = strings.open, t.KINDS.get
        match, match_in_hole = _TOKEN.match, _TOKEN_IN_HOLE.match
        pos = self._start()
        while True:
            found = match_in_hole(text, pos) if open_strings else match(text, pos)
            if found is None:
                break
            group = found.lastgroup
            start, pos = found.span(group)  # type: ignore[arg-type]
            value = text[start:pos]
            if group == "word" and value.isascii():
                kind = kind_of(value, "IDENT")
            elif group == "op" and not (open_strings and value in "{}"):
                kind = value
            elif group == "newline":
                if kinds and kinds[-1] == "NEWLINE":
                    continue
                kind = "NEWLINE"
            elif group == "string":
                kind, value = "STRING", value[1:-1]
            else:
                pos = self._rare(group, value, start, pos)
                continue
            kinds.append(kind)
            values.append(value)
            starts.append(start)
            ends.append(pos)
        self._finish(pos)
        return tokens

    def _start(self) -> int:
        """Skip a shebang line."""
        text = self.text
        if text.startswith("#!"):
            end = text.find("\n")
            return len(text) if end < 0 else end
        return 0

    def _finish(self, pos: int) -> None:
        """Check that nothing but blank is left."""
        blank = (_BLANK_IN_HOLE if self.strings.open else _BLANK).match(self.text, pos)
        end = blank.end() if blank else pos
        if end < len(self.text):
            raise unexpected_character(self.text[end], end)
        self.strings.finish()
        self.tokens.add(t.END, "", end, end)

    def _rare(self, group: str | None, value: str, start: int, end: int) -> int:
        """Take a token that needs more than its text; give where to go on."""
        if group == "number":
            self._number(value, start, end)
            return end
        if group == "quote":
            return self.strings.begin(start, triple=value == '"""')
        if group == "op":
            return self._brace_in_hole(value, start, end)
        if group == "raw":
            return self.strings.raw(start, hashes=len(value) - 2)
        if group == "comment":
            return self._block_comment(start)
        return self._word(start, end)

    def _brace_in_hole(self, brace: str, start: int, end: int) -> int:
        if brace == "{":
            self.strings.open[-1].depth += 1
        elif self.strings.open[-1].depth == 0:
            return self.strings.close_hole(start)
        else:
            self.strings.open[-1].depth -= 1
        self.tokens.add(brace, brace, start, end)
        return end

    def _word(self, start: int, end: int) -> int:
        """Take an identifier that is not plain ASCII."""
        text = self.text
        if not (text[start].isalpha() or text[start] == "_"):
            raise unexpected_character(text[start], start)
        # Vowel signs and the like belong to a word but are no \w for Python.
        while end < len(text) and (text[end].isalnum() or text[end] == "_" or _is_vowel_sign(text[end])):
            end += 1
        self.tokens.add(t.IDENT, text[start:end], start, end)
        return end

    def _number(self, text: str, start: int, end: int) -> None:
        found = _NUMBER.fullmatch(text)
        if found is None:  # pragma: no cover - the token pattern is the same
            raise unexpected_character(text[0], start)
        digits, fraction, unit = found.groups()
        if fraction is not None:
            self.tokens.add(t.FLOAT, float(text), start, end)
            return
        # Longer digit strings are out of range anyway, and Python limits their conversion.
        significant = digits.lstrip("0")
        whole = int(digits[-19:]) if len(significant) <= 19 else _INT_MAX + 1
        if unit is not None:
            self.tokens.add(t.DURATION, (min(whole * _UNIT_MS[unit], _INT_MAX), text), start, end)
            return
        if whole > _INT_MAX:
            message = f"Integer literal `{text}` is out of range for int (i64)"
            raise Fault(message, (start, end), INT_OUT_OF_RANGE, placed=True)
        self.tokens.add(t.INT, whole, start, end)

    def _block_comment(self, start: int) -> int:
        """Skip a comment, which may hold others."""
        depth = 0
        for mark in _COMMENT_MARK.finditer(self.text, start):
            depth += 1 if mark.group() == "/*" else -1
            if depth == 0:
                return mark.end()
        span, end = (start, start + 2), len(self.text)
        raise Fault("Unterminated block comment", span, UNTERMINATED_COMMENT, incomplete=True, placed=True, end=end)


def _is_vowel_sign(char: str) -> bool:
    import unicodedata

    return unicodedata.category(char) in ("Mn", "Mc") and unicodedata.combining(char) == 0


def unexpected_character(char: str, at: int) -> Fault:
    """Make the fault about ``char``."""
    shown = char if char.isprintable() else f"\\u{{{ord(char):x}}}"
    message, hint = f"Unexpected character '{shown}'", CHARACTERS.get(char)
    return Fault(message, (at, at + 1), UNEXPECTED_CHARACTER, hint=hint, placed=True)


def scan(text: str) -> Tokens:
    """Read ``text`` into raw tokens; the last one is the end of the text."""
    return Scanner(text).run()
