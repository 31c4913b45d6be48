"""What ``std/agent/loop`` does to a session while it drives it: begin, record, deliver feedback, end (agent 1.6)."""

from __future__ import annotations

from harnpy.builtins.agent_calls import read_reply
from harnpy.builtins.agent_session_table import (
    NOT_CARRIED_OUT,
    AgentSession,
    begin_driving,
    driven,
    end_driving,
    existing,
    table,
    tool_message,
)
from harnpy.builtins.agent_sessions import checked_message
from harnpy.errors import thrown_text
from harnpy.llm.visible import visible_text
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_RESULT_TEXTS = ("tool_name", "tool_call_id", "observation")
_COUNTERS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def begin(
    ctx: Context,
    session_id: Any = None,
    task: Any = "",
    system: Any = None,
    history: Any = None,
    tool_format: Any = None,
) -> dict[str, Any]:
    """Open the session of a loop, record its system prompt, history and task, and make it the one being driven.

    Without an id the innermost session that is being driven goes on, else an id is minted.
    """
    import uuid

    if session_id is not None and type(session_id) is not str:
        raise thrown_text(f"agent_loop: `session_id` must be a string or nil; got {type_of(session_id)}")
    if history is not None and type(history) is not list:
        raise thrown_text(f"agent_loop: `history` must be a list or nil; got {type_of(history)}")
    checked = [checked_message("agent_loop: `history`", message) for message in history or []]
    session = table(ctx).open(session_id if session_id else driven(ctx))
    if system is not None:
        session.system_prompt = system
    if tool_format is not None:
        session.tool_format = tool_format
    first = len(session.messages)
    deliver(session)
    for message in checked:
        session.append(message)
    if not session.messages or task.strip():
        session.append({"role": "user", "content": task})
    begin_driving(ctx, session)
    return {"session_id": session.id, "run_id": "run_" + uuid.uuid4().hex[:12], "first_message": first}


def end(ctx: Context, session_id: Any = None, final_status: Any = "", stop_reason: Any = "") -> None:
    """Stop driving a session and note how the loop ended."""
    if type(session_id) is not str:
        raise thrown_text(f"agent_session_finalize: session_id must be a string, got {type_of(session_id)}")
    session = table(ctx).find(session_id)
    if session is None:  # a handler closed it
        session = AgentSession(session_id)
    session.settle(NOT_CARRIED_OUT)
    # How a reply should have been written matters to the next turn of this run only.
    session.pending = [item for item in session.pending if item[0] != "parse_guidance"]
    session.note("agent_loop_end", stop_reason, {"final_status": final_status, "stop_reason": stop_reason})
    end_driving(ctx, session)


def keep_on_disk(ctx: Context, session_id: Any = None, directory: Any = None) -> None:
    """Append every later message of a session to ``llm_transcript.jsonl`` in ``directory``."""
    import os

    from harnpy.builtins.file_access import absolute, allowed
    from harnpy.events.log import JsonlWriter

    session = existing(ctx, "agent_loop", session_id)
    if session.writer is not None:
        return
    folder = allowed(ctx, "append_text", absolute(ctx, "append_text", directory), True)
    try:
        os.makedirs(folder, exist_ok=True)
        session.writer = JsonlWriter(os.path.join(folder, "llm_transcript.jsonl"))
    except OSError as error:
        raise thrown_text(f"agent_loop: cannot write transcripts to {folder}: {error.strerror}") from None
    ctx.services.setdefault("at_end", []).append(session.writer.close)
    for message in session.messages:
        session.write({"kind": "message", "message": message})


def deliver(session: AgentSession) -> None:
    """Turn pending feedback into messages; calls without a result get one first, so that each call has its own."""
    pending, session.pending = session.pending, []
    session.settle("\n".join([text for _, text in pending]) or NOT_CARRIED_OUT)
    for kind, text in pending:
        content = f'<runtime_feedback kind="{_escaped(kind)}">\n{text}\n</runtime_feedback>'
        session.append({"role": "user", "content": content})


def _escaped(kind: str) -> str:
    return kind.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def turn_messages(ctx: Context, session_id: Any = None) -> list[Any]:
    """Deliver pending feedback and give the messages of the next request."""
    session = existing(ctx, "agent_loop", session_id)
    deliver(session)
    return list(session.messages)


def read_turn(
    ctx: Context,
    session_id: Any = None,
    value: Any = None,
    tools: Any = None,
    tool_format: Any = "native",
    fallback: Any = "allow",
    done: Any = None,
) -> dict[str, Any]:
    """Read what a caller gave as a turn of a session: its tool calls have ids that come nowhere else in it."""
    used = existing(ctx, "agent_loop", session_id).call_ids
    return read_reply(value, tools, tool_format, fallback, done, used)


def record_assistant(
    ctx: Context, session_id: Any = None, content: Any = "", calls: Any = None, thinking_blocks: Any = None
) -> None:
    """Record the reply of a turn; native calls go into the message, text calls stand in its text."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [_recorded(call) for call in calls]
    if thinking_blocks:
        message["thinking_blocks"] = thinking_blocks
    existing(ctx, "agent_loop", session_id).append(message)


def _recorded(call: dict[str, Any]) -> dict[str, Any]:
    kept = {"id": call["id"], "type": "tool_call", "name": call["name"], "arguments": call["arguments"]}
    signature = call.get("thought_signature")
    return kept if signature is None else {**kept, "thought_signature": signature}


def record_result(ctx: Context, session_id: Any = None, result: Any = None, native: Any = True) -> None:
    """Record the message that answers one tool call."""
    session = existing(ctx, "agent_loop", session_id)
    if type(result) is not dict or not all(type(result.get(key)) is str for key in _RESULT_TEXTS):
        raise thrown_text(f"a tool result needs the texts {', '.join(_RESULT_TEXTS)}; got {type_of(result)}")
    name, observation = result["tool_name"], result["observation"]
    if native:
        message = tool_message(name, result["tool_call_id"], observation, not result.get("ok"))
        session.answer(message)
    else:
        session.append({"role": "user", "content": observation})


def record_usage(ctx: Context, session_id: Any = None, value: Any = None) -> dict[str, Any]:
    """Add what a model call used to the totals of the session; gives what it used."""
    from decimal import Decimal

    totals = existing(ctx, "agent_loop", session_id).totals
    if type(value) is not dict:
        raise thrown_text(f"agent_session_record_usage: value must be a dict, got {type_of(value)}")
    usage = value.get("usage")
    usage = usage if type(usage) is dict else {}
    used: dict[str, Any] = {}
    for name in _COUNTERS:
        count = usage.get(name, value.get(name))
        used[name] = count if type(count) is int and count > 0 else 0
        setattr(totals, name, getattr(totals, name) + used[name])
    totals.calls += 1
    cost = usage.get("cost_usd")
    used["cost_usd"] = cost if type(cost) in (int, float) else None
    if used["cost_usd"] is not None:
        before = Decimal(0) if totals.cost_usd is None else Decimal(str(totals.cost_usd))
        totals.cost_usd = float(before + Decimal(str(cost)))
    return used


def final_text(ctx: Context, session_id: Any = None, first_message: Any = 0) -> str:
    """Give the visible text of the latest reply of the run that has any."""
    messages = existing(ctx, "agent_loop", session_id).messages
    for index in range(len(messages) - 1, min(first_message, len(messages)) - 1, -1):
        message = messages[index]
        if message.get("role") == "assistant" and type(message.get("content")) is str:
            visible = visible_text(message["content"])
            if visible:
                return visible
    return ""


def drop_last_assistant(ctx: Context, session_id: Any = None) -> bool:
    """Take back the last message when it is a reply."""
    session = existing(ctx, "agent_session_pop_last_assistant", session_id)
    if session.messages and session.messages[-1].get("role") == "assistant":
        session.replace(session.messages[:-1])
        return True
    return False


def note(ctx: Context, session_id: Any = None, kind: Any = "", text: Any = "", metadata: Any = None) -> None:
    """Add a transcript event that is no message."""
    existing(ctx, "agent_session_post_event", session_id).note(kind, text, metadata or {})


def replace_messages(ctx: Context, session_id: Any = None, messages: Any = None) -> None:
    """Put other messages in the place of the history; the journal keeps what was there."""
    existing(ctx, "agent_loop", session_id).replace(list(messages))


def visible(text: Any = "") -> str:
    """Give the visible form of a reply's text (agent 1.17)."""
    return visible_text(text) if type(text) is str else ""


def unique_id(prefix: Any = "") -> str:
    """Give a name that no other call gives."""
    import uuid

    return f"{prefix}{uuid.uuid4()}"


def system_prompt(ctx: Context, session_id: Any = None) -> str | None:
    """Give the recorded system prompt of a session."""
    return existing(ctx, "agent_loop", session_id).system_prompt
