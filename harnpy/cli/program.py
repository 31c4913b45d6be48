"""Runs one program for the command line: from a file, standard input or an argument, to an exit code."""

from __future__ import annotations

from harnpy.analysis.modules import decode_source, read_source
from harnpy.errors import HarnError
from harnpy.options import Options
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import Streams, process_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def run_file(path: str, options: Options) -> int:
    """Run the program in the file ``path``."""
    return run_here(of_file(path), options)


def of_file(path: str) -> Callable[[], Source]:
    """Give what reads the program in the file ``path``."""
    return lambda: read_source(path)


def of_stdin() -> Source:
    """Read the program that stands on standard input."""
    import sys

    try:
        data = sys.stdin.buffer.read()
    except (AttributeError, OSError):  # it is closed, or open for writing only
        raise HarnError("cannot read the program: standard input is closed") from None
    return decode_source("<stdin>", data)


def of_code(code: str) -> Callable[[], Source]:
    """Give what makes a program of the text ``code``."""
    return lambda: Source("<argument>", code)


def run_here(read: Callable[[], Source], options: Options) -> int:
    """Run the program that ``read`` gives with the streams of this process."""
    return run(read, options, process_streams(options.color))


def run(read: Callable[[], Source], options: Options, streams: Streams) -> int:
    """Run the program that ``read`` gives and return the exit code."""
    session = Session(options, streams)
    try:
        return session.run(read)
    finally:
        session.close()
