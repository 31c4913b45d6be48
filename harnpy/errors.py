"""The exception tree.

    HarnpyError
    ├── RejectedProgram        the program is refused before it runs (diagnostics)
    ├── HarnError              a throw inside a running program; `catch` can bind it
    ├── RunTimeout             for embedding hosts: the time or step limit of the run passed
    └── RunInterrupted         for embedding hosts: the run was interrupted

    ControlSignal (BaseException: never caught by `except Exception`)
    ├── Exit                   exit(n)
    ├── Interrupted            Ctrl-C, or cancelled by the embedding host
    └── TimeLimit              the run's own time limit

Harn's control flow and the ends of a run never inherit from ``Exception``, so that no code that
turns failures into values can swallow them (language 9.3).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

from harnpy.diagnostics import Diagnostic
from harnpy.source import Source, Span

# Where something happened: the source text and the span in it.
Site = tuple[Source, Span]


class HarnpyError(Exception):
    """Base of everything that harnpy raises for the user's program.

    ``diagnostic`` says what happened and where, once the error leaves a session of an embedding host.
    """

    diagnostic: Diagnostic | None = None


class RejectedProgram(HarnpyError):
    """The program is refused before it runs; ``diagnostics`` says why, most important first."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics[0].message if diagnostics else "rejected")
        self.diagnostics = diagnostics
        self.diagnostic = diagnostics[0] if diagnostics else None


class HarnError(HarnpyError):
    """A throw in a running program (language 9.1, 9.3).

    ``value`` is what ``catch`` binds: the thrown value, the dict of a categorised error, or the
    display text of a runtime failure. ``thrown`` is true for an explicit ``throw``. ``site`` is
    the innermost place known; ``trace`` grows outwards while the error passes call nodes, as
    pairs of the called function's name and the call site (``None``: the entry, called by no program).
    """

    def __init__(self, value: Any, *, thrown: bool = False, site: Site | None = None) -> None:
        super().__init__(value)
        self.value = value
        self.thrown = thrown
        self.site = site
        self.trace: list[tuple[str, Site | None]] = []

    def locate(self, site: Site) -> None:
        """Keep ``site`` as the place of the error unless a more precise one is known."""
        if self.site is None:
            self.site = site


class RunTimeout(HarnpyError):
    """The time limit or the step limit of a run passed; its clean-up has run."""


class RunInterrupted(HarnpyError):
    """A run was interrupted by its host; its clean-up has run."""


class ControlSignal(BaseException):
    """Base of what ends a run or a function without being an error of the program."""


class Exit(ControlSignal):
    """``exit(code)`` was called (builtins 1.14)."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Interrupted(ControlSignal):
    """Ctrl-C or cancellation by the embedding host; ``catch`` never sees it (exit code 130)."""


class TimeLimit(ControlSignal):
    """The time limit of the run passed; ``catch`` never sees it (exit code 124)."""


def type_error(text: str) -> HarnError:
    """Make the error whose text is ``Type error: <text>``."""
    return HarnError("Type error: " + text)


def runtime_error(text: str) -> HarnError:
    """Make the error whose text is ``Runtime error: <text>``."""
    return HarnError("Runtime error: " + text)


def thrown_text(text: str) -> HarnError:
    """Make the error of a thrown string (the "T:" rows of builtins 0.6)."""
    return HarnError(text, thrown=True)


def categorised(category: str, message: str, **fields: Any) -> HarnError:
    """Make the error whose value is the dict ``{category, message, ...}`` (language 9.1)."""
    return HarnError({"category": category, "message": message, **fields})
