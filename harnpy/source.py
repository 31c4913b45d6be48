"""Source texts and the mapping from an offset in them to a line and a column."""

from __future__ import annotations

from bisect import bisect_right

# A half-open range of code-point offsets in one source text. A plain tuple: spans are made by the
# ten thousand, are compared, pickled and hashed, and must not cost an import at start-up.
Span = tuple[int, int]


class Source:
    """One text with the name under which it is shown (language 1.1).

    ``path`` is the canonical path of a file, or a label such as ``<stdin>``. ``text`` has no
    byte-order mark at its start and is otherwise what stands in the file.
    """

    __slots__ = ("_starts", "path", "text")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text.removeprefix("\ufeff")
        self._starts: list[int] | None = None

    def _line_starts(self) -> list[int]:
        starts = self._starts
        if starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """Give the 1-based line and column of ``offset``; columns count code points."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """Give the text of 1-based ``line`` without its line break."""
        starts = self._line_starts()
        start = starts[line - 1]
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Give the 1-based line and column of ``offset`` in ``text``: for one look-up."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
