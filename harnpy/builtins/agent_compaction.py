"""Making the history of a session shorter without tearing calls from their results (agent 1.16, 3.1)."""

from __future__ import annotations

from harnpy.builtins.agent_session_table import TOOL_ROLES, AgentSession, existing
from harnpy.builtins.arguments import is_callable, text
from harnpy.errors import thrown_text
from harnpy.runtime.calls import call
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

    Message = dict[str, Any]

KEEP_LAST = 12
MASKED = "[tool output removed to save room]"
_STRATEGIES = ("llm", "truncate", "observation_mask", "custom")
_OPTIONS = (
    "keep_last token_threshold tool_output_max_chars compact_strategy hard_limit_tokens hard_limit_strategy "
    "custom_compactor mask_callback compress_callback"
).split()


def estimated_tokens(ctx: Context, session_id: Any = None) -> int:
    """Estimate how many tokens the history of a session takes (llm 13.2)."""
    return existing(ctx, "agent_loop", session_id).estimated_tokens()


def cut_point(messages: list[Message], keep_last: int) -> int:
    """Give the index from which messages are kept: never inside the results of one reply."""
    index = max(len(messages) - keep_last, 0)
    while 0 < index < len(messages) and messages[index].get("role") in TOOL_ROLES:
        index -= 1
    return index


def _task_first(messages: list[Message]) -> int:
    """Give how many messages at the start are kept always: the task, when the history starts with it."""
    return 1 if messages and messages[0].get("role") == "user" else 0


def _shortened(messages: list[Message], keep_last: int) -> list[Message]:
    start, index = _task_first(messages), cut_point(messages, keep_last)
    return messages if index <= start else messages[:start] + messages[index:]


def compact_for_loop(ctx: Context, session_id: Any = None, keep_last: Any = 10, summary: Any = None) -> int:
    """Drop old messages of a session, or put ``summary`` in their place; gives how many went."""
    session = existing(ctx, "agent_loop", session_id)
    before = session.messages
    start, index = _task_first(before), cut_point(before, keep_last)
    removed = index - start
    if removed <= 0:
        return 0
    middle = [] if summary is None else [{"role": "user", "content": f"Summary of the conversation so far:\n{summary}"}]
    session.replace(before[:start] + middle + before[index:])
    session.note("compaction", "", {"removed": removed, "kept": len(session.messages)})
    return removed


def old_messages(ctx: Context, session_id: Any = None, keep_last: Any = 10) -> list[Message]:
    """Give the messages that ``compact_for_loop`` would remove."""
    messages = existing(ctx, "agent_loop", session_id).messages
    return messages[_task_first(messages) : cut_point(messages, keep_last)]


def agent_session_compact(ctx: Context, session_id: Any = None, options: Any = None) -> int:
    """Compact a session and give how many messages are left; calls and their results stay together.

    Options: ``keep_last``, ``token_threshold`` (below it nothing happens), ``compact_strategy`` (``truncate``,
    ``llm``, ``observation_mask``, ``custom``), ``tool_output_max_chars``, ``hard_limit_tokens``,
    ``hard_limit_strategy``, ``custom_compactor``, ``mask_callback``, ``compress_callback``. Errors: throws a text
    for others.
    """
    session = existing(ctx, "agent_session_compact", session_id)
    given = _checked(options)
    threshold = given.get("token_threshold")
    if type(threshold) is int and session.estimated_tokens() < threshold:
        return len(session.messages)
    _compact(ctx, session, given.get("compact_strategy") or "truncate", given)
    limit = given.get("hard_limit_tokens")
    if type(limit) is int:
        keep = given.get("keep_last", KEEP_LAST)
        while keep > 1 and session.estimated_tokens() > limit:
            keep //= 2
            session.replace(_shortened(session.messages, keep))
    session.note("compaction", "", {"kept": len(session.messages)})
    return len(session.messages)


def _checked(options: Any) -> dict[str, Any]:
    if options is None:
        return {}
    if type(options) is not dict:
        raise thrown_text(f"agent_session_compact: options must be a dict, got {type_of(options)}")
    for key in sorted(options):
        if key not in _OPTIONS:
            raise thrown_text(f"agent_session_compact: unknown option `{key}`")
    for key in ("compact_strategy", "hard_limit_strategy"):
        if options.get(key) not in (None, *_STRATEGIES):
            raise thrown_text(f"agent_session_compact: `{key}` must be one of {', '.join(_STRATEGIES)}")
    for key in ("keep_last", "token_threshold", "tool_output_max_chars", "hard_limit_tokens"):
        value = options.get(key)
        if value is not None and (type(value) is not int or value < 0):
            raise thrown_text(f"agent_session_compact: `{key}` must be a non-negative integer")
    return {key: value for key, value in options.items() if value is not None}


def _compact(ctx: Context, session: AgentSession, strategy: str, options: dict[str, Any]) -> None:
    keep = options.get("keep_last", KEEP_LAST)
    limit = options.get("tool_output_max_chars")
    if type(limit) is int:
        session.replace([_cut(message, limit) for message in session.messages])
    if strategy == "custom":
        session.replace(_custom(ctx, session, keep, options.get("custom_compactor")))
    elif strategy == "observation_mask":
        session.replace(_masked(ctx, session.messages, keep, options.get("mask_callback")))
    else:  # without a model that summarizes, "llm" drops like "truncate"
        session.replace(_shortened(session.messages, keep))


def _cut(message: Message, limit: int) -> Message:
    content = message.get("content")
    if message.get("role") not in TOOL_ROLES or type(content) is not str or len(content) <= limit:
        return message
    return {**message, "content": f"{content[:limit]}\n[... {len(content) - limit} characters cut]"}


def _masked(ctx: Context, messages: list[Message], keep: int, mask: Any) -> list[Message]:
    index = cut_point(messages, keep)
    masked = []
    for message in messages[:index]:
        if message.get("role") in TOOL_ROLES:
            content = text(call(ctx, mask, [message])) if is_callable(mask) else MASKED
            message = {**message, "content": content}
        masked.append(message)
    return masked + messages[index:]


def _custom(ctx: Context, session: AgentSession, keep: int, compactor: Any) -> list[Message]:
    if not is_callable(compactor):
        raise thrown_text("agent_session_compact: strategy `custom` needs `custom_compactor`")
    messages = session.messages
    start, index = _task_first(messages), cut_point(messages, keep)
    if index <= start:
        return messages
    summary = text(call(ctx, compactor, [messages[start:index]]))
    middle: list[Message] = [{"role": "user", "content": summary}] if summary else []
    return messages[:start] + middle + messages[index:]
