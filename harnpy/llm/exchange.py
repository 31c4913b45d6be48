"""Asks a provider over HTTP: builds the HTTP request, reads the response or its stream, classifies failures."""

from __future__ import annotations

import json

from harnpy.events.redact import (
    RedactedPieces,
    redact_cut,
    redact_known_inside,
    register_header,
    register_secret,
    register_url,
)
from harnpy.llm.classify import read_error
from harnpy.llm.errors import local_error, network_error, refused, timeout_error
from harnpy.llm.http_errors import body_error, http_error, unreadable
from harnpy.llm.json_values import mended_inside, read_deep
from harnpy.llm.providers.wires import wire_named
from harnpy.llm.resolve import key_of
from harnpy.llm.response import REFUSED, TRUNCATED, Reply
from harnpy.llm.streaming import ReplyStreamReader
from harnpy.llm.transport import Outgoing, Transport, TransportFailure, UndecodableBody, UnsendableRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.request import Request
    from harnpy.llm.transport import Incoming

_TOO_LARGE = "the body is larger than 32 MiB"
_ACCEPTED = {"sse": "text/event-stream, application/json", "ndjson": "application/x-ndjson, application/json"}


class Call:
    """One provider call; ``now_ms`` reads the wall clock of the run when a header needs it."""

    def __init__(self, request: Request, env: Mapping[str, str], now_ms: Callable[[], int]) -> None:
        self._request = request
        self._env = env
        self._now_ms = now_ms
        self._key = key_of(request.route, env)
        self._wire = wire_named(request.route.provider.dialect)
        self._include_usage = True
        self._began: int | None = None
        self._on_text: Callable[[str], None] | None = None
        self._register_secrets()
        if self._wire is None:
            provider, model = request.error_place()
            message = f"provider `{provider}`: this version does not speak its wire format"
            raise local_error("invalid_request", message, provider, model)

    def _register_secrets(self) -> None:
        """Let nothing that says who asks come back, from here on."""
        provider = self._request.route.provider
        register_url(provider.base(self._env))
        for name, value in provider.extra_headers.items():
            register_header(name, value)
        if self._key is not None:
            register_secret(self._key)

    def begin(self, ticks: int) -> None:
        """Let the deadline of the whole call count from ``ticks`` on the clock of the run."""
        self._began = ticks

    async def ask(self, transport: Transport) -> tuple[Reply, int]:
        """Give the reply and how many empty ones came before it.

        A reply without content and without output tokens is asked once more (llm 8.4).
        """
        first = _cleaned(await self._ask_once(transport))
        if not _is_void(first):
            return self._checked(first), 0
        reply = _cleaned(await self._ask_once(transport))
        reply.before = first
        if _is_void(reply):
            provider, model = self._request.error_place()
            message = f"{provider} [empty_generation]: the reply has no content and no output tokens, twice"
            raise refused(reply, "empty_generation", message, provider, model)
        return self._checked(reply), 1

    async def stream(self, transport: Transport, on_text: Callable[[str], None]) -> Reply:
        """Give the reply and hand its text out as it arrives; nothing is asked twice."""
        pieces = RedactedPieces(on_text)
        self._on_text = pieces.feed
        reply = _cleaned(await self._ask_once(transport))
        pieces.end()
        return reply

    def _checked(self, reply: Reply) -> Reply:
        """Refuse an empty reply whose stop reason says why it is empty (llm 6.1)."""
        if reply.text.strip() or reply.tool_calls or reply.thinking:
            return reply
        stop = (reply.stop_reason or "").lower()
        provider, model = self._request.error_place()
        if stop in TRUNCATED:
            message = f"{provider} [output_budget_exhausted]: the token limit was reached before any visible output"
            raise refused(reply, "output_budget_exhausted", message, provider, model)
        if stop in REFUSED:
            message = f"{provider} [content_policy]: the provider refused to answer (stop reason: {reply.stop_reason})"
            raise refused(reply, "content_policy", message, provider, model)
        return reply

    async def _ask_once(self, transport: Transport) -> Reply:
        request = self._request
        provider, model = request.error_place()
        stream = ReplyStreamReader(request, self._wire, self._on_text)
        try:
            incoming = await transport.exchange(self._outgoing(), stream.accept)
        except UnsendableRequest as error:
            base = request.route.provider.base(self._env)
            raise local_error(
                "invalid_request", f"{provider}: the request to {base} cannot be sent: {error}", provider, model
            ) from None
        except UndecodableBody as error:
            raise self._undecodable(error) from None
        except TransportFailure as failure:
            raise _failed(failure, stream, provider, model) from None
        if stream.error is not None:
            raise stream.error
        if incoming.cut and incoming.streamed:
            raise unreadable(request, 200, incoming.content_type, "", _TOO_LARGE)
        if incoming.streamed:
            return stream.finished()
        return await self._read(transport, incoming)

    def _undecodable(self, error: UndecodableBody) -> HarnError:
        head = error.head
        if head is not None and not 200 <= head.status < 300:
            return http_error(self._request, head.status, head.headers, "", self._now_ms())
        kind = "" if head is None else head.content_type
        return unreadable(self._request, 200, kind, "", f"the body does not decode: {error}")

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
            raise unreadable(request, *refuse, _TOO_LARGE)
        try:
            data = read_deep(text) if text.strip() else {}
        except (ValueError, RecursionError):
            raise unreadable(request, *refuse, "the body is not JSON") from None
        wire: Any = self._wire
        failed = type(data) is dict and not wire.holds_reply(data)
        reply: Reply | None = None if failed else wire.read_reply(request, data)
        if reply is None:
            error = read_error(data)
            if error is not None:
                raise body_error(request, error)
            raise unreadable(request, *refuse, "the JSON is no reply of a model")
        if self._on_text is not None and reply.text:
            self._on_text(reply.text)
        return reply

    def _outgoing(self) -> Outgoing:
        request, wire = self._request, self._wire
        assert wire is not None
        provider = request.route.provider
        body = wire.build_body(request, stream=request.stream, include_usage=self._include_usage, env=self._env)
        return Outgoing(
            wire.url(request, provider.base(self._env), request.stream),
            self._headers(),
            _encode(body),
            request.timeout_ms,
            request.first_chunk_timeout_ms,
            request.idle_timeout_ms,
            began=self._began,
        )

    def _headers(self) -> dict[str, str]:
        request, wire = self._request, self._wire
        assert wire is not None
        provider = request.route.provider
        headers = {"content-type": "application/json", "accept": "application/json", "user-agent": "harnpy"}
        if request.stream or wire.FRAMING == "ndjson":
            headers["accept"] = _ACCEPTED[wire.FRAMING]
        headers.update(wire.headers(request))
        headers.update(provider.extra_headers)
        if self._key is not None:
            name, before = ("authorization", "Bearer ") if provider.auth == "bearer" else (provider.auth, "")
            headers[name] = before + self._key
        return headers


def _encode(body: dict[str, Any]) -> bytes:
    """Write the body; what JSON has no form for (functions, handles) becomes null, as in the language."""
    text = json.dumps(body, ensure_ascii=False, default=lambda _value: None, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _cleaned(reply: Reply) -> Reply:
    """Make all texts of a reply those of the language, without what says who asked: a server may echo it anywhere."""
    for name in reply.__slots__:
        if name != "tokens":
            setattr(reply, name, redact_known_inside(mended_inside(getattr(reply, name))))
    reply.text = redact_cut(reply.text)
    return reply


def _is_void(reply: Reply) -> bool:
    """Tell whether a reply has neither content nor output tokens nor a reason to stop."""
    has_content = reply.text.strip() or reply.tool_calls or reply.thinking
    stop = (reply.stop_reason or "").lower()
    return not has_content and reply.tokens.output == 0 and stop not in TRUNCATED and stop not in REFUSED


def _failed(failure: TransportFailure, stream: ReplyStreamReader, provider: str, model: str) -> HarnError:
    fields: dict[str, Any] = {}
    if stream.open:
        fields = {"source": "provider_stream", "phase": stream.phase, "partial": stream.partial or None}
    elif failure.started:
        fields = {"phase": "reading_body"}
    if failure.deadline is not None:
        fields.setdefault("phase", "awaiting_first_chunk")
        return timeout_error(provider, model, failure.deadline, failure.limit_ms, **fields)
    return network_error(provider, model, failure.detail, **fields)
