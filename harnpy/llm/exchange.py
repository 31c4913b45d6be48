"""Asks a provider over HTTP: builds the HTTP request, reads the response or its stream, classifies failures."""

from __future__ import annotations

import json
import time

from harnpy.events.redact import register_secret
from harnpy.llm.classify import read_error
from harnpy.llm.errors import llm_error, local_error, network_error, timeout_error
from harnpy.llm.http_errors import body_error, http_error, unreadable
from harnpy.llm.json_values import mended
from harnpy.llm.providers import openai_chat
from harnpy.llm.resolve import key_of
from harnpy.llm.response import REFUSED, TRUNCATED, Reply
from harnpy.llm.sse import SseReader
from harnpy.llm.transport import Incoming, Outgoing, Transport, TransportFailure, UndecodableBody, UnsendableRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.request import Request

EVENT_STREAM = "text/event-stream"
_ADAPTERS = {"openai_chat": openai_chat}


class Call:
    """One provider call; ``now_ms`` reads the wall clock of the run when a header needs it."""

    def __init__(self, request: Request, env: Mapping[str, str], now_ms: Callable[[], int]) -> None:
        self._request = request
        self._env = env
        self._now_ms = now_ms
        self._key = key_of(request.route, env)
        self._adapter = _ADAPTERS.get(request.route.provider.dialect)
        self._include_usage = True
        self._spent_ms = 0
        self._on_text: Callable[[str], None] | None = None
        if self._key is not None:
            register_secret(self._key)
        if self._adapter is None:
            provider, model = request.error_place()
            message = f"provider `{provider}`: its wire format is not implemented in this version"
            raise local_error("invalid_request", message, provider, model)

    async def ask(self, transport: Transport) -> tuple[Reply, int]:
        """Give the reply and how many empty ones came before it.

        A reply without content and without output tokens is asked once more (llm 8.4).
        """
        began = time.monotonic()
        reply = await self._ask_once(transport)
        if not _is_void(reply):
            return self._checked(reply), 0
        # The deadline is that of the whole call.
        self._spent_ms = round((time.monotonic() - began) * 1000)
        reply = await self._ask_once(transport)
        if _is_void(reply):
            provider, model = self._request.error_place()
            message = f"{provider} [empty_generation]: the reply has no content and no output tokens, twice"
            raise llm_error("empty_generation", message, provider, model)
        return self._checked(reply), 1

    async def stream(self, transport: Transport, on_text: Callable[[str], None]) -> Reply:
        """Give the reply and hand its text out as it arrives; nothing is asked twice."""
        self._on_text = on_text
        return await self._ask_once(transport)

    def _checked(self, reply: Reply) -> Reply:
        """Refuse an empty reply whose stop reason says why it is empty (llm 6.1)."""
        if reply.text.strip() or reply.tool_calls or reply.thinking:
            return reply
        stop = (reply.stop_reason or "").lower()
        provider, model = self._request.error_place()
        if stop in TRUNCATED:
            message = f"{provider} [output_budget_exhausted]: the token limit was reached before any visible output"
            raise llm_error("output_budget_exhausted", message, provider, model)
        if stop in REFUSED:
            message = f"{provider} [content_policy]: the provider refused to answer (stop reason: {reply.stop_reason})"
            raise llm_error("content_policy", message, provider, model)
        return reply

    async def _ask_once(self, transport: Transport) -> Reply:
        request = self._request
        provider, model = request.error_place()
        stream = _Stream(request, self._on_text)
        try:
            incoming = await transport.exchange(self._outgoing(), stream.accept)
        except UnsendableRequest as error:
            base = request.route.provider.base(self._env)
            raise local_error(
                "invalid_request", f"{provider}: the request to {base} cannot be sent: {error}", provider, model
            ) from None
        except UndecodableBody as error:
            raise unreadable(request, 200, "", "", f"the body does not decode: {error}") from None
        except TransportFailure as failure:
            raise _failed(failure, stream, provider, model) from None
        if stream.error is not None:
            raise stream.error
        if incoming.streamed:
            return stream.finished()
        return await self._read(transport, incoming)

    async def _read(self, transport: Transport, incoming: Incoming) -> Reply:
        text = incoming.body.decode("utf-8-sig", "replace")
        if not 200 <= incoming.status < 300:
            if incoming.status == 400 and self._include_usage and "stream_options" in text and self._request.stream:
                self._include_usage = False
                return await self._ask_once(transport)
            raise http_error(self._request, incoming.status, incoming.headers, text, self._now_ms())
        return self._read_json(incoming, text)

    def _read_json(self, incoming: Incoming, text: str) -> Reply:
        request = self._request
        refuse = (incoming.status, incoming.content_type, text)
        if incoming.cut:
            raise unreadable(request, *refuse, "the body is larger than 32 MiB")
        try:
            data = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError):
            raise unreadable(request, *refuse, "the body is not JSON") from None
        error = read_error(data) if type(data) is dict and "choices" not in data else None
        if error is not None:
            raise body_error(request, error)
        reply = openai_chat.read_reply(request, data)
        if reply is None:
            raise unreadable(request, *refuse, "the JSON is not a chat completion")
        if self._on_text is not None and reply.text:
            self._on_text(reply.text)
        return reply

    def _outgoing(self) -> Outgoing:
        request = self._request
        provider = request.route.provider
        body = openai_chat.build_body(request, stream=request.stream, include_usage=self._include_usage)
        headers = {"content-type": "application/json", "accept": "application/json", "user-agent": "harnpy"}
        if request.stream:
            headers["accept"] = f"{EVENT_STREAM}, application/json"
        if self._key is not None:
            if provider.auth == "bearer":
                headers["authorization"] = f"Bearer {self._key}"
            else:
                headers[provider.auth] = self._key
        return Outgoing(
            provider.base(self._env) + provider.path,
            headers,
            _encode(body),
            max(1, request.timeout_ms - self._spent_ms),
            request.first_chunk_timeout_ms,
            request.idle_timeout_ms,
        )


def _encode(body: dict[str, Any]) -> bytes:
    """Write the body; what JSON has no form for (functions, handles) becomes null, as in the language."""
    text = json.dumps(body, ensure_ascii=False, default=lambda _value: None, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _is_void(reply: Reply) -> bool:
    """Tell whether a reply has neither content nor output tokens nor a reason to stop."""
    has_content = reply.text.strip() or reply.tool_calls or reply.thinking
    stop = (reply.stop_reason or "").lower()
    return not has_content and reply.tokens.output == 0 and stop not in TRUNCATED and stop not in REFUSED


def _failed(failure: TransportFailure, stream: _Stream, provider: str, model: str) -> HarnError:
    fields: dict[str, Any] = {}
    if stream.open:
        fields = {"source": "provider_stream", "phase": stream.phase, "partial": stream.partial or None}
    elif failure.started:
        fields = {"phase": "reading_body"}
    if failure.deadline is not None:
        fields.setdefault("phase", "awaiting_first_chunk")
        return timeout_error(provider, model, failure.deadline, failure.limit_ms, **fields)
    return network_error(provider, model, failure.detail, **fields)


class _Stream:
    """Reads the streamed form of a reply."""

    def __init__(self, request: Request, on_text: Callable[[str], None] | None) -> None:
        self._request = request
        self._on_text = on_text
        self._reader = openai_chat.StreamReader(request)
        self._events = SseReader()
        self._seen = False
        self.open = False
        self.error: HarnError | None = None

    @property
    def phase(self) -> str:
        """Name the phase for errors."""
        return "streaming" if self._seen else "awaiting_first_chunk"

    @property
    def partial(self) -> str:
        """Give the text so far."""
        return self._reader.partial

    def accept(self, head: Incoming) -> Callable[[bytes], bool] | None:
        """Take the body when it is a stream of events."""
        if 200 <= head.status < 300 and head.content_type.lower().startswith(EVENT_STREAM):
            self.open = True
            return self._take
        return None

    def _take(self, piece: bytes) -> bool:
        return any(self._event(data) for data in self._events.feed(piece))

    def _event(self, data: str) -> bool:
        """Take one event and tell whether it ends the stream."""
        if data.strip() == "[DONE]":
            self._reader.done = True
            return True
        try:
            chunk = json.loads(data) if data.strip() else {}
        except (ValueError, RecursionError):
            return self._fail_unreadable(data)
        if type(chunk) is not dict:
            return self._fail_unreadable(data)
        error = read_error(chunk) if "choices" not in chunk or chunk.get("error") else None
        if error is not None and "error" in chunk:
            self.error = body_error(self._request, error, self.partial, self.phase)
            return True
        self._seen = True
        text = self._reader.feed(chunk)
        if text and self._on_text is not None:
            self._on_text(mended(text))
        return False

    def _fail_unreadable(self, data: str) -> bool:
        self.error = unreadable(self._request, 200, EVENT_STREAM, data, "an event of the stream is not a JSON object")
        return True

    def finished(self) -> Reply:
        """Give the reply, or raise when the stream ended too early."""
        if not self._reader.done:
            for data in self._events.finish():
                if self._event(data):
                    break
        if self.error is not None:
            raise self.error
        if not self._reader.complete:
            provider, model = self._request.error_place()
            raise network_error(
                provider,
                model,
                "the stream ended without its final event",
                source="provider_stream",
                phase=self.phase,
                partial=self.partial or None,
            )
        return self._reader.reply()
