"""Look-ahead over raw tokens: which braces hold an arrow, which `?` has a `:`, which `<` could open types."""

from __future__ import annotations

from harnpy.syntax import tokens as t
from harnpy.syntax.kinds import CONTINUATIONS, OPERAND_STARTS
from harnpy.syntax.tokens import RESERVED, Tokens

_OPENERS = {"(": ")", "[": "]", "{": "}", t.HOLE_OPEN: t.HOLE_CLOSE}
_CLOSERS = frozenset(_OPENERS.values())
_MARKS = frozenset((*_OPENERS, *_CLOSERS, "->", "?", ":", ",", "<", ">", t.NEWLINE, t.END))
_TERNARY_STARTS = OPERAND_STARTS | {"(", "[", "{", "!", "-"}
_DECLARED_WITH_PARAMETERS = frozenset(("fn", "tool", "pipeline"))

_TYPE_ENDS = frozenset((t.IDENT, t.CONTEXTUAL, "nil", "true", "false", t.STRING, t.INT, ")", "]", "}", ">", "?"))
_TYPE_STARTS = frozenset((t.IDENT, t.CONTEXTUAL, "nil", "true", "false", t.STRING, t.INT, "fn", "[", "{", "("))
_TYPE_TOKENS = _TYPE_ENDS | _TYPE_STARTS | {"-", ":", "|", "&", ",", "->", "<", "...", "in", t.NEWLINE}


class Brackets:
    """What the look-ahead found, by index of the token.

    ``arrows``: the ``{`` with an arrow at depth 0 that belongs to no ``fn (...)`` group; ``ternaries``:
    the ``?`` with a ``:`` of its own; ``types``: the ``<`` whose ``>`` is given and that could hold
    types; ``heads``: the ``)`` that ends the parameters of a ``fn``, ``tool`` or ``pipeline``.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.kinds = tokens.kinds
        self.values = tokens.values
        self.arrows: set[int] = set()
        self.ternaries: set[int] = set()
        self.types: dict[int, int] = {}
        self._opened: dict[int, int] = {}  # `types` the other way round
        self.heads: set[int] = set()
        # Open brackets, innermost last: index of the opener, open `?`, open `<`, "no types in here".
        self._opener = -1
        self._questions: list[int] = []
        self._angles: list[int] = []
        self._untyped = False
        self._comma_held = False  # a comma stood behind an open `<`: between types, or after all an end
        self._outer: list[tuple[int, list[int], list[int], bool, bool]] = []
        self._run()

    def _run(self) -> None:
        kinds = self.kinds
        handlers = {
            "->": self._arrow,
            "?": self._question,
            ":": self._colon,
            ",": self._comma,
            "<": self._less,
            ">": self._greater,
            t.NEWLINE: self._newline,
        }
        for index, kind in enumerate(kinds):
            if kind not in _TYPE_TOKENS or (kind == "-" and kinds[index + 1] != t.INT):
                if kind not in RESERVED or kinds[index + 1] not in (":", "?"):  # not the key of a shape
                    self._untyped = True
                    if self._angles:
                        self._forget_angles()
            elif self._angles and kind in _TYPE_STARTS and kinds[index - 1] in _TYPE_ENDS:
                self._check_adjacent(index)
            if kind not in _MARKS:
                continue
            if kind in _OPENERS:
                self._outer.append((self._opener, self._questions, self._angles, self._untyped, self._comma_held))
                self._opener, self._questions, self._angles, self._untyped, self._comma_held = (
                    index,
                    [],
                    [],
                    False,
                    False,
                )
            elif kind in _CLOSERS:
                self._close(index, kind)
            elif kind in handlers:
                handlers[kind](index)

    def _check_adjacent(self, index: int) -> None:
        """Forget the open ``<``: no two types stand side by side, but for ``out T``."""
        if self.values[index - 1] != "out" or self.kinds[index - 2] not in ("<", ","):
            self._forget_angles()

    def _close(self, index: int, kind: str) -> None:
        opener = self._opener
        if opener < 0 or _OPENERS[self.kinds[opener]] != kind:
            return  # the parser will complain about it
        if kind == ")" and self._opens_parameters(opener):
            self.heads.add(index)
        inner_untyped = self._untyped
        self._opener, self._questions, self._angles, self._untyped, self._comma_held = self._outer.pop()
        if inner_untyped:
            self._untyped = True
            self._forget_angles()

    def _opens_parameters(self, opener: int) -> bool:
        kinds, before = self.kinds, opener - 1
        if before < 0:
            return False
        if kinds[before] == "fn":
            return True
        if kinds[before] == ">" and before in self._opened:
            before = self._opened[before] - 1
        return (
            kinds[before] in (t.IDENT, t.CONTEXTUAL) and before > 0 and kinds[before - 1] in _DECLARED_WITH_PARAMETERS
        )

    def _arrow(self, index: int) -> None:
        if index - 1 in self.heads:
            return
        self._forget_angles()
        if self._opener >= 0 and self.kinds[self._opener] == "{":
            self.arrows.add(self._opener)

    def _question(self, index: int) -> None:
        following = index + 1
        if self.kinds[following] == t.NEWLINE:
            following += 1
        if self.kinds[following] in _TERNARY_STARTS:
            self._questions.append(index)

    def _colon(self, index: int) -> None:
        if self._questions:
            self.ternaries.add(self._questions.pop())

    def _comma(self, index: int) -> None:
        if self._angles:
            self._comma_held = True
        else:
            self._questions.clear()

    def _forget_angles(self) -> None:
        self._angles.clear()
        if self._comma_held:
            self._comma_held = False
            self._questions.clear()

    def _newline(self, index: int) -> None:
        following = self.kinds[index + 1]
        if self._angles and self.kinds[index - 1] in _TYPE_ENDS and following not in (",", ">", "|"):
            self._forget_angles()
        goes_on = following in CONTINUATIONS or following in (":", "?") or self.kinds[index - 1] in ("?", ":")
        if self._questions and not goes_on:
            self._questions.clear()

    def _less(self, index: int) -> None:
        if self.kinds[index - 1] in (t.IDENT, t.CONTEXTUAL):
            self._angles.append(index)

    def _greater(self, index: int) -> None:
        if self._angles:
            opener = self._angles.pop()
            self.types[opener] = index
            self._opened[index] = opener
            if not self._angles and self._comma_held:
                self._comma_held = False
                if self.kinds[index + 1] in OPERAND_STARTS:  # a comparison
                    self._questions.clear()
