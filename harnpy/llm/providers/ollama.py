"""The Ollama chat format: request to body, lines of JSON to ``Reply`` (llm 4.2, 8.3). Pure."""

from __future__ import annotations

from harnpy.llm.providers.wire import (
    RESULT_ROLES,
    Collected,
    call_names,
    call_parts,
    flat,
    objects,
    own_options,
    result_name,
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

FRAMING = "ndjson"
_NO_ENV: dict[str, str] = {}
_CONTEXT_VARIABLES = ("HARN_OLLAMA_NUM_CTX", "OLLAMA_CONTEXT_LENGTH", "OLLAMA_NUM_CTX")
_DEFAULT_CONTEXT = 32768
_NAMES = {
    "temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p",
    "repetition_penalty": "repeat_penalty", "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty", "seed": "seed", "stop": "stop",
}  # fmt: skip


def url(request: Request, base: str, stream: bool) -> str:
    """Give the URL of a call."""
    return base + request.route.provider.path


def headers(request: Request) -> dict[str, str]:
    """Give the headers that this wire adds."""
    return {}


def build_body(request: Request, *, stream: bool, include_usage: bool = True, env: Mapping[str, str] = _NO_ENV) -> Dict:
    """Give the JSON body of a call; the reply always comes as a stream."""
    body: Dict = {
        "model": wire_model(request),
        "messages": _messages(request),
        "stream": True,
        "think": _think(request),
        "keep_alive": "30m",
        "options": _options(request, env),
    }
    if request.output.kind != "text" and not request.output.in_prompt:
        body["format"] = "json" if request.output.schema is None else request.output.schema
    if request.tools:
        body["tools"] = request.tools
    body.update(own_options(request))
    return body


def _think(request: Request) -> bool | str:
    thinking = request.thinking
    if thinking["mode"] == "effort" and thinking["level"] != "none":
        level: str = thinking["level"]
        return level if request.route.model.lower().startswith("gpt-oss") else True
    return thinking["mode"] in ("enabled", "adaptive")


def _options(request: Request, env: Mapping[str, str]) -> Dict:
    options: Dict = {"num_predict": request.max_tokens, "min_p": 0.05, "repeat_penalty": 1.05}
    for key, name in _NAMES.items():
        if request.option(key) is not None:
            options[name] = request.option(key)
    mirostat = request.option("mirostat")
    if mirostat:
        options["mirostat"] = mirostat.get("version")
        options["mirostat_tau"] = mirostat.get("target_entropy", 5.0)
        options["mirostat_eta"] = mirostat.get("learning_rate", 0.1)
    sizes = [count(env.get(name, "")) for name in _CONTEXT_VARIABLES]
    options["num_ctx"] = next((size for size in sizes if size), _DEFAULT_CONTEXT)
    return options


def _messages(request: Request) -> list[Dict]:
    names = call_names(request.messages)
    system = system_of(request)
    messages: list[Dict] = [{"role": "system", "content": system}] if system else []
    messages += [_message(message, names) for message in request.messages]
    if request.prefill:
        messages.append({"role": "assistant", "content": request.prefill})
    return messages


def _message(message: Dict, names: dict[str, str]) -> Dict:
    content = message["content"]
    if message["role"] in RESULT_ROLES:
        return {"role": "tool", "tool_name": result_name(message, names), "content": flat(content)}
    sent: Dict = {"role": message["role"], "content": content if type(content) is str else _texts(content)}
    if type(content) is list:
        images = [b["base64"] for b in content if type(b) is dict and b.get("type") == "image" and "base64" in b]
        if images:
            sent["images"] = images
    calls = [call_parts(call) for call in message.get("tool_calls") or [] if type(call) is dict]
    if calls:
        sent["tool_calls"] = [{"function": {"name": name, "arguments": given}} for _, name, given in calls]
    return sent


def _texts(content: Any) -> str:
    blocks = content if type(content) is list else [content]
    return "\n".join(b["text"] if type(b) is dict else str(b) for b in blocks if type(b) is not dict or "text" in b)


def holds_reply(data: Dict) -> bool:
    """Tell whether a JSON object is a part of a reply, and no error."""
    return data.get("error") is None


def read_reply(request: Request, data: Any) -> Reply | None:
    """Read a reply that came as one object; ``None`` when the JSON has another shape."""
    if type(data) is not dict or "message" not in data:
        return None
    reader = StreamReader(request)
    reader.feed(data)
    return reader.reply()


class StreamReader(Collected):
    """Collects the lines of a reply."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._usage: Dict = {}
        self._calls: list[Dict] = []

    @property
    def complete(self) -> bool:
        """Tell whether the stream may end here: only after ``done``."""
        return self.done

    def feed(self, line: Dict) -> str:
        """Take one line and give the text that it adds."""
        self.served_by(line.get("model"))
        self._usage.update((key, line[key]) for key in ("prompt_eval_count", "eval_count") if key in line)
        if line.get("done") is True:
            self.done = True
            self.stop = word(line.get("done_reason"))
        message = line.get("message")
        if type(message) is not dict:
            return ""
        if type(message.get("thinking")) is str:
            self.thoughts.append(message["thinking"])
        for call in objects(message.get("tool_calls")):
            self._feed_call(call)
        text = message.get("content")
        if type(text) is not str or not text:
            return ""
        self.texts.append(text)
        return text

    def _feed_call(self, call: Dict) -> None:
        function = call.get("function")
        if type(function) is dict and type(function.get("name")) is str:
            number = len(self._calls) + 1
            arguments = read_arguments(function.get("arguments"))
            self._calls.append(tool_call(f"ollama_tool_{number}", function["name"], arguments))

    def reply(self) -> Reply:
        """Give what was collected."""
        usage = self._usage
        # Its servers leave counts of 0 out.
        known = bool(usage) and are_counts(*usage.values())
        tokens = Tokens(count(usage.get("prompt_eval_count")), count(usage.get("eval_count")), known=known)
        return self.made(tokens, self._calls)
