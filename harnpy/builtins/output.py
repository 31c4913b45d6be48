"""Printing, progress lines and colours (builtins 1.1)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.errors import thrown_text
from harnpy.runtime.convert import int_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def print_value(ctx: Context, value: Any = "") -> None:
    """Write the display form of a value to standard output, without a line break."""
    ctx.write_out(text(value))


def println(ctx: Context, value: Any = "") -> None:
    """Write the display form of a value and a line break to standard output; without a value the line break alone."""
    ctx.write_out(text(value) + "\n")


def log_line(ctx: Context, value: Any = "") -> None:
    """``log``: write ``[harn]``, the display form of a value and a line break to standard output."""
    ctx.write_out(f"[harn] {text(value)}\n")


def eprint(ctx: Context, value: Any = "") -> None:
    """Write the display form of a value to standard error, without a line break."""
    ctx.write_err(text(value))


def eprintln(ctx: Context, value: Any = "") -> None:
    """Write the display form of a value and a line break to standard error."""
    ctx.write_err(text(value) + "\n")


_FRAMES = "|/-\\"


def progress(ctx: Context, phase: Any = "", message: Any = "", amount: Any = None, total: Any = None) -> None:
    """Write a line that says how far a phase has come: ``[phase] message (3/10)``.

    With one int ``amount`` it is a percentage. A dict chooses a picture: ``{mode: "spinner", step}`` or ``{mode:
    "bar", current, total, width = 10}``.
    """
    line = f"[{text(phase)}] {text(message)}"
    if type(amount) is dict:
        line = _styled_progress(text(phase), text(message), amount) or line
    elif type(amount) is int:
        line += f" ({amount}/{total})" if type(total) is int else f" ({amount}%)"
    ctx.write_out(line + "\n")


def _styled_progress(phase: str, message: str, options: dict[str, Any]) -> str | None:
    mode = options.get("mode")
    if mode == "spinner":
        step = int_option(options.get("step", options.get("current")), 0)
        return f"[{phase}] {_FRAMES[step % 4]} {message}"
    if mode != "bar":
        return None
    current, total = int_option(options.get("current"), 0), int_option(options.get("total"), 0)
    width = max(3, min(40, int_option(options.get("width"), 10)))
    # Half a cell counts as a whole one.
    filled = 0 if total <= 0 else (2 * max(0, min(current, total)) * width + total) // (2 * total)
    return f"[{phase}] [{'#' * filled}{'-' * (width - filled)}] {message} ({current}/{total})"


_COLOURS = {
    name: code for code, name in enumerate(("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"), 30)
}
_COLOURS |= {"bright_" + name: code + 60 for name, code in _COLOURS.items()}
_COLOURS |= {"gray": 90, "grey": 90}

_MODES = ("auto", "always", "never")


def set_color_mode(ctx: Context, mode: Any = "") -> None:
    """Choose when texts are coloured: ``auto`` (on a terminal, unless ``NO_COLOR`` is set), ``always`` or ``never``.

    Errors: throws a text for another mode.
    """
    if mode not in _MODES:
        raise thrown_text(f"set_color_mode: invalid mode '{text(mode)}'. Expected 'auto', 'always', or 'never'.")
    ctx.services["color_mode"] = mode


def _colours(ctx: Context) -> bool:
    mode = ctx.services.get("color_mode", "auto")
    if mode != "auto":
        return bool(mode == "always")
    from harnpy.builtins.environment import variables
    from harnpy.builtins.terminal import is_terminal

    env = variables(ctx)
    if "FORCE_COLOR" in env:
        return True
    return "NO_COLOR" not in env and is_terminal(ctx, "stdout")


def _wrapped(ctx: Context, value: Any, code: int) -> str:
    return f"\x1b[{code}m{text(value)}\x1b[0m" if _colours(ctx) else text(value)


def color(ctx: Context, value: Any = "", name: Any = ABSENT) -> str:
    """Give a text in a colour, or as it is when the colour is unknown or colours are off.

    Colours: ``black red green yellow blue magenta cyan white gray``, and each with ``bright_`` in front.
    """
    code = _COLOURS.get(name) if type(name) is str else None
    return text(value) if code is None else _wrapped(ctx, value, code)


def bold(ctx: Context, value: Any = "") -> str:
    """Give a text in bold, or as it is when colours are off."""
    return _wrapped(ctx, value, 1)


def dim(ctx: Context, value: Any = "") -> str:
    """Give a text in a faint colour, or as it is when colours are off."""
    return _wrapped(ctx, value, 2)
