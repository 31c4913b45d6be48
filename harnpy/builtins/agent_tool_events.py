"""The events of a tool call: announced, started, ended (agent 3.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def announce(ctx: Context, session_id: Any = None, call: Any = None, kind: Any = "other") -> None:
    """Tell that a call came and that it starts."""
    place = {"tool_call_id": call["id"], "tool_name": call["name"]}
    raw = {"raw_input": call["arguments"]}
    ctx.events.emit(session_id, "tool_call", {**place, **raw, "kind": kind, "status": "pending"})
    ctx.events.emit(session_id, "tool_call_update", {**place, "status": "in_progress", "mutation_status": "pending"})


def report(ctx: Context, session_id: Any = None, result: Any = None) -> None:
    """Tell how a call ended."""
    event = {
        "tool_call_id": result["tool_call_id"],
        "tool_name": result["tool_name"],
        "status": "completed" if result["ok"] else "failed",
        "raw_output": result["rendered_result"],
        "mutation_status": result["mutation_status"],
        "execution_duration_ms": result["execution_duration_ms"],
    }
    for name in ("error", "error_category", "executor"):
        if result[name] is not None:
            event[name] = result[name]
    ctx.events.emit(session_id, "tool_call_update", event)
    audit = result.get("audit")
    if type(audit) is dict:
        place = {"tool_call_id": result["tool_call_id"], "tool_name": result["tool_name"]}
        receipt = {} if result.get("receipt") is None else {"receipt": result["receipt"]}
        ctx.events.emit(session_id, "tool_call_audit", {**place, "audit": audit, **receipt})
