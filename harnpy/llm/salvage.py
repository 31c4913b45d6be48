"""Makes JSON out of text that nearly is JSON (llm 3.5): prose, trailing commas, bare keys, cut ends."""

from __future__ import annotations

from harnpy.llm.json_values import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CLOSING = {"{": "}", "[": "]"}
_SPACE = " \t\r\n"


def salvage_json(text: str) -> tuple[bool, Any]:
    """Give ``(True, value)`` when the first object or list of ``text`` can be mended."""
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    if not starts:
        return False, None
    try:
        return True, read_json(_Mender(text, min(starts)).run())
    except ValueError:
        return False, None


class _Mender:
    """Copies one value token by token and corrects what is wrong on the way."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._at = start
        self._out: list[str] = []
        self._open: list[str] = []

    def run(self) -> str:
        """Give the mended text of the value."""
        text, size = self._text, len(self._text)
        while self._at < size:
            char = text[self._at]
            if char in _CLOSING:
                self._open.append(char)
                self._put(char)
            elif char in "}]":
                self._close(char)
            elif char in "\"'":
                self._string(char)
            elif char.isalpha() or char in "_$":
                self._word()
            else:
                self._put(char)
            if not self._open:
                break
        self._finish()
        return "".join(self._out)

    def _put(self, char: str) -> None:
        self._out.append(char)
        self._at += 1

    def _close(self, char: str) -> None:
        """Close the innermost bracket; one of another kind is beyond mending."""
        if _CLOSING[self._open[-1]] != char:
            raise ValueError("brackets do not match")
        self._drop_comma()
        self._open.pop()
        self._put(char)

    def _drop_comma(self) -> None:
        while self._out and self._out[-1] in _SPACE:
            self._out.pop()
        if self._out and self._out[-1] == ",":
            self._out.pop()

    def _string(self, quote: str) -> None:
        """Copy a string with double quotes; raw line ends are escaped, a cut one is closed."""
        text, size = self._text, len(self._text)
        piece = ['"']
        self._at += 1
        while self._at < size and text[self._at] != quote:
            char = text[self._at]
            self._at += 1
            if char == "\\" and self._at < size:
                following = text[self._at]
                piece.append(following if following == "'" else char + following)
                self._at += 1
            elif char == "\\":
                break
            else:
                piece.append({'"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char, char))
        self._at += 1
        self._out.append("".join(piece) + '"')

    def _word(self) -> None:
        """Copy a literal, or quote a bare key; words of other languages become their JSON form."""
        text, start = self._text, self._at
        while self._at < len(text) and (text[self._at].isalnum() or text[self._at] in "_$-."):
            self._at += 1
        word = text[start : self._at]
        after = self._at
        while text[after : after + 1].isspace():
            after += 1
        if self._open[-1:] == ["{"] and text.startswith(":", after):
            self._out.append(f'"{word}"')
        else:
            self._out.append({"True": "true", "False": "false", "None": "null", "nil": "null"}.get(word, word))

    def _finish(self) -> None:
        """Close what the end of the text left open; a key without its value goes."""
        while self._open:
            self._drop_comma()
            if self._out and self._out[-1] == ":":
                self._out.append("null")
            self._out.append(_CLOSING[self._open.pop()])
