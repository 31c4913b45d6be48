"""How ``return``, ``break`` and ``continue`` are spelled in the Python function that is being generated."""

from __future__ import annotations

from harnpy.runtime.control import BREAK, CONTINUE, BreakJump, ContinueJump, ReturnJump
from harnpy.runtime.signals import BREAK as BREAK_BIT
from harnpy.runtime.signals import CONTINUE as CONTINUE_BIT
from harnpy.runtime.signals import RETURN as RETURN_BIT
from harnpy.runtime.templates import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.templates import Builder


class Flow:
    """The spelling in one place: ``leave`` is a format for ``return``; the others are whole lines."""

    __slots__ = ("go_on", "leave", "stop")

    def __init__(self, leave: str, stop: str, go_on: str) -> None:
        self.leave = leave
        self.stop = stop
        self.go_on = go_on

    def in_loop(self) -> Flow:
        """Give the spelling inside a loop that is written into the same Python function."""
        return Flow(self.leave, "break", "continue")


# The body of a function gives the value itself.
BODY = Flow("return {}", "raise BreakJump()", "raise ContinueJump()")
# A statement gives a signal.
STATEMENT = Flow("return ({},)", "return BREAK", "return CONTINUE")
# An expression can only jump.
EXPRESSION = Flow("raise ReturnJump(f, {})", "raise BreakJump()", "raise ContinueJump()")


def leave_by(b: Builder, signal: str, bits: int) -> None:
    """Write how the signal in the variable ``signal``, one of those in ``bits``, is handed on."""
    flow: Flow = b.flow or EXPRESSION
    if bits & BREAK_BIT:
        _when(b, f"if {signal} is BREAK:", flow.stop, bits & ~BREAK_BIT)
    if bits & CONTINUE_BIT:
        _when(b, f"if {signal} is CONTINUE:", flow.go_on, bits & RETURN_BIT)
    if bits & RETURN_BIT:
        b.line(flow.leave.format(signal + "[0]"))


def _when(b: Builder, test: str, line: str, others: int) -> None:
    if others:
        with b.block(test):
            b.line(line)
    else:
        b.line(line)


def raise_signal(frame: list[Any], signal: Any) -> None:
    """Turn a signal that reached an expression into the jump that it stands for."""
    if signal is BREAK:
        raise BreakJump
    if signal is CONTINUE:
        raise ContinueJump
    raise ReturnJump(frame, signal[0])


share(BREAK=BREAK, CONTINUE=CONTINUE, BreakJump=BreakJump, ContinueJump=ContinueJump, ReturnJump=ReturnJump)
