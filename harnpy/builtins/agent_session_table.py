"""The agent sessions of a run: their messages, what happened to them, and who drives one right now (agent 3.1)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.events.redact import redact
from harnpy.llm.budget import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.events.log import JsonlWriter
    from harnpy.runtime.context import Context

    Message = dict[str, Any]

# More sessions than this are not kept; the one used longest ago goes first.
MAX_SESSIONS = 128
_DRIVEN = "agent_session"
TOOL_ROLES = ("tool_result", "tool")
NOT_CARRIED_OUT = "The run ended before this call was carried out."


def tool_message(name: Any, call_id: Any, content: str, is_error: bool) -> dict[str, Any]:
    """Give the message that answers a native tool call."""
    return {"role": "tool_result", "name": name, "tool_call_id": call_id, "content": content, "is_error": is_error}


class AgentSession:
    """One conversation.

    ``messages`` is never handed out, only copies of it. ``journal`` holds its messages and the dicts of other
    transcript events in the order in which they came. ``pending`` is feedback that waits for the next request.
    ``drivers`` counts the loops that run on it now.
    """

    __slots__ = (
        "branched_at",
        "call_ids",
        "children",
        "counted",
        "drivers",
        "id",
        "journal",
        "messages",
        "parent",
        "pending",
        "placeholders",
        "system_prompt",
        "tokens",
        "tool_format",
        "totals",
        "writer",
    )

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.messages: list[Message] = []
        self.journal: list[tuple[str, dict[str, Any]]] = []
        self.pending: list[tuple[str, str]] = []
        # Ids of all tool calls so far: some providers count anew in each reply, others refuse an id that comes again.
        self.call_ids: set[str] = set()
        # Messages that stand in for results still to come.
        self.placeholders: list[Message] = []
        self.system_prompt: str | None = None
        self.tool_format: str | None = None
        self.parent: str | None = None
        self.children: list[str] = []
        self.branched_at: int | None = None
        self.drivers = 0
        # The estimate of the first ``counted`` messages: a long session is not counted anew each turn.
        self.counted = 0
        self.tokens = 0
        self.totals = Totals()
        self.writer: JsonlWriter | None = None

    def append(self, message: Message) -> None:
        """Add a message; one that is no result never comes between a call and its result."""
        if message.get("role") not in TOOL_ROLES:
            self.settle(NOT_CARRIED_OUT)
        self._add(message)

    def _add(self, message: Message) -> None:
        self.messages.append(message)
        calls = message.get("tool_calls")
        for call in calls if type(calls) is list else ():
            if type(call) is dict and type(call.get("id")) is str:
                self.call_ids.add(call["id"])
        self.journal.append(("message", message))
        self.write({"kind": "message", "message": message})

    def answer(self, message: Message) -> None:
        """Add the result of a call: behind the calls of its reply, or in the place of what stood in for it.

        When the call is gone from the history (its handler reset or trimmed the session), only the journal gets it.
        """
        index = self._stand_in(message["tool_call_id"])
        if index is None and any(call.get("id") == message["tool_call_id"] for call in self.unanswered()):
            self.append(message)
            return
        if index is not None:
            self.placeholders = [held for held in self.placeholders if held is not self.messages[index]]
            self.replace([*self.messages[:index], message, *self.messages[index + 1 :]])
        self.journal.append(("message", message))
        self.write({"kind": "message", "message": message})

    def _stand_in(self, call_id: Any) -> int | None:
        """Find what stands in for the result of a call that is still open; ids come again in later replies."""
        answered = False
        for index in range(len(self.messages) - 1, -1, -1) if self.placeholders else ():
            message = self.messages[index]
            if message.get("tool_call_id") == call_id:
                if any(held is message for held in self.placeholders):
                    return index
                answered = True
            elif any(call.get("id") == call_id for call in message.get("tool_calls") or []):
                if not answered:
                    return None
                answered = False
        return None

    def replace(self, messages: list[Message]) -> None:
        """Put other messages in the place of the history; the journal keeps what was there."""
        self.messages = messages
        self.counted = self.tokens = 0

    def estimated_tokens(self) -> int:
        """Estimate how many tokens the messages take."""
        fresh = self.messages[self.counted :]
        if fresh:
            self.tokens += estimate_tokens(fresh)
            self.counted = len(self.messages)
        return self.tokens

    def note(self, kind: str, text: str, metadata: dict[str, Any]) -> None:
        """Add an event to the transcript that is no message."""
        event = {"kind": kind, "role": "system", "visibility": "internal", "text": text, "metadata": metadata}
        self.journal.append((kind, event))
        self.write({"kind": kind, "text": text, "metadata": metadata})

    def write(self, line: dict[str, Any]) -> None:
        """Keep a line on disk when the session is kept there; keys and tokens never get that far."""
        if self.writer is not None:
            self.writer.write(redact({"session_id": self.id, **line}))

    def settle(self, content: str) -> None:
        """Answer the calls that have no result, because no provider takes a history with such calls.

        A call that still runs (a loop inside its handler goes on here) gets its real answer in that place later.
        """
        for call in self.unanswered():
            message = tool_message(call.get("name"), call.get("id"), content, True)
            self.placeholders.append(message)
            self._add(message)

    def unanswered(self) -> list[Message]:
        """Give the calls of the last assistant message that have no result yet; none once another message follows."""
        if not self.messages or self.messages[-1].get("role") not in ("assistant", *TOOL_ROLES):
            return []
        for index in range(len(self.messages) - 1, -1, -1):
            message = self.messages[index]
            if message.get("role") == "assistant":
                answered = {later.get("tool_call_id") for later in self.messages[index + 1 :]}
                calls = message.get("tool_calls") or []
                return [call for call in calls if type(call) is dict and call.get("id") not in answered]
        return []

    def transcript(self) -> dict[str, Any]:
        """Give the transcript (agent 3.3)."""
        return {
            "_type": "transcript",
            "version": 2,
            "id": self.id,
            "state": "active",
            "summary": None,
            "metadata": {},
            "messages": list(self.messages),
            "events": [_event(kind, entry) for kind, entry in self.journal],
            "assets": [],
        }


class Totals:
    """What the model calls of one session used."""

    __slots__ = ("cache_read_tokens", "cache_write_tokens", "calls", "cost_usd", "input_tokens", "output_tokens")

    def __init__(self) -> None:
        self.calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.cache_read_tokens = 0
        self.cache_write_tokens = 0
        self.cost_usd: Any = None

    def as_dict(self) -> dict[str, Any]:
        """Give the counters as a dict."""
        return {name: getattr(self, name) for name in self.__slots__}


def _event(kind: str, entry: dict[str, Any]) -> dict[str, Any]:
    if kind != "message":
        return entry
    content = entry.get("content")
    text = content if type(content) is str else ""
    role = entry.get("role")
    return {"kind": kind, "role": role, "visibility": "internal" if role in TOOL_ROLES else "public", "text": text}


class SessionTable:
    """The sessions of a run by id, the least recently used first."""

    def __init__(self) -> None:
        self._sessions: dict[str, AgentSession] = {}
        self._minted = 0

    def find(self, session_id: str) -> AgentSession | None:
        """Give a session, which counts as used now."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            self._sessions[session_id] = session
        return session

    def open(self, session_id: str | None) -> AgentSession:
        """Give the session with this id, made if there is none; ``None`` mints an id."""
        session = None if session_id is None else self.find(session_id)
        if session is None:
            session = AgentSession(session_id or self._mint())
            self._make_room()
            self._sessions[session.id] = session
        return session

    def close(self, session_id: str) -> AgentSession | None:
        """Forget a session."""
        return self._sessions.pop(session_id, None)

    def _mint(self) -> str:
        import uuid

        self._minted += 1
        return f"agent_session_{uuid.uuid4().hex[:12]}_{self._minted}"

    def _make_room(self) -> None:
        """Evict what is not in use; a session that a loop drives stays, however many there are."""
        if len(self._sessions) < MAX_SESSIONS:
            return
        for session in list(self._sessions.values()):
            if session.drivers == 0:
                del self._sessions[session.id]
                if len(self._sessions) < MAX_SESSIONS:
                    return


def table(ctx: Context) -> SessionTable:
    """Give the sessions of the run."""
    found: SessionTable | None = ctx.services.get("agent_sessions")
    if found is None:
        found = ctx.services["agent_sessions"] = SessionTable()
    return found


def existing(ctx: Context, function: str, session_id: Any) -> AgentSession:
    """Give the session with this id, which must exist."""
    session = table(ctx).find(session_id) if type(session_id) is str else None
    if session is None:
        from harnpy.runtime.display import display

        raise thrown_text(f"{function}: unknown session id '{display(session_id)}'")
    return session


def driven(ctx: Context) -> str | None:
    """Give the id of the innermost session that is being driven in this task."""
    ids: tuple[str, ...] = ctx.scheduler.local(_DRIVEN, ())
    return ids[-1] if ids else None


def begin_driving(ctx: Context, session: AgentSession) -> None:
    """Make a session the one being driven."""
    ctx.scheduler.set_local(_DRIVEN, (*ctx.scheduler.local(_DRIVEN, ()), session.id))
    session.drivers += 1


def end_driving(ctx: Context, session: AgentSession) -> None:
    """Undo ``begin_driving``."""
    ids: tuple[str, ...] = ctx.scheduler.local(_DRIVEN, ())
    ctx.scheduler.set_local(_DRIVEN, ids[:-1])
    session.drivers -= 1
