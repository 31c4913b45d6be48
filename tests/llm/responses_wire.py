"""The Responses API of OpenAI as its server speaks it: whole replies and streams of events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wires import KEY, OpenAi, _event

ROWS = str(Path(__file__).with_name("responses.toml"))
_STOPS = {"stop": "completed", "tool_calls": "completed", "length": "max_output_tokens"}


class OpenAiResponses(OpenAi):
    """OpenAI asked with ``api_mode: "responses"``, or a provider of a catalog that speaks nothing else."""

    def __init__(self, name: str = "openai", env: dict[str, str] | None = None) -> None:
        super().__init__(name, env, path="/v1/responses")

    def output(self, pieces, calls=(), thinking=None, summary=None):
        items: list[dict[str, Any]] = []
        if thinking or summary:
            part = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed=="}
            if thinking:
                part["content"] = [{"type": "reasoning_text", "text": thinking}]
            if summary:
                part["summary"] = [{"type": "summary_text", "text": summary}]
            items.append(part)
        if pieces:
            part = {"type": "output_text", "text": "".join(pieces), "annotations": []}
            items.append(
                {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
            )
        for number, (call_id, name, given) in enumerate(calls):
            call = {"id": f"fc_{number}", "call_id": call_id, "name": name, "arguments": json.dumps(given)}
            items.append({"type": "function_call", "status": "completed", **call})
        return items

    def response(self, output, incoming=3, outgoing=2, stop="completed", usage=..., **more):
        counted = {
            "input_tokens": incoming, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": outgoing,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": incoming + outgoing,
        }  # fmt: skip
        stop = _STOPS.get(stop, stop)
        ended = stop == "completed"
        return {
            "id": "resp_1", "object": "response", "created_at": 1, "model": self.model, "output": output, "error": None,
            "status": "completed" if ended else "incomplete", "incomplete_details": None if ended else {"reason": stop},
            "usage": counted if usage is ... else usage, **more,
        }  # fmt: skip

    def whole_body(self, text, incoming=3, outgoing=2, stop="completed", calls=(), thinking=None, usage=..., **more):
        output = self.output([text] if text else [], calls, thinking)
        return self.response(output, incoming, outgoing, stop, usage, **more)

    def _named(self, name: str, **fields: Any) -> bytes:
        return _event({"type": name, **fields}, name)

    def events(self, pieces, incoming=3, outgoing=2, stop="completed", calls=(), thinking=None):
        output = self.output(pieces, calls, thinking)
        begun = {**self.response([]), "status": "in_progress", "usage": None}
        events = [self._named("response.created", response=begun), self._named("response.in_progress", response=begun)]
        for place, item in enumerate(output):
            at = {"output_index": place, "item_id": item["id"]}
            empty = {**item, **{key: [] for key in ("content", "summary") if key in item}}
            if item["type"] == "function_call":
                empty = {**item, "arguments": ""}
            events.append(self._named("response.output_item.added", output_index=place, item=empty))
            if item["type"] == "reasoning":
                events.append(self._named("response.reasoning_text.delta", **at, content_index=0, delta=thinking))
            elif item["type"] == "message":
                texts = [self._named("response.output_text.delta", **at, content_index=0, delta=p) for p in pieces]
                events += [*texts, self._named("response.output_text.done", **at, text="".join(pieces))]
            else:
                for part in (item["arguments"][:3], item["arguments"][3:]):
                    events.append(self._named("response.function_call_arguments.delta", **at, delta=part))
                events.append(self._named("response.function_call_arguments.done", **at, arguments=item["arguments"]))
            events.append(self._named("response.output_item.done", output_index=place, item=item))
        end = "response.completed" if _STOPS.get(stop, stop) == "completed" else "response.incomplete"
        return [*events, self._named(end, response=self.response(output, incoming, outgoing, stop))]

    def stream_error(self, message, kind):
        return self._named("error", code=kind, message=message, param=None)


RESPONSES = OpenAiResponses()
RESPONDER = OpenAiResponses(
    "responder",
    {"HARN_PROVIDERS_CONFIG": ROWS, "RESPONDER_BASE_URL": "URL/v1", "RESPONDER_API_KEY": KEY},
)
