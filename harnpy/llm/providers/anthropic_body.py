"""The Anthropic Messages format: request to headers and JSON body (llm 4.2, 5.1, 8.3). Pure."""

from __future__ import annotations

from harnpy.llm.providers.wire import RESULT_ROLES, call_parts, folded_system, own_options, result_id, stops
from harnpy.llm.serving import wire_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.llm.request import Request

    Dict = dict[str, Any]

# The tool whose input is the structured answer: this wire has no response format.
JSON_TOOL = "json_response"
_DEFAULT_BUDGET = 10_000
_NO_ENV: dict[str, str] = {}
_CHOICES = {"auto": "auto", "none": "none", "required": "any"}


def headers(request: Request) -> dict[str, str]:
    """Give the headers that this wire adds."""
    features = request.option("anthropic_beta_features") or []
    features = [features] if type(features) is str else list(features)
    if request.tier is not None and request.tier.get("beta"):
        features.append(request.tier["beta"])
    if request.option("interleaved_thinking"):
        features.append("interleaved-thinking-2025-05-14")
    added = {"anthropic-version": "2023-06-01"}
    if features:
        added["anthropic-beta"] = ",".join(dict.fromkeys(str(feature) for feature in features))
    return added


def build_body(request: Request, *, stream: bool, include_usage: bool = True, env: Mapping[str, str] = _NO_ENV) -> Dict:
    """Give the JSON body of a call."""
    body: Dict = {"model": wire_model(request), "max_tokens": request.max_tokens, "messages": _messages(request)}
    system = folded_system(request)
    if system:
        body["system"] = system
    for key in ("temperature", "top_p", "top_k"):
        if request.option(key) is not None:
            body[key] = request.option(key)
    if request.option("stop") is not None:
        body["stop_sequences"] = stops(request)
    _add_thinking(body, request.thinking)
    _add_tools(body, request)
    if _is_cached(request):
        _mark_cached(body, request.option("prompt_cache_ttl"))
    if stream:
        body["stream"] = True
    body.update(own_options(request))
    return body


def _add_thinking(body: Dict, thinking: Dict) -> None:
    mode = thinking["mode"]
    if mode == "enabled":
        budget = thinking.get("budget_tokens") or _DEFAULT_BUDGET
        body["thinking"] = {"type": "enabled", "budget_tokens": budget}
        if body["max_tokens"] <= budget:
            body["max_tokens"] += budget
    elif mode == "adaptive":
        body["thinking"] = {"type": "adaptive"}
    elif mode == "effort" and thinking["level"] != "none":
        body["thinking"] = {"type": "adaptive"}
        body["output_config"] = {"effort": thinking["level"]}


def _add_tools(body: Dict, request: Request) -> None:
    tools = [] if request.search_tool is None else [request.search_tool]
    tools += [_tool(tool["function"], request.deferred) for tool in request.tools or []]
    tools += request.option("provider_tools") or []
    choice = _choice(request.tool_choice)
    if request.output.kind != "text" and not request.output.in_prompt:
        # Reasoning allows no forced tool, and the caller's own tools must stay open to the model.
        forced = {"type": "any"} if tools else {"type": "tool", "name": JSON_TOOL}
        choice = {"type": "auto"} if "thinking" in body else forced
        tools.append(_json_tool(request.output.schema))
    if not tools:
        # A history with calls is refused without tools: those that were called are declared, and none may be called.
        tools, choice = _called(body["messages"]), {"type": "none"}
    if not tools:
        return
    body["tools"] = tools
    parallel = request.option("parallel_tool_calls")
    if parallel is not None and choice is None:
        choice = {"type": "auto"}
    if choice is not None:
        if parallel is not None and choice["type"] != "none":
            choice["disable_parallel_tool_use"] = not parallel
        body["tool_choice"] = choice


def _called(messages: list[Dict]) -> list[Dict]:
    blocks = [block for each in messages if type(each["content"]) is list for block in each["content"]]
    names = [block.get("name") for block in blocks if type(block) is dict and block.get("type") == "tool_use"]
    return [{"name": name, "input_schema": {"type": "object"}} for name in dict.fromkeys(names) if type(name) is str]


def _tool(function: Dict, deferred: frozenset[str]) -> Dict:
    described = {"name": function["name"], "description": function["description"]}
    late = {"defer_loading": True} if function["name"] in deferred else {}
    return {**described, "input_schema": function["parameters"], **late}


def is_wrapped(schema: Dict | None) -> bool:
    """Tell whether a structured answer comes inside an object: the input of a tool is one."""
    return schema is not None and schema.get("type", "object") != "object"


def _json_tool(schema: Dict | None) -> Dict:
    schema = schema or {"type": "object"}
    if is_wrapped(schema):
        schema = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    return {"name": JSON_TOOL, "description": "Give the answer as the input of this tool.", "input_schema": schema}


def _choice(choice: Any) -> Dict | None:
    if choice is None:
        return None
    if type(choice) is dict:
        return {"type": "tool", "name": choice["function"]["name"]}
    return {"type": _CHOICES[choice]}


def _is_cached(request: Request) -> bool:
    """Tell whether the provider is asked to cache: as the option says, else where the route can."""
    asked = request.option("cache")
    if asked is None:
        return request.row is not None and bool(request.row["prompt_caching"])
    return bool(asked)


def _mark_cached(body: Dict, ttl: str | None) -> None:
    """Mark the ends of the parts that stay the same: system text, tools, the last user block."""
    mark: Dict = {"type": "ephemeral"} if ttl is None else {"type": "ephemeral", "ttl": ttl}
    if body.get("system"):
        body["system"] = [{"type": "text", "text": body["system"], "cache_control": mark}]
    # Tools that are not shown at once take no mark.
    last = next(
        (at for at, tool in reversed(list(enumerate(body.get("tools", [])))) if "defer_loading" not in tool), None
    )
    if last is not None:
        body["tools"][last] = {**body["tools"][last], "cache_control": mark}
    users = [message for message in body["messages"] if message["role"] == "user"]
    if users:
        users[-1]["content"][-1] = {**users[-1]["content"][-1], "cache_control": mark}


def _messages(request: Request) -> list[Dict]:
    """Give the messages; neighbours of one role become one, and empty texts are left out."""
    messages: list[Dict] = []
    for message in request.messages:
        if message["role"] == "system":
            continue
        role, blocks = _turn(message)
        if not blocks:
            continue
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    if request.prefill:
        messages.append({"role": "assistant", "content": [{"type": "text", "text": request.prefill}]})
    return messages


def _turn(message: Dict) -> tuple[str, list[Any]]:
    content = message["content"]
    if message["role"] in RESULT_ROLES:
        return "user", [_result(message)]
    blocks = _blocks(content)
    if message["role"] != "assistant":
        return "user", blocks
    calls = [call_parts(call) for call in message.get("tool_calls") or [] if type(call) is dict]
    uses = [{"type": "tool_use", "id": call_id, "name": name, "input": given} for call_id, name, given in calls]
    return "assistant", [*(message.get("thinking_blocks") or []), *blocks, *uses]


def _blocks(content: Any) -> list[Any]:
    if type(content) is not list:
        text = content if type(content) is str else str(content)
        return [{"type": "text", "text": text}] if text.strip() else []
    blocks = [_block(block) for block in content]
    return [b for b in blocks if not (type(b) is dict and b.get("type") == "text" and not str(b.get("text")).strip())]


def _block(block: Any) -> Any:
    if type(block) is not dict:
        return block
    kind = block.get("type")
    if kind == "image":
        return {"type": "image", "source": _source(block)}
    if kind in ("pdf", "document") and ("base64" in block or "file_id" in block):
        return {"type": "document", "source": _source({"media_type": "application/pdf", **block})}
    return block


def _source(block: Dict) -> Dict:
    if block.get("file_id") is not None:
        return {"type": "file", "file_id": block["file_id"]}
    if block.get("url") is not None:
        return {"type": "url", "url": block["url"]}
    return {"type": "base64", "media_type": block["media_type"], "data": block["base64"]}


def _result(message: Dict) -> Dict:
    content = message["content"]
    content = _blocks(content) if type(content) is list else content if type(content) is str else str(content)
    result: Dict = {"type": "tool_result", "tool_use_id": result_id(message), "content": content}
    if message.get("is_error"):
        result["is_error"] = True
    return result
