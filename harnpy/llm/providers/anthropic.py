"""The Anthropic Messages format: replies and streams to ``Reply`` (llm 8.3). Pure."""

from __future__ import annotations

from harnpy.llm.json_values import json_text
from harnpy.llm.providers.anthropic_body import JSON_TOOL, build_body, headers, is_wrapped
from harnpy.llm.providers.wire import Collected, fields, id_of, objects, word
from harnpy.llm.response import Reply, read_arguments, tool_call
from harnpy.llm.usage import Tokens, are_counts, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request

    Dict = dict[str, Any]

__all__ = ["FRAMING", "StreamReader", "build_body", "headers", "holds_reply", "read_reply", "url"]

FRAMING = "sse"
_OUTPUT = "output_tokens"
_JSON = "partial_json"
# What the provider's own search for tools says and finds.
_SEARCH_KINDS = ("server_tool_use", "tool_search_tool_result")


def url(request: Request, base: str, stream: bool) -> str:
    """Give the URL of a call."""
    return base + request.route.provider.path


def holds_reply(data: Dict) -> bool:
    """Tell whether a JSON object is a reply or a part of one, and no error."""
    return data.get("type") != "error" and ("content" in data or data.get("error") is None)


def read_tokens(usage: Any) -> Tokens:
    """Read the token counts of a reply; the input count leaves cached tokens out."""
    if type(usage) is not dict or not usage:
        return Tokens(known=False)
    return Tokens(
        count(usage.get("input_tokens")),
        count(usage.get(_OUTPUT)),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_write=count(usage.get("cache_creation_input_tokens")),
        known=are_counts(usage.get("input_tokens"), usage.get(_OUTPUT)),
        cached_inside=False,
    )


def read_reply(request: Request, data: Any) -> Reply | None:
    """Read a whole reply; ``None`` when the JSON has another shape."""
    data = {} if data is None else data
    if type(data) is not dict or (data and type(data.get("content")) is not list):
        return None
    reader = StreamReader(request)
    reader.start(data)
    for index, block in enumerate(data.get("content") or []):
        if type(block) is dict:
            reader.open_block(index, block)
            reader.close_block(index)
    reader.stop = word(data.get("stop_reason"))
    return reader.reply()


def _search_block(held: Dict) -> Dict:
    if held["type"] == "server_tool_use":
        query = {"id": held.get("id"), "name": held.get("name"), "query": held.get("input")}
        return {"type": "tool_search_query", **query, "visibility": "internal"}
    content = fields(held.get("content"))
    names = [reference.get("tool_name") for reference in objects(content.get("tool_references"))]
    result = {"id": held.get("tool_use_id"), "tools": names, "error": word(content.get("error_code"))}
    return {"type": "tool_search_result", **result, "visibility": "internal"}


class _OpenBlock:
    """One block of a streamed reply: what it began with, and the pieces that came after."""

    __slots__ = ("block", "pieces")

    def __init__(self, block: Dict) -> None:
        self.block = dict(block)
        self.pieces: dict[str, list[str]] = {_JSON: [], "thinking": [], "signature": []}

    def whole(self) -> tuple[Dict, str]:
        """Give the block, and the JSON that came in pieces."""
        for key in ("thinking", "signature"):
            if self.pieces[key]:
                self.block[key] = (word(self.block.get(key)) or "") + "".join(self.pieces[key])
        return self.block, "".join(self.pieces[_JSON])


class StreamReader(Collected):
    """Collects the events of a streamed reply."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._usage: Dict = {}
        self._open: dict[Any, _OpenBlock] = {}
        self._calls: list[Dict] = []
        self._thinking_blocks: list[Dict] = []
        self._searches: list[Dict] = []
        self._output = request.output
        self._piece = ""

    def start(self, message: Dict) -> None:
        """Take id, model and usage from the head of a message."""
        self.response_id = word(message.get("id"))
        self.served_by(message.get("model"))
        self._add_usage(message.get("usage"))

    def _add_usage(self, usage: Any) -> None:
        if type(usage) is dict:
            # The end of a message repeats the counts of its start, or has null for them; that of the output is its own.
            self._usage.update((key, value) for key, value in usage.items() if value is not None or key == _OUTPUT)

    def feed(self, event: Dict) -> str:
        """Take one event and give the text that it adds."""
        kind, index = event.get("type"), event.get("index")
        index = index if type(index) is int else None
        if kind == "message_start" and type(event.get("message")) is dict:
            self.start(event["message"])
        elif kind == "content_block_start" and type(event.get("content_block")) is dict:
            return self.open_block(index, event["content_block"])
        elif kind == "content_block_delta" and type(event.get("delta")) is dict:
            return self._feed_delta(self._open.get(index), event["delta"])
        elif kind == "content_block_stop":
            return self.close_block(index)
        elif kind == "message_delta":
            self.stop = word(fields(event.get("delta")).get("stop_reason")) or self.stop
            self._add_usage(event.get("usage"))
        elif kind == "message_stop":
            self.done = True
        return ""

    def watched(self, text: str) -> str:
        """Give what the last event added to the input of the answer tool; its text comes when the block ends."""
        piece, self._piece = self._piece, ""
        return piece

    def open_block(self, index: Any, block: Dict) -> str:
        """Begin a block; what it already holds counts."""
        kind = block.get("type")
        held = self._open[index] = _OpenBlock(block)
        if kind == "text":
            return self.add_text(block.get("text"))
        if kind == "thinking":
            held.block["thinking"] = ""
            self._feed_delta(held, {"thinking": block.get("thinking")})
        return ""

    def _feed_delta(self, held: _OpenBlock | None, delta: Dict) -> str:
        if held is None:
            return ""
        for key, pieces in held.pieces.items():
            if type(delta.get(key)) is str:
                pieces.append(delta[key])
        if type(delta.get(_JSON)) is str and held.block.get("name") == JSON_TOOL:
            self._piece = "" if is_wrapped(self._output.schema) else delta[_JSON]
        if type(delta.get("thinking")) is str:
            self.thoughts.append(delta["thinking"])
        return self.add_text(delta.get("text"))

    def close_block(self, index: Any) -> str:
        """End a block; structured output becomes text here."""
        opened = self._open.pop(index, None)
        if opened is None:
            return ""
        held, partial = opened.whole()
        kind = held.get("type")
        if kind in ("thinking", "redacted_thinking"):
            self._thinking_blocks.append(held)
        elif kind in _SEARCH_KINDS:
            if partial:
                held["input"] = read_arguments(partial)
            self._thinking_blocks.append(held)
            self._searches.append(_search_block(held))
        elif kind == "tool_use" and type(held.get("name")) is str:
            arguments = read_arguments(partial) if partial else read_arguments(held.get("input"))
            if self._output.kind != "text" and held["name"] == JSON_TOOL:
                if "__parse_error" in arguments:
                    return self.add_text(partial)  # cut or broken: as it came
                wrapped = is_wrapped(self._output.schema) and "value" in arguments
                return self.add_text(json_text(arguments["value"] if wrapped else arguments))
            call_id = id_of(held.get("id"), f"call_{len(self._calls) + 1}")
            self._calls.append(tool_call(call_id, held["name"], arguments))
        return ""

    def reply(self) -> Reply:
        """Give what was collected."""
        for index in list(self._open):
            self.close_block(index)
        reply = self.made(read_tokens(self._usage), self._calls)
        reply.thinking_blocks = self._thinking_blocks
        reply.search_blocks = self._searches
        reply.serving_tier = word(self._usage.get("speed")) or word(self._usage.get("service_tier"))
        return reply
