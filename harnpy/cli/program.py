"""Runs one program for the command line: from a file, standard input or an argument, to an exit code."""

from __future__ import annotations

import os
import sys

from harnpy.analysis.modules import decode_source, read_source
from harnpy.cli.interrupts import run_session
from harnpy.errors import HarnError
from harnpy.options import Options
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import Streams, process_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.cli.trace import Recording

    # The file that the page of a trace goes to, and whether prompts and answers may stand in it.
    Target = tuple[str, bool]


def run_file(path: str, options: Options) -> int:
    """Run the program in the file ``path``."""
    return run_here(of_file(path), options)


def of_file(path: str) -> Callable[[], Source]:
    """Give what reads the program in the file ``path``."""
    return lambda: read_source(path)


def of_stdin() -> Source:
    """Read the program that stands on standard input."""
    try:
        data = _all_input()
    except (AttributeError, OSError):  # it is closed, or open for writing only
        raise HarnError("cannot read the program: standard input is closed") from None
    return decode_source("<stdin>", data)


def _all_input() -> bytes:
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError):  # something else stands in its place
        return bytes(sys.stdin.buffer.read())
    if os.name == "nt":
        return sys.stdin.buffer.read()
    from harnpy.process_input import ProcessInput

    return ProcessInput(descriptor, lambda: None).rest()


def of_code(code: str) -> Callable[[], Source]:
    """Give what makes a program of the text ``code``."""
    return lambda: Source("<argument>", code)


def run_here(read: Callable[[], Source], options: Options, trace: Target | None = None) -> int:
    """Run the program that ``read`` gives with the streams of this process; ``trace`` is where its page goes."""
    streams = process_streams(options.color)
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return run(read, options, streams, trace)
    from harnpy.cli.progress import terminal_progress

    progress = terminal_progress(streams.write_err)
    guarded = Streams(
        progress.guard(streams.write_out), progress.guard(streams.write_err), streams.read_line, colour=streams.colour
    )
    try:
        return carry_out(_observed(Session(options, guarded), progress), read, trace)
    finally:
        progress.close()


def _observed(session: Session, observer: object) -> Session:
    session.context.services["llm_observers"] = [observer]
    return session


def run(read: Callable[[], Source], options: Options, streams: Streams, trace: Target | None = None) -> int:
    """Run the program that ``read`` gives and return the exit code; ``trace`` is where its page goes."""
    return carry_out(Session(options, streams), read, trace)


def carry_out(session: Session, read: Callable[[], Source], trace: Target | None = None) -> int:
    """Run in ``session`` the program that ``read`` gives, and close the session."""
    recordings: list[Recording] = []

    def read_traced() -> Source:
        from harnpy.cli.trace import Recording

        source = read()
        recordings.append(Recording(session, trace or ("", False), source.path))
        return source

    code: int | None = None
    try:
        code = run_session(session, read if trace is None else read_traced)
    finally:
        session.close()
        for each in recordings:
            problem = each.write(code)
            if problem:
                session.conclude(f"error: {problem}\n")
                code = code or 1
    return code
