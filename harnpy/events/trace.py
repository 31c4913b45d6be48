"""Records what happens in a run as spans and points on its clock, for the trace page."""

from __future__ import annotations

from harnpy.events.log import plain
from harnpy.events.redact import redact, redact_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Row = dict[str, Any]

# More rows than a page can show well; what comes later is counted only.
MOST_ROWS = 20_000
_SHOWN_TEXT = 4000


class Trace:
    """Rows ``{id, kind, title, start, end, ok, detail}`` in the order in which they began, times in ms."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.rows: list[Row] = []
        self.left_out = 0
        self._now = now
        self._tools: dict[str, Row] = {}

    def begin(self, kind: str, title: str, detail: Row) -> Row:
        """Begin a span; it lasts until ``finish``."""
        row: Row = {"kind": kind, "title": redact_text(title), "start": self._now(), "end": None, "ok": True}
        row["detail"] = plain(redact(detail))
        if len(self.rows) < MOST_ROWS:
            self.rows.append(row)
        else:
            self.left_out += 1
        row["id"] = f"r{len(self.rows)}"
        return row

    def finish(self, row: Row, *, ok: bool = True, **detail: Any) -> None:
        """End a span."""
        row["end"] = self._now()
        row["ok"] = ok
        row["detail"].update(plain(redact(detail)))

    def event(self, event: Row) -> None:
        """Note an event of the bus; those of a tool call become one span."""
        kind = event["type"]
        tool_call = event.get("tool_call_id")
        if kind == "tool_call" and tool_call is not None:
            self._tools[tool_call] = self.begin("tool", str(event.get("tool_name")), event)
        elif kind == "tool_call_update" and tool_call in self._tools:
            if event.get("status") in ("completed", "failed"):
                row = self._tools.pop(tool_call)
                self.finish(row, ok=event["status"] == "completed", **event)
        else:
            routed = "." in kind
            self.finish(self.begin("routing" if routed else "event", kind, event))

    # --- as an observer of model calls --------------------------------------------------------

    def began(self, request: Any) -> Row:
        """Note that a model call begins."""
        provider, model = request.error_place()
        prompt = request.messages[-1].get("content") if request.messages else None
        detail = {"provider": provider, "model": model, "system": request.system, "prompt": prompt}
        return self.begin("call", f"{provider} {model}", {key: _short(value) for key, value in detail.items()})

    def ended(self, row: Row, usage: Row) -> None:
        """Note that a model call was answered."""
        self.finish(row, **usage)

    def failed(self, row: Row, error: BaseException) -> None:
        """Note that a model call failed."""
        value = getattr(error, "value", None)
        self.finish(row, ok=False, error=value if type(value) is dict else str(error))

    def close(self) -> None:
        """End what is still open: the run is over."""
        for row in self.rows:
            if row["end"] is None:
                row["end"] = self._now()
                row["ok"] = False


def _short(value: Any) -> Any:
    if type(value) is str and len(value) > _SHOWN_TEXT:
        return value[:_SHOWN_TEXT] + " ..."
    return value
