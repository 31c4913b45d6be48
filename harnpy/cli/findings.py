"""What ``check`` and ``parse`` share: reading a file or saying why not, and printing diagnostics."""

from __future__ import annotations

import sys

from harnpy.analysis.modules import decode_source, read_source
from harnpy.errors import RejectedProgram
from harnpy.render import render
from harnpy.runtime.limits import Limits, allow_depth
from harnpy.streams import process_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.diagnostics import Diagnostic
    from harnpy.source import Source


def read_or_explain(file: str) -> tuple[Source | None, list[Diagnostic]]:
    """Give the text of ``file`` (``-``: standard input), or ``None`` and why it cannot be read.

    What comes next walks the tree of the text, so this also lets Python nest that deeply.
    """
    allow_depth(Limits().call_depth)
    try:
        return (decode_source("<stdin>", sys.stdin.buffer.read()) if file == "-" else read_source(file)), []
    except RejectedProgram as refusal:
        return None, refusal.diagnostics


def show(findings: list[Diagnostic], *, color: str) -> None:
    """Print ``findings`` as text on stderr."""
    streams = process_streams(color)
    for finding in findings:
        streams.write_err(render(finding, colour=streams.colour))
