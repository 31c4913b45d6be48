"""What harnpy has to say about a program: one finding with its code, place and advice."""

from __future__ import annotations

from harnpy.source import Source, Span


class Diagnostic:
    """One finding (language 17).

    ``code`` is a registered code such as ``HARN-PAR-001`` or ``None``; ``severity`` is ``"error"`` or
    ``"warning"``; ``span`` is ``None`` only when no place in a source is known. ``hint`` advises,
    ``notes`` add facts (for instance the call trace), one line each.
    """

    __slots__ = ("code", "hint", "message", "notes", "severity", "source", "span")

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        source: Source | None = None,
        span: Span | None = None,
        hint: str | None = None,
        notes: tuple[str, ...] = (),
        severity: str = "error",
    ) -> None:
        self.message = message
        self.code = code
        self.source = source
        self.span = span
        self.hint = hint
        self.notes = notes
        self.severity = severity

    @property
    def path(self) -> str | None:
        """The path or label of the source, where one is known."""
        return None if self.source is None else self.source.path

    @property
    def line(self) -> int | None:
        """The line of the place, counted from 1, where one is known."""
        return None if self.source is None or self.span is None else self.source.line_column(self.span[0])[0]

    @property
    def column(self) -> int | None:
        """The column of the place, counted from 1, where one is known."""
        return None if self.source is None or self.span is None else self.source.line_column(self.span[0])[1]

    def __repr__(self) -> str:
        return f"Diagnostic({self.severity}, {self.code}, {self.message!r}, {self.span})"
