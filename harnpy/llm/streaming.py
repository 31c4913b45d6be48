"""Reads the streamed form of a reply: frames to events to the wire's reader, and its failures (llm 7)."""

from __future__ import annotations

from harnpy.events.redact import redact_cut
from harnpy.llm.classify import read_error
from harnpy.llm.errors import llm_error, network_error
from harnpy.llm.http_errors import body_error, unreadable
from harnpy.llm.json_values import mended, read_deep
from harnpy.llm.ndjson import NdjsonReader
from harnpy.llm.schema_stream import aborted, guard_of
from harnpy.llm.sse import SseReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply
    from harnpy.llm.transport import Incoming

_SENTINEL = "[DONE]"
_EVENT_STREAM = "text/event-stream"
# Ollama sends its lines under all of these, old versions without any.
_LINE_TYPES = ("application/x-ndjson", "application/jsonl", "application/json", "")


class ReplyStreamReader:
    """Takes the body of one response piece by piece; ``error`` is what it said instead of a reply."""

    def __init__(self, request: Request, wire: Any, on_text: Callable[[str], None] | None) -> None:
        self._request = request
        self._wire = wire
        self._on_text = on_text
        self._reader = wire.StreamReader(request)
        self._frames: SseReader | NdjsonReader = SseReader() if wire.FRAMING == "sse" else NdjsonReader()
        self._head: Incoming | None = None
        self._seen = False
        # A reader of the text sees all of it; only an answer that nobody has seen is given up.
        self._guard = guard_of(request) if on_text is None else None
        self.error: HarnError | None = None

    @property
    def open(self) -> bool:
        """Tell whether the response is a stream."""
        return self._head is not None

    @property
    def phase(self) -> str:
        """Name the phase for errors."""
        return "streaming" if self._seen else "awaiting_first_chunk"

    @property
    def partial(self) -> str:
        """Give the text so far, without secrets."""
        return redact_cut(mended(self._reader.partial))

    def accept(self, head: Incoming) -> Callable[[bytes], bool] | None:
        """Take the body when it is a stream of this wire."""
        kind = head.content_type.partition(";")[0].strip().lower()
        streams = kind == _EVENT_STREAM if self._wire.FRAMING == "sse" else kind in _LINE_TYPES
        if 200 <= head.status < 300 and streams:
            self._head = head
            return self._take
        return None

    def _take(self, piece: bytes) -> bool:
        return any(self._event(data) for data in self._frames.feed(piece))

    def _event(self, data: str) -> bool:
        """Take one event and tell whether nothing after it matters."""
        if data.strip() == _SENTINEL:
            self._reader.done = self._reader.done or self._reader.ends_with_sentinel
            return True
        try:
            event = read_deep(data) if data.strip() else {}
        except (ValueError, RecursionError):
            return self._fail_unreadable(data)
        if type(event) is not dict:
            return self._fail_unreadable(data)
        if not self._wire.holds_reply(event):
            return self._fail(event, data)
        if event:
            self._seen = True
        text = self._reader.feed(event)
        if text and self._on_text is not None:
            self._on_text(mended(text))
        return self._is_given_up(text) or bool(self._reader.done)

    def _is_given_up(self, text: str) -> bool:
        """Tell whether the answer certainly breaks its schema by now."""
        guard = self._guard
        violation = None if guard is None else guard.feed(self._reader.watched(text))
        if guard is None or violation is None:
            return False
        self.error = aborted(self._request, violation, guard.chunks, self._reader.reply())
        return True

    def _fail(self, event: Any, data: str) -> bool:
        inner = event.get("response") if type(event) is dict else None
        error = read_error(inner if type(inner) is dict else event)
        if error is None:
            return self._fail_unreadable(data)
        self.error = body_error(self._request, error, self.partial, self.phase)
        return True

    def _fail_unreadable(self, data: str) -> bool:
        kind = "" if self._head is None else self._head.content_type
        self.error = unreadable(self._request, 200, kind, data, "a part of the stream is not a JSON object")
        return True

    def finished(self) -> Reply:
        """Give the reply, or raise when the stream ended too early."""
        if not self._reader.done and self.error is None:
            for data in self._frames.finish():
                if self._event(data):
                    break
        if self.error is not None:
            raise self.error
        if not self._reader.complete:
            raise self._early_end()
        reply: Reply = self._reader.reply()
        return reply

    def _early_end(self) -> HarnError:
        provider, model = self._request.error_place()
        fields = {"source": "provider_stream", "phase": self.phase, "partial": self.partial or None}
        if self._wire.FRAMING == "ndjson":
            message = f"{provider} stream error: unexpected EOF before done=true: the reply is not complete"
            return llm_error("network_error", message, provider, model, **fields)
        return network_error(provider, model, "the stream ended without its final event", **fields)
