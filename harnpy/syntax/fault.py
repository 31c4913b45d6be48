"""The one failure of the parser: a text that is not a program, with its place."""

from __future__ import annotations

from harnpy.diagnostics import Diagnostic
from harnpy.source import Source, Span

UNEXPECTED_TOKEN = "HARN-PAR-001"  # noqa: S105
UNEXPECTED_END = "HARN-PAR-002"
UNEXPECTED_CHARACTER = "HARN-PAR-003"
UNTERMINATED_STRING = "HARN-PAR-004"
UNTERMINATED_COMMENT = "HARN-PAR-005"
INT_OUT_OF_RANGE = "HARN-PAR-006"
BAD_SELECT = "HARN-ORC-007"


class Fault(Exception):
    """Why and where reading a text stopped.

    ``text`` has no place in it: with ``placed``, `` at L:C`` is added when the diagnostic is made (language 1
    and 3.8 say so of some messages), where ``at`` is that place if it is not the beginning of ``span``. ``end`` is
    where the search for the end of ``span`` was given up. ``incomplete`` is true when more text might make the
    program whole.
    """

    def __init__(
        self,
        text: str,
        span: Span,
        code: str = UNEXPECTED_TOKEN,
        *,
        hint: str | None = None,
        incomplete: bool = False,
        placed: bool = False,
        at: int | None = None,
        end: int | None = None,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.span = span
        self.code = code
        self.hint = hint
        self.incomplete = incomplete
        self.placed = placed
        self.at = span[0] if at is None else at
        self.end = end

    def diagnostic(self, source: Source) -> Diagnostic:
        """Give the finding for the user."""
        text = self.text
        if self.placed:
            text = f"{text} at {_shown(source, self.at)}"
        notes = () if self.end is None else (f"the end was reached at {_shown(source, self.end)}",)
        return Diagnostic(text, code=self.code, source=source, span=self.span, hint=self.hint, notes=notes)


def _shown(source: Source, offset: int) -> str:
    line, column = source.line_column(offset)
    return f"{line}:{column}"
