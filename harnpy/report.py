"""The report of an error that nothing in the program caught (language 9.3, 9.7)."""

from __future__ import annotations

from harnpy.advice import carried, suggested
from harnpy.diagnostics import Diagnostic
from harnpy.errors import HarnError
from harnpy.events.redact import redact_text
from harnpy.render import shown_path
from harnpy.resources import in_stdlib
from harnpy.runtime.display import display
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.errors import Site

# A longer call trace (a runaway recursion) shows its innermost and outermost calls only.
INNERMOST, OUTERMOST = 10, 5


def uncaught(error: HarnError) -> Diagnostic:
    """Make the diagnostic of an uncaught error, with its calls as notes.

    An error in the standard library is shown at the innermost call in the user's own files: the cause is there.
    """
    site, notes = error.site, _calls(error.trace)
    if site is not None and in_stdlib(site[0].path):
        own = next((call for _, call in error.trace if call is not None and not in_stdlib(call[0].path)), None)
        if own is not None:
            notes.insert(0, f"raised at {_place(site)}")
            site = own
    source, span = site or (None, None)
    hint = carried(error) or (suggested(error) if site is error.site else None)
    return Diagnostic(error_text(error), source=source, span=span, hint=hint, notes=tuple(notes))


def error_text(error: HarnError) -> str:
    """Give the first line of the report, without ``error:`` and without secrets."""
    return redact_text(_text(error))


def _text(error: HarnError) -> str:
    value = error.value
    if error.thrown:
        return "Thrown: " + _shown(value)
    if type(value) is dict and "category" in value and "message" in value:
        return f"Error [{_shown(value['category'])}]: {_shown(value['message'])}"
    return _shown(value)


def _shown(value: Any) -> str:
    """Give the display form; what is too large for one is named by its type."""
    try:
        return display(value)
    except HarnError:
        return f"<{type_of(value)} that is too large to be shown>"


def _calls(trace: list[tuple[str, Site | None]]) -> list[str]:
    """Say where each call stood, innermost first; what called is what the next entry out was a call of."""
    notes = []
    for index, (_, site) in enumerate(trace):
        if site is not None:
            notes.append(_call(trace[index + 1][0] if index + 1 < len(trace) else "", site))
    left_out = len(notes) - INNERMOST - OUTERMOST
    if left_out > 0:
        notes[INNERMOST:-OUTERMOST] = [f"... {left_out} more calls"]
    return notes


def _call(caller: str, site: Site) -> str:
    return f"called from {caller} at {_place(site)}" if caller else f"called at {_place(site)}"


def _place(site: Site) -> str:
    source, span = site
    return f"{shown_path(source.path)}:{source.line_column(span[0])[0]}"
