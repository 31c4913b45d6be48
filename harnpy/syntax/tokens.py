"""Tokens: four parallel lists, and the words that the language gives a meaning."""

from __future__ import annotations

RESERVED = frozenset(
    """break catch const continue deadline defer emit else enum eval_pack exclusive extends false finally fn for from
    guard if impl import in interface let match mutex nil override parallel pipeline pub require retry return select
    skill spawn struct throw to tool true try type var while yield""".split()
)

# Plain identifiers that mean something in one place (language 1.2). The scanner gives them the
# kind CONTEXTUAL; the layout pass makes an IDENT or a terminal of its own of each.
CONTEXTUAL_WORDS = frozenset(
    """gen each settle with as not where throws out timeout default description block scope cost_route stream""".split()
)

NEWLINE = "NEWLINE"
END = "$END"
IDENT = "IDENT"
CONTEXTUAL = "CONTEXTUAL"
NAME = "NAME"  # after a dot
KEY = "KEY"  # a keyword that is the key of a dict
INT = "INT"
FLOAT = "FLOAT"
DURATION = "DURATION"
STRING = "STRING"
RAW_STRING = "RAW_STRING"
TRIPLE_STRING = "TRIPLE_STRING"
INTERP_START = "INTERP_START"
INTERP_TEXT = "INTERP_TEXT"
HOLE_OPEN = "HOLE_OPEN"
HOLE_CLOSE = "HOLE_CLOSE"
INTERP_END = "INTERP_END"
BLOCK = "BLOCK"  # the brace of a block or of a body
DICT = "DICT"  # of a dict, a shape, a pattern, an import list
CLOSURE = "CLOSURE"
STRUCT = "STRUCT"  # of a struct literal
TERNARY = "TERNARY"
MAYBE = "MAYBE"  # postfix `?`: propagation, or `T?`
MAYBE_INDEX = "MAYBE_INDEX"  # `?` of `x?[i]`
UNWRAP = "UNWRAP"  # postfix `!`
FIELD = "FIELD"  # the name of a field of a skill
TYPE_OPEN = "TYPE_OPEN"  # `<` and `>` around types
TYPE_CLOSE = "TYPE_CLOSE"

KINDS: dict[str, str] = {word: word for word in RESERVED} | dict.fromkeys(CONTEXTUAL_WORDS, CONTEXTUAL)


class Tokens:
    """The tokens of one text: kind, value, start and end of each."""

    __slots__ = ("ends", "kinds", "starts", "values")

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.values: list[object] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, kind: str, value: object, start: int, end: int) -> None:
        """Append one token."""
        self.kinds.append(kind)
        self.values.append(value)
        self.starts.append(start)
        self.ends.append(end)
