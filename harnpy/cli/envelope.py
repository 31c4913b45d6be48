"""The one JSON document in which every command answers with ``--json``."""

from __future__ import annotations

import json

from harnpy.events.log import plain
from harnpy.render import to_json
from harnpy.streams import process_streams
from harnpy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from harnpy.diagnostics import Diagnostic


def envelope(command: str, data: Any, findings: Iterable[Diagnostic] = (), exit_code: int = 0) -> dict[str, Any]:
    """Give ``{harnpy, command, ok, exit_code, data, diagnostics}``."""
    return {
        "harnpy": __version__,
        "command": command,
        "ok": exit_code == 0,
        "exit_code": exit_code,
        "data": plain(data),
        "diagnostics": [to_json(finding) for finding in findings],
    }


def print_envelope(command: str, data: Any, findings: Iterable[Diagnostic] = (), exit_code: int = 0) -> None:
    """Print the answer of ``command`` on standard output."""
    answer = envelope(command, data, findings, exit_code)
    process_streams().write_out(json.dumps(answer, ensure_ascii=False, indent=1) + "\n")
