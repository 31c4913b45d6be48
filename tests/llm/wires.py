"""The wire formats as their servers speak them: whole replies, streams and error bodies for the shared matrix."""

from __future__ import annotations

import json
from typing import Any

from stub import Answer

KEY = "sk-test-0123456789abcdef"
MARK = "0123456789abcdef"


def _event(data: Any, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


class Wire:
    """One provider: how its server answers. Texts come as a list of pieces."""

    name = ""
    model = "m"
    env: dict[str, str] = {}
    stream_type = "text/event-stream"
    path = ""
    key_header = ("", "")

    def environment(self, url: str) -> dict[str, str]:
        return {key: value.replace("URL", url) for key, value in self.env.items()}

    def whole_body(self, text: str, **fields: Any) -> dict[str, Any]:
        raise NotImplementedError

    def events(self, pieces: list[str], **fields: Any) -> list[bytes]:
        raise NotImplementedError

    def error_body(self, status: int, message: str, kind: str = "", code: str = "") -> Any:
        return {"error": {"message": message, "type": kind or None, "param": None, "code": code or None}}

    def stream_error(self, message: str, kind: str) -> bytes:
        return _event({"error": {"message": message, "type": kind}})

    def whole(self, text: str, **fields: Any) -> Answer:
        return Answer(200, self.whole_body(text, **fields))

    def streamed(self, events: list[bytes], **options: Any) -> Answer:
        return Answer(200, b"".join(events), {"content-type": self.stream_type}, **options)

    def begun(self) -> bytes:
        """The start of a stream, up to its first text: ``Hel``."""
        events = self.events(["Hel", "lo"])
        first = next(at for at, event in enumerate(events) if b"Hel" in event)
        return b"".join(events[: first + 1])

    def stream(self, *pieces: str, **fields: Any) -> Answer:
        return self.streamed(self.events(list(pieces), **fields))

    def failing(self, status: int, message: str = "no", kind: str = "", code: str = "", **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Answer(status, self.error_body(status, message, kind, code), named)


class OpenAi(Wire):
    def __init__(self, name: str = "openai", env: dict[str, str] | None = None, path: str = "/v1/chat/completions"):
        self.name = name
        self.env = env or {"OPENAI_BASE_URL": "URL/v1", "OPENAI_API_KEY": KEY}
        self.path = path
        self.key_header = ("authorization", f"Bearer {KEY}")

    def whole_body(self, text, incoming=3, outgoing=2, stop="stop", calls=(), thinking=None, usage=...):
        message = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for call_id, name, given in calls
            ]
        if thinking:
            message["reasoning_content"] = thinking
        counted = {"prompt_tokens": incoming, "completion_tokens": outgoing, "total_tokens": incoming + outgoing}
        return {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": stop}],
            "usage": counted if usage is ... else usage,
        }  # fmt: skip

    def _chunk(self, delta, stop=None, **more):
        choices = [{"index": 0, "delta": delta, "finish_reason": stop}]
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": self.model}
        return _event({**head, "choices": choices, **more})

    def events(self, pieces, incoming=3, outgoing=2, stop="stop", calls=(), thinking=None):
        events = [self._chunk({"role": "assistant", "content": ""})]
        if thinking:
            events.append(self._chunk({"reasoning_content": thinking}))
        events += [self._chunk({"content": piece}) for piece in pieces]
        for index, (call_id, name, given) in enumerate(calls):
            text = json.dumps(given)
            head = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
            events.append(self._chunk({"tool_calls": [head]}))
            for part in (text[:3], text[3:]):
                events.append(self._chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
        events.append(self._chunk({}, stop))
        counted = {"prompt_tokens": incoming, "completion_tokens": outgoing, "total_tokens": incoming + outgoing}
        events.append(self._chunk({}, usage=counted, choices=[]))
        return [*events, b"data: [DONE]\n\n"]


class OpenRouter(OpenAi):
    def error_body(self, status, message, kind="", code=""):
        return {"error": {"code": code or status, "message": message, "metadata": {}}}

    def stream_error(self, message, kind):
        codes = {"overloaded_error": 503, "rate_limit_error": 429, "authentication_error": 401}
        return _event({"error": {"code": codes[kind], "message": message}, "choices": []})


class Anthropic(Wire):
    name = "anthropic"
    env = {"ANTHROPIC_BASE_URL": "URL/v1", "ANTHROPIC_API_KEY": KEY}
    path = "/v1/messages"
    key_header = ("x-api-key", KEY)

    def whole_body(self, text, incoming=3, outgoing=2, stop="end_turn", calls=(), thinking=None, usage=...):
        content = [{"type": "thinking", "thinking": thinking, "signature": "sig=="}] if thinking else []
        content += [{"type": "text", "text": text}] if text else []
        content += [{"type": "tool_use", "id": call_id, "name": name, "input": given} for call_id, name, given in calls]
        counted = {"input_tokens": incoming, "output_tokens": outgoing}
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": self.model, "content": content,
            "stop_reason": stop, "stop_sequence": None, "usage": counted if usage is ... else usage,
        }  # fmt: skip

    def _block(self, index, block, *deltas):
        yield _event({"type": "content_block_start", "index": index, "content_block": block}, "content_block_start")
        for delta in deltas:
            yield _event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
        yield _event({"type": "content_block_stop", "index": index}, "content_block_stop")

    def events(self, pieces, incoming=3, outgoing=2, stop="end_turn", calls=(), thinking=None):
        message = self.whole_body("", incoming, 1)
        events = [_event({"type": "message_start", "message": {**message, "stop_reason": None}}, "message_start")]
        events.append(_event({"type": "ping"}, "ping"))
        index = 0
        if thinking:
            deltas = (
                {"type": "thinking_delta", "thinking": thinking},
                {"type": "signature_delta", "signature": "sig=="},
            )
            events += self._block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas)
            index += 1
        if pieces:
            texts = [{"type": "text_delta", "text": piece} for piece in pieces]
            events += self._block(index, {"type": "text", "text": ""}, *texts)
            index += 1
        for call_id, name, given in calls:
            text = json.dumps(given)
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in ("", text[:3], text[3:])]
            events += self._block(index, {"type": "tool_use", "id": call_id, "name": name, "input": {}}, *deltas)
            index += 1
        end = {"stop_reason": stop, "stop_sequence": None}
        counted = {"output_tokens": outgoing}
        events.append(_event({"type": "message_delta", "delta": end, "usage": counted}, "message_delta"))
        return [*events, _event({"type": "message_stop"}, "message_stop")]

    def error_body(self, status, message, kind="", code=""):
        return {"type": "error", "error": {"type": kind or code or "error", "message": message}, "request_id": "req_1"}

    def stream_error(self, message, kind):
        return _event({"type": "error", "error": {"type": kind, "message": message}}, "error")


class Gemini(Wire):
    name = "gemini"
    env = {"GEMINI_BASE_URL": "URL", "GEMINI_API_KEY": KEY}
    path = "/v1beta/models/m:streamGenerateContent?alt=sse"
    key_header = ("x-goog-api-key", KEY)

    def _parts(self, pieces, calls, thinking):
        parts = [{"text": thinking, "thought": True}] if thinking else []
        parts += [{"text": piece} for piece in pieces]
        return parts + [{"functionCall": {"name": name, "args": given}} for _, name, given in calls]

    def _chunk(self, parts, stop=None, usage=None):
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if stop:
            candidate["finishReason"] = stop
        chunk = {"candidates": [candidate], "modelVersion": self.model, "responseId": "r1"}
        if usage is not None:
            chunk["usageMetadata"] = usage
        return chunk

    def _usage(self, incoming, outgoing):
        return {"promptTokenCount": incoming, "candidatesTokenCount": outgoing, "totalTokenCount": incoming + outgoing}

    def whole_body(self, text, incoming=3, outgoing=2, stop="STOP", calls=(), thinking=None, usage=...):
        usage = self._usage(incoming, outgoing) if usage is ... else usage
        return self._chunk(self._parts([text] if text else [], calls, thinking), stop, usage)

    def events(self, pieces, incoming=3, outgoing=2, stop="STOP", calls=(), thinking=None):
        chunks = [self._chunk([part]) for part in self._parts(pieces, calls, thinking)]
        return [_event(chunk) for chunk in [*chunks, self._chunk([], stop, self._usage(incoming, outgoing))]]

    def error_body(self, status, message, kind="", code=""):
        return {"error": {"code": status, "message": message, "status": code or kind or "UNKNOWN"}}


class Ollama(Wire):
    name = "ollama"
    env = {"OLLAMA_HOST": "URL"}
    stream_type = "application/x-ndjson"
    path = "/api/chat"

    def _line(self, message, **fields):
        return {"model": self.model, "message": {"role": "assistant", **message}, "done": False, **fields}

    def whole_body(self, text, incoming=3, outgoing=2, stop="stop", calls=(), thinking=None, usage=...):
        message = {"content": text}
        if thinking:
            message["thinking"] = thinking
        if calls:
            message["tool_calls"] = [{"function": {"name": name, "arguments": given}} for _, name, given in calls]
        counted = {"prompt_eval_count": incoming, "eval_count": outgoing} if usage is ... else usage or {}
        return self._line(message, done=True, done_reason=stop, **(counted if type(counted) is dict else {}))

    def events(self, pieces, incoming=3, outgoing=2, stop="stop", calls=(), thinking=None):
        lines = [self._line({"content": "", "thinking": thinking})] if thinking else []
        lines += [self._line({"content": piece}) for piece in pieces]
        for _, name, given in calls:
            lines.append(self._line({"content": "", "tool_calls": [{"function": {"name": name, "arguments": given}}]}))
        counted = {"prompt_eval_count": incoming, "eval_count": outgoing}
        lines.append(self._line({"content": ""}, done=True, done_reason=stop, **counted))
        return [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]

    def error_body(self, status, message, kind="", code=""):
        return {"error": " ".join(part for part in (message, kind, code) if part)}

    def stream_error(self, message, kind):
        return json.dumps({"error": f"{kind}: {message}"}).encode() + b"\n"


LOCAL = OpenAi("local", {"LOCAL_LLM_BASE_URL": "URL"})
LOCAL.key_header = ("", "")
GROQ = OpenAi("groq", {"GROQ_BASE_URL": "URL/openai/v1", "GROQ_API_KEY": KEY}, "/openai/v1/chat/completions")
OPENROUTER = OpenRouter("openrouter", {"OPENROUTER_BASE_URL": "URL/v1", "OPENROUTER_API_KEY": KEY})
WIRES = (Anthropic(), OpenAi(), OPENROUTER, GROQ, LOCAL, Gemini(), Ollama())
# One provider of each form: Groq is a row that differs from OpenAI in nothing but its place.
FORMS = tuple(wire for wire in WIRES if wire is not GROQ)
