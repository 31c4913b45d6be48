"""How control leaves a statement: signals between statements, jumps out of expressions.

A compiled statement gives ``None`` when the next one follows, or a signal: ``BREAK``, ``CONTINUE``,
or a one-element tuple with the value of a ``return``. A block in expression position has no way to
hand a signal on, so there a ``return``, ``break`` or ``continue`` raises a jump, which only the loop or
function that it leaves catches (``signals.py`` finds out which of them can be hit by one).
"""

from __future__ import annotations

from harnpy.errors import ControlSignal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Signal:
    """A signal without a value."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word

    def __repr__(self) -> str:
        return f"<{self.word}>"


BREAK = _Signal("break")
CONTINUE = _Signal("continue")


class BreakJump(ControlSignal):
    """``break`` out of an expression."""


class ContinueJump(ControlSignal):
    """``continue`` out of an expression."""


class ReturnJump(ControlSignal):
    """``return`` (or a propagated ``Err``) out of an expression.

    ``frame`` is the frame of the function that returns; any other function lets it pass.
    """

    def __init__(self, frame: list[Any], value: Any) -> None:
        super().__init__()
        self.frame = frame
        self.value = value
