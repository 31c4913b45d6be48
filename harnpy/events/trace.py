"""Records what happens in a run as spans and points on its clock, for the trace page."""

from __future__ import annotations

from harnpy.events.log import plain
from harnpy.events.redact import redact, redact_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Row = dict[str, Any]

# More rows than a page can show well; of what comes later only what failed is kept, up to a second bound.
MOST_ROWS = 20_000
MOST_FAILED_ROWS = 1_000
# A text is cut to so many characters; once all texts together have reached the bound of a page, to fewer.
_SHOWN_TEXT, _SHORT_TEXT = 4000, 100
MOST_TEXT = 20_000_000
# A wait that begins within this time after a failed call is taken for the pause before its retry.
_AT_ONCE_MS = 100
# Events that tell of a failure: last parts of the names of routing events, and types of others.
_BAD_NEWS = frozenset(
    """
    agent_loop_stall_warning boundary_failure budget_circuit_breaker budget_exceeded budget_exhausted exhausted
    loop_stuck require_successful_tools_violation
    """.split()
)
_TOTALS = ("input_tokens", "output_tokens", "cache_read_tokens", "known_cost_usd")


class Trace:
    """Rows ``{id, kind, title, task, start, end, state, detail}``, times in ms.

    ``state`` is ``ok``, ``failed``, ``cancelled`` or ``open``: not finished when the run ended. ``follows`` is the id
    of the failed call that a retry or a wait comes after. ``cancelled`` tells whether an error is the end of a task
    that was cancelled. The prompt and the system text of a call stay out unless ``prompts`` asks for them.
    """

    def __init__(
        self,
        now: Callable[[], float],
        task: Callable[[], int] = lambda: 0,
        cancelled: Callable[[BaseException], bool] = lambda error: False,
        *,
        prompts: bool = False,
    ) -> None:
        self.rows: list[Row] = []
        self.left_out = 0
        self.totals: Row = {"calls": 0, "failed": 0, "cancelled": 0, "unpriced": 0, **dict.fromkeys(_TOTALS, 0)}
        self._now = now
        self._task = task
        self._cancelled = cancelled
        self._prompts = prompts
        self._count = self._kept_failures = 0
        self._room = MOST_TEXT
        self._tools: dict[str, Row] = {}
        # What each call under way asks; by task the last call when it failed, with what it asked; pauses after calls.
        self._asked: dict[str, Any] = {}
        self._failed: dict[int, tuple[Row, Any]] = {}
        self._pauses: dict[str, Row] = {}

    def begin(self, kind: str, title: str, detail: Row) -> Row:
        """Begin a span; it lasts until ``finish``."""
        self._count += 1
        start = self._now()
        row: Row = {"id": f"r{self._count}", "kind": kind, "title": redact_text(title), "task": self._task()}
        row.update(start=start, end=None, state="open", detail=self._shown(detail))
        if len(self.rows) - self._kept_failures < MOST_ROWS:
            self.rows.append(row)
        else:
            self.left_out += 1
            row["late"] = True
        return row

    def finish(self, row: Row, state: str = "ok", **detail: Any) -> None:
        """End a span."""
        row["end"] = self._now()
        row["state"] = state
        row["detail"].update(self._shown(detail))
        late = row.pop("late", False)
        if late and state == "failed" and self._kept_failures < MOST_FAILED_ROWS:
            self._kept_failures += 1
            self.left_out -= 1
            self.rows.append(row)

    def stop(self, row: Row, error: BaseException) -> None:
        """End a span that ``error`` broke off."""
        value = getattr(error, "value", None)
        state = "cancelled" if self._cancelled(error) else "failed"
        self.finish(row, state, error=value if type(value) is dict else str(error) or type(error).__name__)

    def event(self, event: Row) -> None:
        """Note an event of the bus; those of a tool call become one span."""
        kind = event["type"]
        tool_call = event.get("tool_call_id")
        if kind == "tool_call" and tool_call is not None:
            self._tools[tool_call] = self.begin("tool", str(event.get("tool_name")), event)
        elif kind == "tool_call_update" and tool_call in self._tools:
            if event.get("status") in ("completed", "failed"):
                row = self._tools.pop(tool_call)
                self.finish(row, "ok" if event["status"] == "completed" else "failed", **event)
        else:
            bad = kind.rpartition(".")[2] in _BAD_NEWS
            self.finish(self.begin("routing" if "." in kind else "event", kind, event), "failed" if bad else "ok")

    # --- waits ----------------------------------------------------------------------------------

    def begin_wait(self, reason: str, ms: int | None = None) -> Row:
        """Begin a wait of the task, ``ms`` long when that is known; one without a ``reason`` is the program's own."""
        detail: Row = {} if ms is None else {"ms": ms}
        call = self._failed.get(self._task(), (None,))[0]
        if reason or call is None or self._now() - call["end"] > _AT_ONCE_MS:
            return self.begin("wait", reason or "the program sleeps", detail)
        hint = call["detail"].get("retry_after_ms")
        if hint is not None:
            detail["server_asked_for_ms"] = hint
        row = self.begin("wait", f"after {call['detail'].get('category', 'error')}", detail)
        row["follows"] = call["id"]
        self._pauses[call["id"]] = row
        return row

    # --- as an observer of model calls ----------------------------------------------------------

    def began(self, request: Any) -> Row:
        """Note that a model call begins."""
        provider, model = request.error_place()
        prompt = request.messages[-1].get("content") if request.messages else None
        detail = {"provider": provider, "model": model, "role": request.call_role, "messages": len(request.messages)}
        if self._prompts:
            detail.update(system=request.system, prompt=prompt)
        row = self.begin("call", f"{provider} {model}", detail)
        failed = self._failed.pop(row["task"], None)
        if failed is not None and failed[1] == prompt:
            if failed[0]["id"] in self._pauses:
                pause = self._pauses.pop(failed[0]["id"])
                pause["title"] = f"retry {pause['title']}"
            row["follows"] = failed[0]["id"]
            row["detail"]["attempt"] = failed[0]["detail"].get("attempt", 1) + 1
        self._asked[row["id"]] = prompt
        self.totals["calls"] += 1
        return row

    def ended(self, row: Row, usage: Row) -> None:
        """Note that a model call was answered."""
        self._asked.pop(row["id"], None)
        for name in _TOTALS:
            self.totals[name] += usage.get(name) or 0
        self.totals["unpriced"] += usage.get("cost_usd") is None
        self.finish(row, **usage)

    def failed(self, row: Row, error: BaseException) -> None:
        """Note that a model call failed."""
        prompt = self._asked.pop(row["id"], None)
        self.stop(row, error)
        value = row["detail"]["error"]
        for name in ("category", "reason", "status", "message", "retry_after_ms"):
            if type(value) is dict and value.get(name) is not None:
                row["detail"][name] = value[name]
        self.totals[row["state"]] += 1
        if row["state"] == "failed":
            self._failed[row["task"]] = (row, prompt)

    def close(self) -> None:
        """End what is still open, and put what failed late in its place: the run is over."""
        for row in self.rows:
            row.pop("late", None)
            if row["end"] is None:
                row["end"] = self._now()
        self.rows.sort(key=lambda row: row["start"])

    def _shown(self, detail: Row) -> Row:
        """Give ``detail`` as the page shows it: JSON data without secrets, then long texts cut."""
        shown: Row = self._cut(plain(redact(detail)))
        return shown

    def _cut(self, value: Any) -> Any:
        kind = type(value)
        if kind is dict:
            return {key: self._cut(item) for key, item in value.items()}
        if kind is list:
            return [self._cut(item) for item in value]
        if kind is not str:
            return value
        longest = _SHOWN_TEXT if self._room > 0 else _SHORT_TEXT
        self._room -= min(len(value), longest)
        return value if len(value) <= longest else value[:longest] + f" ... ({len(value)} characters)"
