"""Standard input, captured standard error and the end of the program as builtins (builtins 1.14, 1.21)."""

from __future__ import annotations

from harnpy.errors import Exit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_MOCK = "stdin_lines"
_AT_END = "stdin_read"
_CAPTURE = "stderr_capture"


def _next_line(ctx: Context) -> str | None:
    """Give the next line of the mocked or real input, without its end."""
    if ctx.services.get(_AT_END):
        return None
    mocked: list[str] | None = ctx.services.get(_MOCK)
    line = _real_line(ctx) if mocked is None else mocked.pop(0) if mocked else None
    return None if line is None else line.removesuffix("\n").removesuffix("\r")


def _real_line(ctx: Context) -> str | None:
    """Give the next line of the real input; other tasks run while it is waited for."""
    read: Any = ctx.read_line
    if hasattr(read, "poll"):
        while not read.poll():
            ctx.scheduler.wait(read.readable)
    line: str | None = read()
    return line


def is_mocked(ctx: Context) -> bool:
    """Tell whether the input is a text that ``mock_stdin`` gave."""
    return _MOCK in ctx.services


def read_line(ctx: Context, options: Any = None) -> Any:
    """Read a line of standard input without its line break; nil at the end.

    With an options dict it gives ``{status: "ok" | "eof", line?}``. Effects: other tasks run while it waits.
    """
    line = _next_line(ctx)
    if type(options) is not dict:
        return line
    return {"status": "eof"} if line is None else {"status": "ok", "line": line}


def read_stdin(ctx: Context) -> str:
    """Read the rest of the input; afterwards ``read_line`` gives nil."""
    if ctx.services.get(_AT_END):
        return ""
    mocked: list[str] | None = ctx.services.get(_MOCK)
    if mocked is not None:
        rest = "".join(mocked)
    else:
        lines = []
        line = _real_line(ctx)
        while line is not None:
            lines.append(line)
            line = _real_line(ctx)
        rest = "".join(lines)
    ctx.services[_AT_END] = True
    return rest


def prompt_user(ctx: Context, message: Any = None) -> str | None:
    """Write a message and read a line of standard input, right-trimmed; nil at the end."""
    from harnpy.runtime.display import display

    if message is not None:
        ctx.write_out(display(message))
    line = _next_line(ctx)
    return None if line is None else line.rstrip()


def mock_stdin(ctx: Context, text: Any = None) -> None:
    """Let ``read_line`` read ``text``; a final empty piece is no line."""
    from harnpy.runtime.display import display

    *lines, last = ("" if text is None else display(text)).split("\n")
    ctx.services[_MOCK] = [line + "\n" for line in lines] + ([last] if last else [])
    ctx.services.pop(_AT_END, None)


def unmock_stdin(ctx: Context) -> None:
    """Read the real input again."""
    ctx.services.pop(_MOCK, None)
    ctx.services.pop(_AT_END, None)


def capture_stderr_start(ctx: Context) -> None:
    """Keep what goes to standard error from now on; a running capture begins anew."""
    capture_stderr_take(ctx)
    captured: list[str] = []
    ctx.services[_CAPTURE] = (captured, ctx.write_err)
    ctx.write_err = captured.append


def capture_stderr_take(ctx: Context) -> str:
    """Give what was kept, and end the capture."""
    capture = ctx.services.pop(_CAPTURE, None)
    if capture is None:
        return ""
    captured, ctx.write_err = capture
    return "".join(captured)


def exit_program(ctx: Context, code: Any = None) -> None:
    """End the program with an exit code; pending ``finally`` and ``defer`` run first."""
    raise Exit(min(255, max(0, code)) if type(code) is int else 0)
