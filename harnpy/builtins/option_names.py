"""Warns of options that a function of the standard library does not know."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def warn_of_unknown(ctx: Context, function: str, options: Any, known: list[str]) -> None:
    """Tell once in a run about each key of ``options`` that is not among ``known``.

    It is a warning and no error: the pages of the language leave unknown options open.
    """
    if type(options) is not dict:
        return
    for name in options:
        if name not in known:
            from harnpy.analysis.suggestions import hint_text

            warn_once(ctx, f"{function}: unknown option `{name}`{hint_text(name, known)}")


def warn_once(ctx: Context, text: str) -> None:
    """Write a warning to standard error unless the run has done so."""
    told = ctx.services.setdefault("told_warnings", set())
    if text not in told:
        told.add(text)
        ctx.write_err(f"warning: {text}\n")
