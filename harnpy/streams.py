"""The standard streams of a run: those of the process, or texts kept in memory."""

from __future__ import annotations

import os
import sys

from harnpy.errors import Exit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

# The exit code of a process whose reader went away, as a shell would report it.
BROKEN_PIPE = 141


_quiet = False


def lose_output_quietly() -> None:
    """Have output that cannot be written end nothing any more: the program is being stopped, and cleans up."""
    global _quiet
    _quiet = True


class Streams:
    """What a run writes to and reads from; ``colour`` tells whether diagnostics may be coloured."""

    __slots__ = ("colour", "read_line", "write_err", "write_out")

    def __init__(
        self,
        write_out: Callable[[str], None],
        write_err: Callable[[str], None],
        read_line: Callable[[], str | None],
        *,
        colour: bool = False,
    ) -> None:
        self.write_out = write_out
        self.write_err = write_err
        self.read_line = read_line
        self.colour = colour


def process_streams(colour: str = "auto") -> Streams:
    """Give the streams of this process in UTF-8; ``colour`` is ``auto``, ``always`` or ``never``.

    Output leaves line by line, so that a reader sees it while the program runs.
    """
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream, errors="backslashreplace", line_buffering=True)
    _reconfigure(sys.stdin, errors="replace")
    return Streams(_writer(sys.stdout), _writer(sys.stderr), _reader(), colour=_wants_colour(colour))


def memory_streams(stdin: str = "") -> tuple[Streams, list[str], list[str]]:
    """Give streams in memory, and the lists that collect what goes to stdout and to stderr."""
    out: list[str] = []
    err: list[str] = []
    lines = iter(stdin.splitlines(keepends=True))
    return Streams(out.append, err.append, lambda: next(lines, None)), out, err


def _reconfigure(stream: object, **settings: object) -> None:
    # A stream may be missing (closed by the parent) or replaced by a test's own object.
    change = getattr(stream, "reconfigure", None)
    if change is not None:
        change(encoding="utf-8", **settings)


def _writer(stream: TextIO | None) -> Callable[[str], None]:
    if stream is None:
        return lambda text: None
    write = stream.write

    def write_text(text: str) -> None:
        try:
            write(text)
        except OSError as error:
            _discard(stream)
            if not _quiet:
                raise _ended(stream, error) from None

    return write_text


def _ended(stream: TextIO, error: OSError) -> Exit:
    """Give what ends a program that can write no more: quietly when the reader has gone, else with the reason."""
    if isinstance(error, BrokenPipeError):
        return Exit(BROKEN_PIPE)
    if stream is sys.stdout:
        _writer(sys.stderr)(f"error: cannot write the output: {error.strerror}\n")
    return Exit(1)


def without_reader() -> int:
    """Send what else goes to standard output to nowhere, since its reader has gone; give the exit code of that."""
    _discard(sys.stdout)
    return BROKEN_PIPE


def _discard(stream: TextIO) -> None:
    """Send what else is written to ``stream`` to nowhere, so that clean-up code may still print."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _reader() -> Callable[[], str | None]:
    """Give what reads lines of standard input: from its descriptor, or from an object that stands in its place."""
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return _read_line
    if os.name == "nt":  # pipes and consoles cannot be waited for there
        return _read_line
    from harnpy.process_input import ProcessInput

    return ProcessInput(descriptor, _flush)


def _read_line() -> str | None:
    if sys.stdin is None:
        return None
    _flush()
    return sys.stdin.readline() or None


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()  # a prompt without a line break


def _wants_colour(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
