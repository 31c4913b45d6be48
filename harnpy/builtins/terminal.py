"""The terminal: size, kind of the standard streams, passwords (builtins 1.14, 1.21, 3.2)."""

from __future__ import annotations

import sys

from harnpy.builtins.arguments import text
from harnpy.builtins.environment import variables
from harnpy.errors import runtime_error, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_STREAMS = ("stdin", "stdout", "stderr")
_MOCK = "mocked_tty"


def _size(ctx: Context, variable: str, default: int, index: int) -> int:
    """Give a size from the environment, else from the terminal, else the default."""
    given = variables(ctx).get(variable, "")
    if given.isascii() and given.isdigit() and int(given) > 0:
        return int(given)
    try:
        import os

        return os.get_terminal_size(sys.__stdout__.fileno())[index] or default  # type: ignore[union-attr]
    except (OSError, ValueError, AttributeError):
        return default


def width(ctx: Context) -> int:
    """Give the columns of the terminal; ``COLUMNS``, or 80, when there is none."""
    return _size(ctx, "COLUMNS", 80, 0)


def height(ctx: Context) -> int:
    """Give the rows of the terminal; ``LINES``, or 24, when there is none."""
    return _size(ctx, "LINES", 24, 1)


def is_terminal(ctx: Context, stream: str) -> bool:
    """Tell whether one of the standard streams is a terminal, or is mocked to be one."""
    mocked: dict[str, bool] = ctx.services.get(_MOCK, {})
    if stream in mocked:
        return mocked[stream]
    real = getattr(sys, stream)
    try:
        return real is not None and bool(real.isatty())
    except ValueError:  # it is closed
        return False


def _checked(name: str, stream: Any) -> str:
    if type(stream) is not str or stream not in _STREAMS:
        raise thrown_text(f"{name}: invalid stream '{text(stream)}'. Expected 'stdin', 'stdout', or 'stderr'.")
    return stream


def is_tty(ctx: Context, stream: Any = "stdout") -> bool:
    """Tell whether the named stream is a terminal."""
    return is_terminal(ctx, _checked("HarnessTerm.is_tty", stream))


def is_stdin_tty(ctx: Context) -> bool:
    """Tell whether standard input is a terminal."""
    return is_terminal(ctx, "stdin")


def is_stdout_tty(ctx: Context) -> bool:
    """Tell whether standard output is a terminal."""
    return is_terminal(ctx, "stdout")


def is_stderr_tty(ctx: Context) -> bool:
    """Tell whether standard error is a terminal."""
    return is_terminal(ctx, "stderr")


def mock_tty(ctx: Context, stream: Any = "", terminal: Any = None) -> None:
    """Let a stream count as a terminal, or not."""
    name = _checked("mock_tty", stream)
    ctx.services[_MOCK] = {**ctx.services.get(_MOCK, {}), name: bool(terminal)}


def unmock_tty(ctx: Context) -> None:
    """Let all streams be what they are."""
    ctx.services.pop(_MOCK, None)


def read_password(ctx: Context, prompt: Any = None) -> str:
    """Read a line that is not shown; the prompt goes to standard error."""
    from harnpy.builtins.standard_input import is_mocked, read_line

    if prompt is not None:
        ctx.write_err(text(prompt))
    if is_mocked(ctx) or not is_terminal(ctx, "stdin"):
        line = read_line(ctx)
    else:
        line = _hidden_line(ctx)
        ctx.write_err("\n")
    if line is None:
        raise runtime_error("HarnessTerm.read_password: stdin reached EOF")
    return str(line)


def _hidden_line(ctx: Context) -> str | None:
    """Read a line of the terminal without its echo, which comes back also when the program is stopped meanwhile."""
    from contextlib import suppress

    from harnpy.builtins.standard_input import read_line

    try:
        import termios
    except ImportError:  # there is no such terminal on this system
        from getpass import getpass

        return getpass("")
    descriptor = sys.stdin.fileno()
    shown = termios.tcgetattr(descriptor)
    hidden = shown[:]
    hidden[3] &= ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSADRAIN, hidden)
    try:
        line: str | None = read_line(ctx)
    finally:
        with suppress(termios.error):  # the terminal has been closed
            termios.tcsetattr(descriptor, termios.TCSADRAIN, shown)
    return line
