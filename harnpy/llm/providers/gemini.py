"""The Gemini format: replies and streams to ``Reply`` (llm 8.3). Pure."""

from __future__ import annotations

from harnpy.llm.providers.gemini_body import build_body
from harnpy.llm.providers.wire import Collected, fields, id_of, objects, word
from harnpy.llm.response import REFUSED, Reply, read_arguments, tool_call
from harnpy.llm.serving import wire_model
from harnpy.llm.usage import Tokens, are_counts, count, sum_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request

    Dict = dict[str, Any]

__all__ = ["FRAMING", "StreamReader", "build_body", "headers", "holds_reply", "read_reply", "url"]

FRAMING = "sse"
_COUNTS = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
_PARTS = ("candidates", "promptFeedback", "usageMetadata")


def url(request: Request, base: str, stream: bool) -> str:
    """Give the URL of a call: the model stands in its path."""
    from urllib.parse import quote

    model = quote(wire_model(request).removeprefix("models/"), safe="-._~")
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"{base}{request.route.provider.path}/{model}:{method}"


def headers(request: Request) -> dict[str, str]:
    """Give the headers that this wire adds."""
    return {}


def holds_reply(data: Dict) -> bool:
    """Tell whether a JSON object is a reply or a part of one, and no error."""
    return data.get("error") is None or "candidates" in data


def read_tokens(usage: Any) -> Tokens:
    """Read the token counts of a reply; thoughts are output."""
    if type(usage) is not dict or not usage:
        return Tokens(known=False)
    total = usage.get("totalTokenCount")
    return Tokens(
        count(usage.get("promptTokenCount")),
        sum_of(count(usage.get("candidatesTokenCount")), count(usage.get("thoughtsTokenCount"))),
        cache_read=count(usage.get("cachedContentTokenCount")),
        total=None if total is None else count(total),
        # Its servers leave counts of 0 out.
        known=are_counts(*(usage.get(name, 0) for name in _COUNTS)),
    )


def read_reply(request: Request, data: Any) -> Reply | None:
    """Read a whole reply; ``None`` when the JSON has another shape."""
    data = {} if data is None else data
    if type(data) is not dict or (data and not any(part in data for part in _PARTS)):
        return None
    if type(data.get("candidates", [])) is not list:
        return None
    reader = StreamReader(request)
    reader.feed(data)
    return reader.reply()


class StreamReader(Collected):
    """Collects the chunks of a streamed reply; a whole reply is one chunk."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._usage: Any = None
        self._calls: list[Dict] = []

    def feed(self, chunk: Dict) -> str:
        """Take one chunk and give the text that it adds."""
        self.response_id = word(chunk.get("responseId")) or self.response_id
        self.served_by(chunk.get("modelVersion"))
        if chunk.get("usageMetadata"):
            self._usage = chunk["usageMetadata"]
        candidate = self.first_of(chunk.get("candidates"))
        if candidate is None:
            self._note_block(chunk.get("promptFeedback"))
            return ""
        self.stop = word(candidate.get("finishReason")) or self.stop
        parts = objects(fields(candidate.get("content")).get("parts"))
        return "".join([self._feed_part(part) for part in parts])

    def _note_block(self, feedback: Any) -> None:
        """A blocked prompt has no candidates: the reason stands for the stop reason."""
        reason = word(fields(feedback).get("blockReason"))
        if reason is not None:
            self.stop = reason if reason.lower() in REFUSED else "refusal"

    def _feed_part(self, part: Dict) -> str:
        call = part.get("functionCall")
        if type(call) is dict and type(call.get("name")) is str:
            call_id = id_of(call.get("id"), f"gemini_tool_{len(self._calls) + 1}")
            entry = tool_call(call_id, call["name"], read_arguments(call.get("args")))
            if type(part.get("thoughtSignature")) is str:
                entry["thought_signature"] = part["thoughtSignature"]
            self._calls.append(entry)
        text = part.get("text")
        if type(text) is not str or not text:
            return ""
        if part.get("thought") is True:
            self.thoughts.append(text)
            return ""
        self.texts.append(text)
        return text

    def reply(self) -> Reply:
        """Give what was collected."""
        return self.made(read_tokens(self._usage), self._calls)
