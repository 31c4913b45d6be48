"""The OpenAI chat format: request dict to HTTP body, reply or stream of chunks to ``Reply`` (llm 8.3). Pure."""

from __future__ import annotations

from harnpy.llm.json_values import json_text
from harnpy.llm.providers.wire import (
    RESULT_ROLES,
    Collected,
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
# Servers that take what their chat template knows.
_SELF_HOSTED = ("local", "vllm", "llamacpp", "mlx", "tgi")
# Fields of messages that belong to us or to other wires.
_FOREIGN_FIELDS = ("thinking_blocks",)

# Options that go into the body under their own name.
_SAME_NAME = (
    "temperature", "top_p", "stop", "seed", "frequency_penalty", "presence_penalty", "verbosity",
    "parallel_tool_calls", "min_p", "repetition_penalty",
)  # fmt: skip
_COMPATIBLE = ("min_p", "repetition_penalty")


def url(request: Request, base: str, stream: bool) -> str:
    """Give the URL of a call."""
    return base + request.route.provider.path


def headers(request: Request) -> dict[str, str]:
    """Give the headers that this wire adds."""
    return {}


def holds_reply(data: Dict) -> bool:
    """Tell whether a JSON object is a reply or a part of one, and no error."""
    return "error" not in data or ("choices" in data and not data["error"])


def build_body(request: Request, *, stream: bool, include_usage: bool = True, env: Mapping[str, str] = _NO_ENV) -> Dict:
    """Give the JSON body of a call."""
    provider, _ = request.error_place()
    newer = request.row is not None and request.row["requires_completion_tokens"]
    limit = "max_completion_tokens" if newer else "max_tokens"
    body: Dict = {"model": wire_model(request), "messages": _messages(request), limit: request.max_tokens}
    for key in _SAME_NAME:
        # OpenAI itself refuses the two that only other servers of this format know.
        if request.option(key) is not None and not (provider == "openai" and key in _COMPATIBLE):
            body[key] = request.option(key)
    if request.option("logit_bias") is not None:
        body["logit_bias"] = {str(entry["token"]): entry["bias"] for entry in request.option("logit_bias")}
    if request.option("prediction") is not None:
        body["prediction"] = {"type": "content", "content": request.option("prediction")["content"]}
    _add_logprobs(body, request.option("logprobs"))
    _add_thinking(body, request, provider)
    _add_mirostat(body, request, provider)
    tools = [*tools_of(request), *(request.option("provider_tools") or [])]
    if tools:
        body["tools"] = tools
    if request.tool_choice is not None:
        body["tool_choice"] = request.tool_choice
    if request.output.in_prompt:
        pass  # the system text asks for the form
    elif request.output.kind == "json_object":
        body["response_format"] = {"type": "json_object"}
    elif request.output.kind == "json_schema":
        schema = {"name": "response", "schema": request.output.schema, "strict": request.output.strict}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if stream:
        body["stream"] = True
        if include_usage:
            body["stream_options"] = {"include_usage": True}
    body.update(own_options(request))
    return body


def tools_of(request: Request) -> list[Dict]:
    """Give the tools of a call with the provider's own search in front; those that it finds are marked."""
    tools = [] if request.search_tool is None else [request.search_tool]
    for tool in request.tools or []:
        late = tool["function"]["name"] in request.deferred
        tools.append({**tool, "defer_loading": True} if late else tool)
    return tools


def _add_logprobs(body: Dict, logprobs: Any) -> None:
    if logprobs:
        body["logprobs"] = True
        if type(logprobs) is dict and logprobs.get("top") is not None:
            body["top_logprobs"] = logprobs["top"]


def _add_mirostat(body: Dict, request: Request, provider: str) -> None:
    mirostat = request.option("mirostat")
    if mirostat and provider in _SELF_HOSTED:
        body["mirostat"] = mirostat.get("version")
        body["mirostat_tau"] = mirostat.get("target_entropy", 5.0)
        body["mirostat_eta"] = mirostat.get("learning_rate", 0.1)


def _add_thinking(body: Dict, request: Request, provider: str) -> None:
    thinking = request.thinking
    mode = thinking["mode"]
    if provider == "openrouter":
        if mode == "effort":
            body["reasoning"] = {"effort": thinking["level"]}
        elif mode in ("enabled", "adaptive"):
            budget = thinking.get("budget_tokens")
            body["reasoning"] = {"enabled": True} if budget is None else {"max_tokens": budget}
    elif mode == "effort":
        body["reasoning_effort"] = thinking["level"]
    elif provider in _SELF_HOSTED:
        row = request.row
        if row is not None and "enabled" in row["thinking_modes"]:
            _toggle_thinking(body, row, on=mode != "disabled")


def _toggle_thinking(body: Dict, row: Dict, *, on: bool) -> None:
    """Switch the reasoning of a chat template; off may stand in the system text instead."""
    if on or not row["thinking_disable_directive"]:
        body["chat_template_kwargs"] = {"enable_thinking": on}


def _messages(request: Request) -> list[Dict]:
    system = system_of(request)
    messages: list[Dict] = [{"role": "system", "content": system}] if system else []
    messages += [_message(message) for message in request.messages]
    if request.prefill:
        messages.append({"role": "assistant", "content": request.prefill})
    return messages


def _message(message: Dict) -> Dict:
    role = message["role"]
    if role in RESULT_ROLES:
        return {"role": "tool", "tool_call_id": result_id(message), "content": flat(message["content"])}
    content = message["content"]
    kept = {key: value for key, value in message.items() if key not in _FOREIGN_FIELDS}
    sent = {**kept, "content": [_block(block) for block in content] if type(content) is list else content}
    if message.get("tool_calls"):
        sent["tool_calls"] = [_sent_call(call) for call in message["tool_calls"]]
    return sent


def _block(block: Any) -> Any:
    kind = block.get("type") if type(block) is dict else None
    if kind == "audio" and block.get("base64") is not None:
        form = str(block["media_type"]).rpartition("/")[2].removeprefix("x-")
        audio = {"data": block["base64"], "format": {"mpeg": "mp3", "wave": "wav"}.get(form, form)}
        return {"type": "input_audio", "input_audio": audio}
    if kind in ("pdf", "document") and block.get("file_id") is not None:
        return {"type": "file", "file": {"file_id": block["file_id"]}}
    if kind in ("pdf", "document") and block.get("base64") is not None:
        data = f"data:{block.get('media_type') or 'application/pdf'};base64,{block['base64']}"
        return {"type": "file", "file": {"filename": "document.pdf", "file_data": data}}
    if kind != "image":
        return block
    url = block.get("url") or f"data:{block['media_type']};base64,{block['base64']}"
    image = {"url": url} if block.get("detail") is None else {"url": url, "detail": block["detail"]}
    return {"type": "image_url", "image_url": image}


def _sent_call(call: Dict) -> Dict:
    if "function" in call:
        return call
    import json

    text = call.get("arguments")
    if type(text) is not str:
        text = json.dumps(text or {}, ensure_ascii=False, sort_keys=True, default=lambda _value: None)
    return {"id": call.get("id", ""), "type": "function", "function": {"name": call.get("name", ""), "arguments": text}}


def read_tool_calls(calls: Any) -> list[Dict]:
    """Read wire-shaped calls; a missing id becomes ``call_N``."""
    read = []
    for number, call in enumerate(objects(calls), 1):
        function = fields(call.get("function"))
        name = word(function.get("name"))
        if name is not None:
            arguments = read_arguments(function.get("arguments"))
            read.append(tool_call(id_of(call.get("id"), f"call_{number}"), name, arguments))
    return read


def read_tokens(usage: Any) -> Tokens:
    """Read the token counts of a reply."""
    if type(usage) is not dict or not usage:
        return Tokens(known=False)
    details = usage.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if type(details) is dict else 0
    total = usage.get("total_tokens")
    return Tokens(
        count(usage.get("prompt_tokens")),
        count(usage.get("completion_tokens")),
        cache_read=cached,
        total=None if total is None else count(total),
        known=are_counts(usage.get("prompt_tokens"), usage.get("completion_tokens")),
    )


def _content(content: Any) -> str:
    if type(content) is list:
        return "".join(p["text"] for p in content if type(p) is dict and type(p.get("text")) is str)
    return content if type(content) is str else ""


def _reasoning(message: Dict) -> str:
    return next((message[key] for key in ("reasoning_content", "reasoning") if type(message.get(key)) is str), "")


def read_reply(request: Request, data: Any) -> Reply | None:
    """Read a whole reply; ``None`` when the JSON has another shape. A reply without choices is empty."""
    data = {} if data is None else data
    if type(data) is not dict or ("choices" in data and type(data["choices"]) is not list):
        return None
    if "choices" not in data and data and "usage" not in data:
        return None
    provider, model = request.error_place()
    served = data.get("model")
    reply = Reply(provider, served if type(served) is str and served else model, "", read_tokens(data.get("usage")))
    reply.response_id = word(data.get("id"))
    reply.serving_tier = word(data.get("service_tier"))
    choice = data["choices"][0] if data.get("choices") else {}
    message = choice.get("message") if type(choice) is dict else None
    if type(message) is not dict:
        return reply
    reply.text = _content(message.get("content")) or _content(message.get("refusal"))
    reply.thinking = _reasoning(message) or None
    reply.tool_calls = read_tool_calls(message.get("tool_calls"))
    reply.stop_reason = word(choice.get("finish_reason")) or ("refusal" if message.get("refusal") else None)
    reply.logprobs = choice.get("logprobs")
    return reply


class _OpenCall:
    """One call of a streamed reply, in pieces."""

    __slots__ = ("arguments", "id", "names")

    def __init__(self) -> None:
        self.id: str | int = ""
        self.names: list[str] = []
        self.arguments: list[str] = []

    def whole(self) -> Dict:
        """Give the call as a whole reply has it."""
        return {"id": self.id, "function": {"name": "".join(self.names), "arguments": "".join(self.arguments)}}


class _OpenCalls:
    """The calls of a streamed reply. A part finds its call by index, by id, else it is the last one."""

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []
        # The last call of each index, and the first one of each id.
        self._by_index: dict[Any, _OpenCall] = {}
        self._by_id: dict[Any, _OpenCall] = {}

    def feed(self, part: Dict) -> None:
        """Take what a chunk says of one call."""
        index, call_id = (_plain(part.get(key)) for key in ("index", "id"))
        call = self._call(index, call_id)
        function = fields(part.get("function"))
        if type(function.get("name")) is str:
            call.names.append(function["name"])
        if type(function.get("arguments")) is str:
            call.arguments.append(function["arguments"])
        elif type(function.get("arguments")) is dict:
            call.arguments = [json_text(function["arguments"])]

    def _call(self, index: Any, call_id: Any) -> _OpenCall:
        """Find the call of a part, or open another."""
        if index is not None:
            held = self._by_index.get(index)
            if held is not None and call_id and held.id not in ("", call_id):
                held = None
        elif call_id:
            held = self._by_id.get(call_id)
        else:
            held = self._calls[-1] if self._calls else None
        if held is None:
            held = _OpenCall()
            self._calls.append(held)
            if index is not None:
                self._by_index[index] = held
        if call_id and not held.id:
            held.id = call_id
            self._by_id.setdefault(call_id, held)
        return held

    def whole(self) -> list[Dict]:
        """Give the calls as a whole reply has them."""
        return [call.whole() for call in self._calls]


def _plain(value: Any) -> str | int | None:
    """Give an index or an id; anything that cannot be one says nothing."""
    return value if type(value) in (str, int) else None


class StreamReader(Collected):
    """Collects the chunks of a streamed reply."""

    ends_with_sentinel = True

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._calls = _OpenCalls()
        self._usage: Any = None
        self._tier: str | None = None
        self._logprobs: list[Any] = []

    def feed(self, chunk: Dict) -> str:
        """Take one chunk and give the text that it adds."""
        if type(chunk.get("id")) is str:
            self.response_id = chunk["id"]
        self.served_by(chunk.get("model"))
        self._tier = word(chunk.get("service_tier")) or self._tier
        if chunk.get("usage"):
            self._usage = chunk["usage"]
        choice = self.first_of(chunk.get("choices"))
        if choice is None:
            return ""
        self.stop = word(choice.get("finish_reason")) or self.stop
        delta = choice.get("delta")
        return self._feed_delta(delta, choice) if type(delta) is dict else ""

    def _feed_delta(self, delta: Dict, choice: Dict) -> str:
        text = _content(delta.get("content")) or _content(delta.get("refusal"))
        if text:
            self.texts.append(text)
        self.thoughts.append(_reasoning(delta))
        for part in objects(delta.get("tool_calls")):
            self._calls.feed(part)
        logprobs = choice.get("logprobs")
        if type(logprobs) is dict and type(logprobs.get("content")) is list:
            self._logprobs += logprobs["content"]
        return text

    def reply(self) -> Reply:
        """Give what was collected."""
        reply = self.made(read_tokens(self._usage), read_tool_calls(self._calls.whole()))
        reply.serving_tier = self._tier
        reply.logprobs = {"content": self._logprobs} if self._logprobs else None
        return reply
