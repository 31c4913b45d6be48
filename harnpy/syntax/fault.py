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

    ``text`` has no place in it: `` at L:C`` is added when the diagnostic is made, unless ``placed``
    is false. ``incomplete`` is true when more text might make the program whole.
    """

    def __init__(
        self,
        text: str,
        span: Span,
        code: str = UNEXPECTED_TOKEN,
        *,
        hint: str | None = None,
        incomplete: bool = False,
        placed: bool = True,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.span = span
        self.code = code
        self.hint = hint
        self.incomplete = incomplete
        self.placed = placed

    def diagnostic(self, source: Source) -> Diagnostic:
        """Give the finding for the user."""
        text = self.text
        if self.placed:
            line, column = source.line_column(self.span[0])
            text = f"{text} at {line}:{column}"
        return Diagnostic(text, code=self.code, source=source, span=self.span, hint=self.hint)
