"""The one JSON document in which every command answers with ``--json``."""

from __future__ import annotations

import json
import sys

from harnpy.errors import Exit
from harnpy.events.log import plain
from harnpy.render import to_json
from harnpy.streams import process_streams
from harnpy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from harnpy.diagnostics import Diagnostic

# Line separators that JSON lets stand in texts, and that split lines in some languages.
_LINE_ENDS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}


def envelope(command: str | None, data: Any, findings: Iterable[Diagnostic] = (), exit_code: int = 0) -> dict[str, Any]:
    """Give ``{harnpy, command, ok, exit_code, data, diagnostics}``; ``command`` is ``None`` when none was named."""
    return {
        "harnpy": __version__,
        "command": command,
        "ok": exit_code == 0,
        "exit_code": exit_code,
        "data": plain(data),
        "diagnostics": [to_json(finding) for finding in findings],
    }


def json_line(value: Any) -> str:
    """Give ``value`` as JSON on one line, whatever the reader takes for the end of a line, with a line break."""
    return json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS) + "\n"


def print_envelope(command: str | None, data: Any, findings: Iterable[Diagnostic] = (), exit_code: int = 0) -> None:
    """Print the answer of ``command`` on standard output."""
    answer = envelope(command, data, findings, exit_code)
    try:
        process_streams().write_out(json.dumps(answer, ensure_ascii=False, indent=1) + "\n")
    except Exit as end:  # the reader has gone
        sys.exit(end.code)
