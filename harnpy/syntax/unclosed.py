"""Finds the bracket that was never closed, and points at it instead of at the place where that was noticed."""

from __future__ import annotations

from harnpy.source import Span, line_column
from harnpy.syntax import tokens as t
from harnpy.syntax.fault import UNEXPECTED_END, Fault
from harnpy.syntax.tokens import Tokens

_CURLY = (t.BLOCK, t.DICT, t.CLOSURE, t.STRUCT)
_PAIRS = {
    "(": ("(", ")"),
    "[": ("[", "]"),
    **dict.fromkeys(_CURLY, ("{", "}")),
    t.HOLE_OPEN: ("${", "}"),
    t.TYPE_OPEN: ("<", ">"),
}
_CLOSERS = {")": ")", "]": "]", "}": "}", t.HOLE_CLOSE: "}", t.TYPE_CLOSE: ">"}
_LISTED = ("(", "[", t.DICT, t.STRUCT)
# Words that begin a statement and never an element between `(` or `[` and its end.
_STATEMENTS = frozenset(("let", "const", "return", "while", "throw", "break", "continue", "struct", "enum", "import"))


def openers(tokens: Tokens, index: int) -> list[int]:
    """Give the indexes of the brackets that are open at ``index``."""
    opened: list[int] = []
    for at in range(index):
        kind = tokens.kinds[at]
        if kind in _PAIRS:
            opened.append(at)
        elif kind in _CLOSERS and opened:
            opened.pop()
    return opened


def at_end(tokens: Tokens, text: str, message: str, end: Span, opener: int | None, advice: str | None) -> Fault:
    """Make the fault of a text that ends too early: it points at the bracket that was never closed."""
    if opener is None:
        return Fault(message, end, UNEXPECTED_END, hint=advice, incomplete=True)
    early = _closed_too_early(tokens, text, opener)
    place = opener if early is None else early[0]
    sign, closer = _PAIRS[tokens.kinds[place]]
    if early is not None:
        line, column = line_column(text, tokens.starts[early[1]])
        advice = f"this `{sign}` seems not to be closed: the `{closer}` at {line}:{column} stands further left"
    span = (tokens.starts[place], tokens.ends[place])
    advice = advice or f"this `{sign}` is not closed: `{closer}` is missing"
    return Fault(message, span, UNEXPECTED_END, hint=advice, incomplete=True, end=end[0])


def unclosed(tokens: Tokens, text: str, message: str, index: int, opened: list[int]) -> Fault | None:
    """Make the fault for a token that shows which of the ``opened`` brackets was not closed; None when it does not."""
    kind, here = tokens.kinds[index], (tokens.starts[index], tokens.ends[index])
    closed = _CLOSERS.get(kind)
    if closed is not None and all(_PAIRS[tokens.kinds[at]][1] != closed for at in opened):
        return Fault(message, here, hint=f"nothing is open here that `{closed}` closes", placed=True)
    if not opened:
        return None
    opener = opened[-1]
    sign, closer = _PAIRS[tokens.kinds[opener]]
    wrong = closed is not None and closed != closer
    start = tokens.starts[opener]
    several_lines = "\n" in text[start : here[0]]
    if several_lines and (wrong or (kind in _STATEMENTS and sign in "([")):
        advice = f"this `{sign}` is not closed: `{closer}` is missing"
        return Fault(message, (start, tokens.ends[opener]), hint=advice, placed=True, at=here[0])
    if not wrong and not (several_lines and tokens.kinds[opener] in _LISTED):
        return None
    line, column = line_column(text, start)
    return Fault(message, here, hint=f"the `{sign}` at {line}:{column} is still open", placed=True)


def _closed_too_early(tokens: Tokens, text: str, opener: int) -> tuple[int, int] | None:
    """Give the first brace behind ``opener`` whose end begins a line further left than its own line, and that end."""
    opened: list[int] = []
    for at in range(opener + 1, len(tokens.kinds)):
        kind = tokens.kinds[at]
        if kind in _PAIRS:
            opened.append(at)
        elif kind in _CLOSERS and opened:
            begin = opened.pop()
            indent = _indent(text, tokens.starts[at])
            own_line = "\n" not in text[tokens.starts[begin] : tokens.starts[at]]
            begins_line = not text[tokens.starts[at] - indent : tokens.starts[at]].strip()
            if kind == "}" and not own_line and begins_line and indent < _indent(text, tokens.starts[begin]):
                return begin, at
    return None


def _indent(text: str, at: int) -> int:
    """Count the blanks at the beginning of the line of ``at``."""
    line = text[text.rfind("\n", 0, at) + 1 : at + 1]
    return len(line) - len(line.lstrip(" \t"))
