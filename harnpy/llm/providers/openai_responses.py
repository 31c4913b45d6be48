"""The OpenAI Responses format: request to JSON body, reply or stream of events to ``Reply`` (llm 2.3, 8.3). Pure."""

from __future__ import annotations

from harnpy.llm.json_values import json_text
from harnpy.llm.providers.openai_chat import tools_of
from harnpy.llm.providers.wire import (
    RESULT_ROLES,
    Collected,
    call_parts,
    fields,
    flat,
    id_of,
    objects,
    own_options,
    result_id,
    system_of,
    word,
)
from harnpy.llm.response import Reply, read_arguments, tool_call
from harnpy.llm.serving import wire_model
from harnpy.llm.usage import Tokens, are_counts, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.llm.request import Request

    Dict = dict[str, Any]

FRAMING = "sse"
_NO_ENV: dict[str, str] = {}
_SAME_NAME = (
    "temperature", "top_p", "parallel_tool_calls", "store", "previous_response_id", "truncation", "max_tool_calls",
)  # fmt: skip
_LOGPROBS = "message.output_text.logprobs"
_ENDED = ("response.completed", "response.incomplete")


def url(request: Request, base: str, stream: bool) -> str:
    """Give the URL of a call."""
    return base + request.route.provider.path


def headers(request: Request) -> dict[str, str]:
    """Give the headers that this wire adds."""
    return {}


def holds_reply(data: Dict) -> bool:
    """Tell whether a JSON object is a reply or an event of one, and no error."""
    kind = data.get("type")
    if type(kind) is str:
        return kind not in ("error", "response.failed")
    return not data.get("error") and data.get("status") != "failed"


# --- requests -----------------------------------------------------------------------------------


def build_body(request: Request, *, stream: bool, include_usage: bool = True, env: Mapping[str, str] = _NO_ENV) -> Dict:
    """Give the JSON body of a call."""
    body: Dict = {"model": wire_model(request), "input": _input(request), "max_output_tokens": request.max_tokens}
    system = system_of(request)
    if system:
        body["instructions"] = system
    for key in _SAME_NAME:
        if request.option(key) is not None:
            body[key] = request.option(key)
    if request.thinking["mode"] == "effort":
        body["reasoning"] = {"effort": request.thinking["level"]}
    text = _text_settings(request)
    if text:
        body["text"] = text
    tools = [*(_tool(tool) for tool in tools_of(request)), *(request.option("provider_tools") or [])]
    if tools:
        body["tools"] = tools
    if request.tool_choice is not None:
        body["tool_choice"] = _choice(request.tool_choice)
    _add_included(body, request)
    if stream:
        body["stream"] = True
    body.update(own_options(request))
    return body


def _text_settings(request: Request) -> Dict:
    settings: Dict = {}
    output = request.output
    if request.option("verbosity") is not None:
        settings["verbosity"] = request.option("verbosity")
    if output.in_prompt:
        pass  # the system text asks for the form
    elif output.kind == "json_object":
        settings["format"] = {"type": "json_object"}
    elif output.kind == "json_schema":
        schema = {"name": "response", "schema": output.schema, "strict": output.strict}
        settings["format"] = {"type": "json_schema", **schema}
    return settings


def _add_included(body: Dict, request: Request) -> None:
    """Add what the reply shall hold besides: what the call names, and the probabilities of tokens."""
    included = list(request.option("include") or [])
    logprobs = request.option("logprobs")
    if logprobs:
        included.append(_LOGPROBS)
        if type(logprobs) is dict and logprobs.get("top") is not None:
            body["top_logprobs"] = logprobs["top"]
    if included:
        body["include"] = list(dict.fromkeys(included))


def _tool(tool: Dict) -> Dict:
    function = tool.get("function")
    if type(function) is not dict:
        return tool
    late = {"defer_loading": True} if tool.get("defer_loading") else {}
    # Schemas of tools need not keep to the rules of the strict form, which is the usual one here.
    return {"type": "function", **function, "strict": False, **late}


def _choice(choice: Any) -> Any:
    return {"type": "function", "name": choice["function"]["name"]} if type(choice) is dict else choice


def _input(request: Request) -> list[Dict]:
    items: list[Dict] = []
    for message in request.messages:
        role = message["role"]
        if role in RESULT_ROLES:
            output = flat(message["content"])
            items.append({"type": "function_call_output", "call_id": result_id(message), "output": output})
        elif role == "assistant":
            items += _assistant_items(message)
        else:
            items.append({"role": role, "content": _content(message["content"])})
    return items


def _assistant_items(message: Dict) -> list[Dict]:
    items: list[Dict] = list(message.get("thinking_blocks") or [])
    text = flat(message["content"])
    if text:
        items.append({"role": "assistant", "content": [{"type": "output_text", "text": text}]})
    for call_id, name, arguments in map(call_parts, objects(message.get("tool_calls"))):
        call = {"call_id": call_id, "name": name, "arguments": json_text(arguments)}
        items.append({"type": "function_call", **call})
    return items


def _content(content: Any) -> Any:
    return [_block(block) for block in content] if type(content) is list else content


def _block(block: Any) -> Any:
    kind = block.get("type") if type(block) is dict else None
    if kind == "text":
        return {"type": "input_text", "text": block["text"]}
    if kind == "image":
        url = block.get("url") or f"data:{block['media_type']};base64,{block['base64']}"
        return {"type": "input_image", "image_url": url, "detail": block.get("detail") or "auto"}
    if kind in ("pdf", "document") and block.get("file_id") is not None:
        return {"type": "input_file", "file_id": block["file_id"]}
    if kind in ("pdf", "document") and block.get("base64") is not None:
        media_type = block.get("media_type") or "application/pdf"
        data = f"data:{media_type};base64,{block['base64']}"
        return {"type": "input_file", "filename": "document.pdf", "file_data": data}
    return block


# --- replies ------------------------------------------------------------------------------------


def read_tokens(usage: Any) -> Tokens:
    """Read the token counts of a reply; the input count includes cached tokens."""
    if type(usage) is not dict or not usage:
        return Tokens(known=False)
    total = usage.get("total_tokens")
    return Tokens(
        count(usage.get("input_tokens")),
        count(usage.get("output_tokens")),
        cache_read=count(fields(usage.get("input_tokens_details")).get("cached_tokens")),
        total=None if total is None else count(total),
        known=are_counts(usage.get("input_tokens"), usage.get("output_tokens")),
    )


def read_reply(request: Request, data: Any) -> Reply | None:
    """Read a whole reply; ``None`` when the JSON has another shape. A reply without output is empty."""
    data = {} if data is None else data
    if type(data) is not dict or (data and type(data.get("output")) is not list):
        return None
    reader = StreamReader(request)
    reader.end(data)
    return reader.reply()


def _stop_of(response: Dict) -> str | None:
    """Give why a reply ended: the reason of an incomplete one, else its status."""
    return word(fields(response.get("incomplete_details")).get("reason")) or word(response.get("status"))


class StreamReader(Collected):
    """Collects the events of a streamed reply."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._keeps = request.option("store") is not False
        self._items: dict[int, Dict] = {}  # as they were finished, by their place
        self._began: dict[int, Dict] = {}  # calls that were begun
        self._pieces: dict[int, list[str]] = {}  # and what came of their arguments since
        self._summary: list[str] = []
        self._refused = False
        self._usage: Any = None
        self._tier: str | None = None
        self._logprobs: list[Any] = []

    def feed(self, event: Dict) -> str:
        """Take one event and give the text that it adds."""
        kind, place = event.get("type"), event.get("output_index")
        place = place if type(place) is int else len(self._items)
        delta = event.get("delta") if type(event.get("delta")) is str else ""
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            self._refused = self._refused or kind == "response.refusal.delta"
            self._logprobs += objects(event.get("logprobs"))
            return self.add_text(delta)
        if kind == "response.reasoning_summary_text.delta":
            self._summary.append(delta or "")
        elif kind == "response.reasoning_text.delta":
            self.thoughts.append(delta or "")
        elif kind == "response.function_call_arguments.delta":
            self._began.setdefault(place, {"type": "function_call"})
            self._pieces.setdefault(place, []).append(delta or "")
        elif kind == "response.output_item.added" and type(event.get("item")) is dict:
            self._began[place] = event["item"]
            self._pieces.pop(place, None)
        elif kind == "response.output_item.done" and type(event.get("item")) is dict:
            self._items[place] = event["item"]
        elif type(event.get("response")) is dict:
            self._take_response(event["response"])
            if kind in _ENDED:
                return self.end(event["response"])
        return ""

    def _take_response(self, response: Dict) -> None:
        self.response_id = word(response.get("id")) or self.response_id
        self.served_by(response.get("model"))
        self._tier = word(response.get("service_tier")) or self._tier

    def end(self, response: Dict) -> str:
        """Take the finished response, and give its text if none came before."""
        self._take_response(response)
        self.done = True
        self._usage = response.get("usage")
        self.stop = _stop_of(response)
        for place, item in enumerate(objects(response.get("output"))):
            self._items.setdefault(place, item)
        if self.texts:
            return ""
        return "".join([self.add_text(text) for text in map(self._text_of, self._finished("message"))])

    def _finished(self, kind: str) -> list[Dict]:
        return [item for _, item in sorted(self._items.items()) if item.get("type") == kind]

    def _text_of(self, item: Dict) -> str:
        texts = []
        for part in objects(item.get("content")):
            self._refused = self._refused or part.get("type") == "refusal"
            self._logprobs += objects(part.get("logprobs"))
            texts.append(word(part.get("text")) or word(part.get("refusal")) or "")
        return "".join(texts)

    def _calls(self) -> list[Dict]:
        """Give the calls: those that were finished, and what there is of the others."""
        begun = {at: self._so_far(at, call) for at, call in self._began.items() if call.get("type") == "function_call"}
        every = {**begun, **self._items}
        calls: list[Dict] = []
        for _, item in sorted(every.items()):
            name = word(item.get("name"))
            if item.get("type") == "function_call" and name is not None:
                call_id = id_of(item.get("call_id"), f"call_{len(calls) + 1}")
                calls.append(tool_call(call_id, name, read_arguments(item.get("arguments"))))
        return calls

    def _so_far(self, place: int, call: Dict) -> Dict:
        if place not in self._pieces:
            return call
        return {**call, "arguments": str(call.get("arguments") or "") + "".join(self._pieces[place])}

    def reply(self) -> Reply:
        """Give what was collected."""
        reply = self.made(read_tokens(self._usage), self._calls())
        reasoning = self._finished("reasoning")
        if not self._summary:
            self._summary = [self._joined(item.get("summary")) for item in reasoning]
        if not reply.thinking:
            reply.thinking = "".join(self._joined(item.get("content")) for item in reasoning) or None
        reply.thinking_summary = "".join(self._summary) or None
        # The provider finds its reasoning again when it keeps it, or when it is sent back sealed.
        reply.thinking_blocks = [item for item in reasoning if self._keeps or item.get("encrypted_content")]
        reply.serving_tier = self._tier
        reply.logprobs = {"content": self._logprobs} if self._logprobs else None
        if self._refused and reply.stop_reason == "completed":
            reply.stop_reason = "refusal"
        return reply

    def _joined(self, parts: Any) -> str:
        return "".join(word(part.get("text")) or "" for part in objects(parts))
