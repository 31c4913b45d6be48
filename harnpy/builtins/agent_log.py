"""Reading an event log back, also one whose run was killed (agent 3.4)."""

from __future__ import annotations

from harnpy.builtins.file_access import failure, locate, read_bytes
from harnpy.events.log import read_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def agent_event_log_read(ctx: Context, path: Any = None) -> dict[str, Any]:
    """Give ``{events, complete, lost_lines}`` of a log; a line that was never finished is left out with a warning."""
    place = locate(ctx, "read_text", path)
    try:
        content = read_bytes(ctx, place)
    except OSError as error:
        raise failure("Failed to read event log", place.path, error) from None
    events, lost = read_log(content)
    for number in lost:
        ctx.write_err(f"warning: event log {place.path}: line {number} was never finished and is left out\n")
    return {"events": events, "complete": not lost, "lost_lines": lost}
