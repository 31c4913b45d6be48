"""The report of an error that nothing in the program caught (language 9.3, 9.7)."""

from __future__ import annotations

from harnpy.diagnostics import Diagnostic
from harnpy.errors import HarnError
from harnpy.events.redact import redact_text
from harnpy.render import shown_path
from harnpy.runtime.display import display
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.errors import Site

# A longer call trace (a runaway recursion) shows its innermost and outermost calls only.
INNERMOST, OUTERMOST = 10, 5


def uncaught(error: HarnError) -> Diagnostic:
    """Make the diagnostic of an uncaught error, with its calls as notes."""
    source, span = error.site or (None, None)
    text, notes = error_text(error), tuple(_calls(error.trace))
    return Diagnostic(text, source=source, span=span, hint=_hint(error), notes=notes)


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


def _hint(error: HarnError) -> str | None:
    """Give the advice that an error carries, or name the method that was probably meant."""
    if type(error.value) is dict and type(error.value.get("help")) is str:
        return None if error.thrown else str(error.value["help"])
    if error.thrown or type(error.value) is not str:
        return None
    before, found, name = error.value.rpartition(" has no method `")
    if not found:
        return None
    from harnpy.analysis.suggestions import closest
    from harnpy.builtins.table import METHODS
    from harnpy.capabilities import methods

    kind, name = before.rsplit(" ", 1)[-1], name.removesuffix("`")
    own = methods.METHODS.get(kind.removeprefix("Harness").lower(), "")
    names = [*METHODS.get(kind, {}), *methods.parse(own)]
    longer = sorted(each for each in names if len(name) >= 3 and each.startswith(name))
    meant = longer[:3] or [each for each in (closest(name, names),) if each is not None]
    return f"did you mean {' or '.join(f'`{each}`' for each in meant)}?" if meant else None


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
    source, span = site
    start = f"called from {caller} at" if caller else "called at"
    return f"{start} {shown_path(source.path)}:{source.line_column(span[0])[0]}"
