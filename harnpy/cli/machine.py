"""``harnpy run --json``: each event of a run as one line of JSON on standard output, the last one the result."""

from __future__ import annotations

from harnpy.cli.envelope import envelope, json_line
from harnpy.cli.program import carry_out
from harnpy.diagnostics import Diagnostic
from harnpy.errors import HarnError, RejectedProgram
from harnpy.events.log import plain
from harnpy.report import uncaught
from harnpy.session import Session
from harnpy.streams import Streams, process_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.cli.program import Target
    from harnpy.options import Options
    from harnpy.source import Source


class _JsonSession(Session):
    """A session that keeps what it has to report."""

    def __init__(self, options: Options, streams: Streams) -> None:
        super().__init__(options, streams)
        self.findings: list[Diagnostic] = []

    def report(self, error: RejectedProgram | HarnError) -> int:
        """Keep the findings; the caller prints them with the result."""
        self.findings += error.diagnostics if isinstance(error, RejectedProgram) else [uncaught(error)]
        return 1

    def conclude(self, text: str) -> None:
        """Keep what ended the run as a finding without a place."""
        self.findings.append(Diagnostic(text.removeprefix("error: ").rstrip("\n")))


def run_as_json(read: Callable[[], Source], options: Options, trace: Target | None = None) -> int:
    """Run the program that ``read`` gives and return the exit code.

    Lines are ``{"event": "stdout", "text"}``, ``{"event": "stderr", "text"}``, ``{"event": "run", "data"}`` for each
    event of the run, and at last ``{"event": "result", ...}`` with the envelope of all commands.
    """
    process = process_streams()

    def line(event: str, **fields: Any) -> None:
        process.write_out(json_line({"event": event, **fields}))

    streams = Streams(lambda text: line("stdout", text=text), lambda text: line("stderr", text=text), process.read_line)
    session = _JsonSession(options, streams)
    session.context.events.add_sink(lambda event: line("run", data=plain(event)))
    code = carry_out(session, read, trace)
    models = session.context.services.get("llm")
    usage = None if models is None else models.totals.session_cost()
    value = _as_data(session.context.services.get("entry_value"))
    line("result", **envelope("run", {"value": value, "usage": usage}, session.findings, code))
    return code


def _as_data(value: Any) -> Any:
    """Give what the program gave as ``json_stringify`` writes it; what has no such form, or nests too deep, is null."""
    if value is None:
        return None
    import json

    from harnpy.builtins.json_text import json_stringify

    try:
        return json.loads(json_stringify(value))
    except (HarnError, ValueError):
        return None
