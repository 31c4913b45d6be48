"""Warns of options that a function of the standard library does not know, and of what is no caller."""

from __future__ import annotations

from harnpy.runtime.values import Closure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.errors import Site
    from harnpy.runtime.context import Context


def warn_of_unknown(ctx: Context, function: str, options: Any, known: list[str]) -> None:
    """Tell once in a run about each key of ``options`` that is not among ``known``.

    It is a warning and no error: the pages of the language leave unknown options open.
    """
    if type(options) is not dict:
        return
    for name in options:
        if name not in known:
            warn_of_option(ctx, function, name, f"{function}: unknown option `{name}`{_advice(name, known)}")


def _advice(name: str, known: list[str]) -> str:
    """Name the option that was probably meant: one spelt alike, one with the same words, else all that there are."""
    from harnpy.analysis.suggestions import hint_text

    words = set(name.split("_"))
    longer = [other for other in known if words < set(other.split("_"))]
    meant = hint_text(name, known) or (f" (did you mean `{longer[0]}`?)" if len(longer) == 1 else "")
    return meant or f" (there are {', '.join(f'`{other}`' for other in known)})"


def warn_of_option(ctx: Context, function: str, name: str, text: str) -> None:
    """Warn of the option ``name`` of a call of ``function``, with the place where the program writes it."""
    if _is_new(ctx, text):
        from harnpy.analysis.mentions import option_place

        _warn(ctx, text, option_place(ctx.loader.own_sources(), function, name))


def warn_of_maker(ctx: Context, caller: Any = None) -> None:
    """Warn that a caller gave a function where an envelope is due: it makes callers, and was not called itself."""
    name = caller.code.name if type(caller) is Closure else ""
    if name[:1].isalpha() and _is_new(ctx, name):
        from harnpy.analysis.mentions import uncalled_place

        text = f"`{name}` was taken for a caller, but gives a function: write `{name}()`"
        _warn(ctx, text, uncalled_place(ctx.loader.own_sources(), name))


# The keys of what a caller is given.
_CALL = ("prompt", "system", "opts", "turn")


def warn_of_call(ctx: Context, given: Any = None) -> None:
    """Warn of misspelt keys of the dict that a caller is given; others may be for a caller of the script."""
    for name in given if type(given) is dict else ():
        if name in _CALL:
            continue
        from harnpy.edit_distance import edit_distance

        missing = [key for key in _CALL if given.get(key) is None]
        near = [key for key in missing if len(name) > 3 and edit_distance(name, key) <= 2]
        meant = near or [key for key in missing if name == "options" and key == "opts"]
        if meant:
            text = f"a call has the key `{name}`, which nothing reads (did you mean `{meant[0]}`?)"
            warn_of_option(ctx, "", name, text)


def _warn(ctx: Context, text: str, place: Site | None) -> None:
    from harnpy.diagnostics import Diagnostic
    from harnpy.render import render

    source, span = place or (None, None)
    ctx.write_err(render(Diagnostic(text, source=source, span=span, severity="warning")))


def warn_once(ctx: Context, text: str) -> None:
    """Write a warning to standard error unless the run has done so."""
    if _is_new(ctx, text):
        ctx.write_err(f"warning: {text}\n")


def _is_new(ctx: Context, text: str) -> bool:
    told = ctx.services.setdefault("told_warnings", set())
    new = text not in told
    told.add(text)
    return new
