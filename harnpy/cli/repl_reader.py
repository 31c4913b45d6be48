"""Gathers the lines of an input until the parser has a whole one (case S49)."""

from __future__ import annotations

from harnpy.syntax.parser import ends_in_text, is_incomplete

# So many empty lines in a row give up what was begun.
EMPTY_LINES = 2


class Reader:
    """Collects lines; ``text`` is what was gathered of the input so far."""

    def __init__(self) -> None:
        self.text = ""

    def add(self, line: str) -> str:
        """Take one line and say how it stands: ``complete``, ``more``, ``empty`` or ``cancelled``.

        After ``complete`` the input is in ``text``; the next ``add`` begins a new one. Wrong input is complete: running
        it tells what is wrong.
        """
        if self.text and not self._open:
            self.text = ""
        self.text += line.rstrip("\r\n") + "\n"
        if not self.text.strip():
            self.text = ""
            return "empty"
        if not is_incomplete(self.text):
            return "complete"
        if gives_up(self.text):
            self.text = ""
            return "cancelled"
        return "more"

    @property
    def _open(self) -> bool:
        return is_incomplete(self.text)

    @property
    def waiting(self) -> bool:
        """Tell whether an input was begun and not finished."""
        return bool(self.text) and self._open


def gives_up(text: str) -> bool:
    """Tell whether an unfinished input ends with the empty lines that give it up."""
    return text.endswith("\n" * (EMPTY_LINES + 1)) and not ends_in_text(text)
