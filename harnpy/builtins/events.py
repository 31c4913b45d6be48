"""Agent events and the topic log as builtins (builtins 1.19, agent 3.2)."""

from __future__ import annotations

from harnpy.errors import thrown_text, type_error
from harnpy.events.redact import redact
from harnpy.events.topics import TopicLog
from harnpy.runtime.calls import call
from harnpy.runtime.display import display
from harnpy.runtime.values import CALLABLE_TYPES, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


# Tasks that wait for the next record, by topic.
WAITING = "topic_waiters"


def redacted(value: Any = None) -> Any:
    """``__redacted``: give a value without keys and tokens, for what goes to a log."""
    return redact(value)


def agent_emit_event(ctx: Context, session_id: Any = None, event_type: Any = None, payload: Any = None) -> None:
    """Emit an event of a session to its subscribers and the event log; an empty session id and unknown types do
    nothing.
    """
    session = "" if session_id is None else display(session_id)
    kind = "" if event_type is None else display(event_type)
    ctx.events.emit(session, kind, payload if type(payload) is dict else {})


def agent_subscribe(ctx: Context, session_id: Any = None, callback: Any = None) -> None:
    """Call ``callback(event)`` for each later event of the session, in the order in which callbacks were registered.

    Errors: what a callback throws is dropped, with a warning.
    """
    _subscribe(ctx, "agent_subscribe(session_id, callback)", session_id, callback)


def _subscribe(ctx: Context, signature: str, session_id: Any, callback: Any) -> Any:
    if type(session_id) is not str:
        raise thrown_text(f"{signature}: session_id must be a string")
    if type(callback) not in CALLABLE_TYPES:
        raise thrown_text(f"{signature}: callback must be callable")
    return ctx.events.subscribe(session_id, lambda event: call(ctx, callback, [event]))


def agent_capture_events(ctx: Context, session_id: Any = None, body: Any = None) -> dict[str, Any]:
    """Run ``body()`` and give ``{result, events}``: its value and the events of the session meanwhile."""
    signature = "agent_capture_events(session_id, body)"
    if type(session_id) is not str:
        raise thrown_text(f"{signature}: session_id must be a string")
    if type(body) not in CALLABLE_TYPES:
        raise thrown_text(f"{signature}: body must be callable")
    events: list[dict[str, Any]] = []
    unsubscribe = ctx.events.subscribe(session_id, events.append)
    try:
        return {"result": call(ctx, body, []), "events": list(events)}
    finally:
        unsubscribe()


def topic_log(ctx: Context) -> TopicLog:
    """Give the topic log of the run."""
    log: TopicLog | None = ctx.services.get("topics")
    if log is None:
        log = ctx.services["topics"] = TopicLog()
    return log


def topic_argument(name: str, topic: Any) -> str:
    """Give the name of a topic; ``name`` is the function that got it."""
    if topic is None:
        raise type_error(f"event_log.{name}: missing topic")
    if type(topic) is not str:
        raise type_error(f"event_log.{name}: topic must be a string, got {type_of(topic)}")
    return topic


def topic_emit(ctx: Context, topic: Any = None, kind: Any = None, payload: Any = None, headers: Any = None) -> int:
    """Append a record to a topic and give its id."""
    name = topic_argument("emit", topic)
    if type(kind) is not str:
        raise type_error(f"event_log.emit: kind must be a string, got {type_of(kind)}")
    if headers is not None and type(headers) is not dict:
        raise type_error(f"event_log.emit: headers must be a dict, got {type_of(headers)}")
    number = topic_log(ctx).emit(name, kind, payload, headers or {}, ctx.clock.now_ms())
    for task in ctx.services.get(WAITING, {}).pop(name, ()):
        ctx.scheduler.wake(task)
    return number


def topic_latest(ctx: Context, topic: Any = None) -> int | None:
    """Give the id of the newest record of a topic, or nil."""
    return topic_log(ctx).latest(topic_argument("latest", topic))


def topic_read(ctx: Context, topic: Any = None, cursor: Any = None) -> list[dict[str, Any]]:
    """Give the records of a topic after ``cursor``."""
    return topic_log(ctx).read(topic_argument("read", topic), cursor if type(cursor) is int else 0)


def topic_names(ctx: Context) -> list[str]:
    """Give the names of all topics."""
    return topic_log(ctx).topics()
