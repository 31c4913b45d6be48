"""The session builtins of scripts (agent 3.1) and the helpers of transcripts (agent 3.3)."""

from __future__ import annotations

from harnpy.builtins.agent_session_table import TOOL_ROLES, AgentSession, driven, existing, table
from harnpy.builtins.arguments import text
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def agent_session_open(ctx: Context, session_id: Any = None) -> str:
    """Open a session and give its id; one that exists is left as it is, and nil mints an id."""
    if session_id is not None and (type(session_id) is not str or not session_id.strip()):
        raise thrown_text("agent_session_open: id must be a non-empty string or nil")
    return table(ctx).open(session_id).id


def agent_session_exists(ctx: Context, session_id: Any = None) -> bool:
    """Tell whether a session exists."""
    return type(session_id) is str and table(ctx).find(session_id) is not None


def agent_session_current_id(ctx: Context) -> str | None:
    """Give the id of the innermost session that a loop drives around here."""
    return driven(ctx)


def agent_session_snapshot(ctx: Context, session_id: Any = None) -> dict[str, Any] | None:
    """Give the transcript of a session with its lineage, nil for an unknown one."""
    session = table(ctx).find(session_id) if type(session_id) is str else None
    if session is None:
        return None
    return {
        **session.transcript(),
        "length": len(session.messages),
        "system_prompt": session.system_prompt,
        "tool_format": session.tool_format,
        "parent_id": session.parent,
        "child_ids": list(session.children),
        "branched_at_event_index": session.branched_at,
    }


def agent_session_messages(ctx: Context, session_id: Any = None) -> list[Any]:
    """Give the stored messages of a session: ``[{role, content, ...}]``. Errors: throws for an unknown session."""
    return list(existing(ctx, "agent_session_messages", session_id).messages)


def agent_session_length(ctx: Context, session_id: Any = None) -> int:
    """Count the stored messages of a session. Errors: throws for an unknown session."""
    return len(existing(ctx, "agent_session_length", session_id).messages)


def checked_message(function: str, message: Any) -> dict[str, Any]:
    """Give a message that has what every message needs."""
    if type(message) is not dict:
        raise thrown_text(f"{function}: message must be a dict, got {type_of(message)}")
    if type(message.get("role")) is not str or not message["role"]:
        raise thrown_text(f"{function}: message needs a `role`")
    calls = message.get("tool_calls")
    if calls is not None and not (type(calls) is list and all(type(each) is dict for each in calls)):
        raise thrown_text(f"{function}: `tool_calls` of a message must be a list of dicts or nil")
    return message


def agent_session_inject(ctx: Context, session_id: Any = None, message: Any = None) -> None:
    """Append a message ``{role, content, ...}`` to a session. Errors: throws for an unknown session or another form."""
    session = existing(ctx, "agent_session_inject", session_id)
    session.append(checked_message("agent_session_inject", message))


def agent_session_reset(ctx: Context, session_id: Any = None) -> None:
    """Forget the history of a session; its id and subscribers stay. Errors: throws for an unknown session."""
    session = existing(ctx, "agent_session_reset", session_id)
    session.replace([])
    session.journal, session.pending, session.call_ids = [], [], set()


def agent_session_fork(ctx: Context, source: Any = None, target: Any = None) -> str:
    """Make a session that starts with the history of another one, and give its id; nil mints one.

    Errors: throws for an unknown session, and when ``target`` is there already.
    """
    session = existing(ctx, "agent_session_fork", source)
    return _forked(ctx, "agent_session_fork", session, len(session.messages), target)


def agent_session_fork_at(ctx: Context, source: Any = None, keep_first: Any = None, target: Any = None) -> str:
    """Make a session that starts with the first ``keep_first`` messages of another one, and give its id."""
    session = existing(ctx, "agent_session_fork_at", source)
    if type(keep_first) is not int or keep_first < 0:
        raise thrown_text("agent_session_fork_at: keep_first must be a non-negative integer")
    return _forked(ctx, "agent_session_fork_at", session, keep_first, target)


def _forked(ctx: Context, function: str, session: AgentSession, keep: int, target: Any) -> str:
    sessions = table(ctx)
    if target is not None and (type(target) is not str or not target):
        raise thrown_text(f"{function}: dst must be a non-empty string or nil")
    if target is not None and sessions.find(target) is not None:
        raise thrown_text(f"{function}: session '{target}' exists already")
    fork = sessions.open(target)
    for message in session.messages[:keep]:
        fork.append(message)
    fork.system_prompt, fork.tool_format = session.system_prompt, session.tool_format
    fork.parent, fork.branched_at = session.id, len(fork.messages)
    session.children.append(fork.id)
    return fork.id


def agent_session_ancestry(ctx: Context, session_id: Any = None) -> dict[str, Any] | None:
    """Give ``{parent_id, child_ids, root_id}`` of a session, nil for an unknown one."""
    sessions = table(ctx)
    session = sessions.find(session_id) if type(session_id) is str else None
    if session is None:
        return None
    root, seen = session, {session.id}
    while root.parent is not None and root.parent not in seen:
        seen.add(root.parent)
        above = sessions.find(root.parent)
        if above is None:
            break
        root = above
    return {"parent_id": session.parent, "child_ids": list(session.children), "root_id": root.id}


def agent_session_trim(ctx: Context, session_id: Any = None, keep_last: Any = None) -> int:
    """Drop the oldest messages beyond the last ``keep_last``, and give how many are left.

    Errors: throws for an unknown session.
    """
    session = existing(ctx, "agent_session_trim", session_id)
    if type(keep_last) is not int or keep_last < 0:
        raise thrown_text("agent_session_trim: keep_last must be a non-negative integer")
    kept = session.messages[-keep_last:] if keep_last else []
    first = next((index for index, each in enumerate(kept) if each.get("role") not in TOOL_ROLES), len(kept))
    session.replace(kept[first:])  # results whose call went go with it
    return len(session.messages)


def agent_session_close(ctx: Context, session_id: Any = None, status: Any = None) -> None:
    """Forget a session: its history, totals and subscribers. ``status`` goes into the event of its end.

    Errors: throws for an unknown session.
    """
    session = existing(ctx, "agent_session_close", session_id)
    table(ctx).close(session.id)
    ctx.events.emit(session.id, "agent_session_closed", {"status": status})


def agent_session_totals(ctx: Context, session_id: Any = None) -> dict[str, Any]:
    """Give what the model calls of a session used so far.

    ``{calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd}``; the cost is nil when
    a price is unknown.
    """
    return existing(ctx, "agent_session_totals", session_id).totals.as_dict()


def agent_inject_feedback(ctx: Context, session_id: Any = None, kind: Any = None, content: Any = None) -> None:
    """Queue a remark of the harness; the model gets it with the next request. ``kind`` says where it comes from.

    Errors: throws for an unknown session.
    """
    session = existing(ctx, "agent_inject_feedback", session_id)
    session.pending.append((text(kind), text(content).strip()))
    ctx.events.emit(session.id, "feedback_injected", {"kind": text(kind), "content": text(content).strip()})


def _transcript(function: str, value: Any) -> dict[str, Any]:
    if type(value) is not dict or value.get("_type") != "transcript":
        raise _no_transcript(function, value)
    for key in ("messages", "events"):
        if value.get(key) is not None and type(value[key]) is not list:
            raise thrown_text(f"{function}: `{key}` of a transcript must be a list, got {type_of(value[key])}")
    return value


def _no_transcript(function: str, value: Any) -> HarnError:
    return thrown_text(f"{function}: expected a transcript, got {type_of(value)}")


def transcript_messages(transcript: Any = None) -> list[Any]:
    """Give the messages of a transcript."""
    return list(_transcript("transcript_messages", transcript).get("messages") or [])


def transcript_events(transcript: Any = None) -> list[Any]:
    """Give the events of a transcript."""
    return list(_transcript("transcript_events", transcript).get("events") or [])


def transcript_render_visible(transcript: Any = None) -> str:
    """Give the conversation as a person may read it: user and assistant texts, one paragraph each."""
    from harnpy.llm.visible import visible_text

    lines = []
    for message in _transcript("transcript_render_visible", transcript).get("messages") or []:
        content = message.get("content") if type(message) is dict else None
        if type(content) is str and message.get("role") in ("user", "assistant"):
            visible = visible_text(content)
            if visible:
                lines.append(f"{message['role']}: {visible}")
    return "\n\n".join(lines)
