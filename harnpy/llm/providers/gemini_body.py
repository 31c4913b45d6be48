"""The Gemini format: request to JSON body (llm 4.2, 5.1, 8.3). Pure."""

from __future__ import annotations

from harnpy.llm.providers.wire import (
    RESULT_ROLES,
    call_names,
    call_parts,
    flat,
    folded_system,
    own_options,
    result_name,
    stops,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.llm.request import Request

    Dict = dict[str, Any]

_NO_ENV: dict[str, str] = {}
_NAMES = {
    "temperature": "temperature", "top_p": "topP", "top_k": "topK", "seed": "seed",
    "frequency_penalty": "frequencyPenalty", "presence_penalty": "presencePenalty",
}  # fmt: skip
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}


def build_body(request: Request, *, stream: bool, include_usage: bool = True, env: Mapping[str, str] = _NO_ENV) -> Dict:
    """Give the JSON body of a call."""
    body: Dict = {"contents": _contents(request), "generationConfig": _generation(request)}
    system = folded_system(request)
    if system:
        body["system_instruction"] = {"parts": [{"text": system}]}
    tools: list[Any] = []
    if request.tools:
        tools.append({"functionDeclarations": [_declaration(tool["function"]) for tool in request.tools]})
    tools += request.option("provider_tools") or []
    if tools:
        body["tools"] = tools
    if request.tools and request.tool_choice is not None:
        body["toolConfig"] = {"functionCallingConfig": _choice(request.tool_choice)}
    body.update(own_options(request))
    return body


def _declaration(function: Dict) -> Dict:
    return {key: function[key] for key in ("name", "description", "parameters")}


def _choice(choice: Any) -> Dict:
    if type(choice) is dict:
        return {"mode": "ANY", "allowedFunctionNames": [choice["function"]["name"]]}
    return {"mode": _MODES[choice]}


def _generation(request: Request) -> Dict:
    config: Dict = {"maxOutputTokens": request.max_tokens}
    for key, name in _NAMES.items():
        if request.option(key) is not None:
            config[name] = request.option(key)
    if request.option("stop") is not None:
        config["stopSequences"] = stops(request)
    logprobs = request.option("logprobs")
    if logprobs:
        config["responseLogprobs"] = True
        if type(logprobs) is dict and logprobs.get("top") is not None:
            config["logprobs"] = logprobs["top"]
    if request.output.kind != "text" and not request.output.in_prompt:
        config["responseMimeType"] = "application/json"
        if request.output.schema is not None:
            config["responseJsonSchema"] = request.output.schema
    thinking = _thinking(request)
    if thinking:
        config["thinkingConfig"] = thinking
    return config


def _thinking(request: Request) -> Dict | None:
    thinking = request.thinking
    mode = thinking["mode"]
    if mode == "enabled":
        return {"thinkingBudget": thinking.get("budget_tokens") or -1}
    if mode == "adaptive":
        return {"thinkingBudget": -1}
    if mode == "effort" and thinking["level"] != "none":
        return {"thinkingLevel": thinking["level"]}
    row = request.row
    # Some models refuse to be told not to think.
    return {"thinkingBudget": 0} if row is not None and row.get("reasoning_disable_supported") else None


def _contents(request: Request) -> list[Dict]:
    names = call_names(request.messages)
    contents: list[Dict] = []
    for message in request.messages:
        if message["role"] == "system":
            continue
        role, parts = _turn(message, names)
        if not parts:
            continue
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        else:
            contents.append({"role": role, "parts": parts})
    if request.prefill:
        contents.append({"role": "model", "parts": [{"text": request.prefill}]})
    return contents


def _turn(message: Dict, names: dict[str, str]) -> tuple[str, list[Any]]:
    content = message["content"]
    if message["role"] in RESULT_ROLES:
        key = "error" if message.get("is_error") else "result"
        response = {"name": result_name(message, names), "response": {key: flat(content)}}
        return "user", [{"functionResponse": response}]
    blocks = content if type(content) is list else [{"type": "text", "text": str(content)}]
    parts = [part for part in map(_part, blocks) if part.get("text") != ""]
    if message["role"] != "assistant":
        return "user", parts
    return "model", parts + [_call(call) for call in message.get("tool_calls") or [] if type(call) is dict]


def _call(call: Dict) -> Dict:
    _, name, arguments = call_parts(call)
    part: Dict = {"functionCall": {"name": name, "args": arguments}}
    if call.get("thought_signature"):
        part["thoughtSignature"] = call["thought_signature"]
    return part


def _part(block: Any) -> Dict:
    if type(block) is not dict:
        return {"text": str(block)}
    if block.get("type") == "text":
        return {"text": str(block.get("text") or "")}
    if block.get("base64") is not None:
        return {"inline_data": {"mime_type": block.get("media_type"), "data": block["base64"]}}
    for key in ("url", "file_id"):
        if block.get(key) is not None:
            return {"file_data": {"mime_type": block.get("media_type"), "file_uri": block[key]}}
    return block
