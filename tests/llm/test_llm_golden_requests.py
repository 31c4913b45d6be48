"""Golden requests of the Anthropic, Gemini and Ollama wires: bodies compared field by field (llm 4.2, 5.1, 8.3)."""

from __future__ import annotations

import pytest

from harnpy.llm.providers.wires import wire_named
from harnpy.llm.request import build_request

DIALECTS = {"anthropic": "anthropic", "gemini": "gemini", "ollama": "ollama", "vllm": "openai_chat",
            "openrouter": "openai_chat"}  # fmt: skip
TOOL = {"name": "t", "description": "d", "parameters": {"a": "int"}}
SCHEMA = {
    "type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False,
}  # fmt: skip
IMAGE = {"type": "image", "base64": "QUJD", "media_type": "image/png"}


def request_of(provider: str, options: dict, system: str | None = None):
    given = {"provider": provider, "model": "m", "tool_format": "native", **options}
    return build_request("p", system, given, {}, gated=False)


def body(provider: str, options: dict, system: str | None = None, *, stream: bool = False, **env: str) -> dict:
    request = request_of(provider, options, system)
    return wire_named(DIALECTS[provider]).build_body(request, stream=stream, env=env)


EVERYTHING = {
    "max_tokens": 9, "temperature": 0.5, "top_p": 0.9, "top_k": 4, "stop": "x", "tools": [TOOL], "cache": False,
    "tool_choice": {"name": "t"},
}  # fmt: skip


def test_anthropic():
    given = {
        **EVERYTHING,
        "parallel_tool_calls": False,
        "provider_options": {"anthropic": {"metadata": {"user_id": "u"}}},
    }
    assert body("anthropic", given, "s", stream=True) == {
        "model": "m",
        "max_tokens": 9,
        "system": "s",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "p"}]}],
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 4,
        "stop_sequences": ["x"],
        "tools": [{"name": "t", "description": "d", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "t", "disable_parallel_tool_use": True},
        "stream": True,
        "metadata": {"user_id": "u"},
    }


@pytest.mark.parametrize(
    ("choice", "sent"), [("auto", "auto"), ("none", "none"), ("required", "any"), ("any", "any")]
)  # fmt: skip
def test_tool_choices(choice, sent):
    options = {"tools": [TOOL], "tool_choice": choice}
    assert body("anthropic", options)["tool_choice"] == {"type": sent}
    assert body("gemini", options)["toolConfig"] == {"functionCallingConfig": {"mode": sent.upper()}}


def test_gemini():
    assert body("gemini", {**EVERYTHING, "seed": 7, "frequency_penalty": 0.1, "logprobs": {"top": 3}}, "s") == {
        "contents": [{"role": "user", "parts": [{"text": "p"}]}],
        "system_instruction": {"parts": [{"text": "s"}]},
        "generationConfig": {
            "maxOutputTokens": 9, "temperature": 0.5, "topP": 0.9, "topK": 4, "stopSequences": ["x"], "seed": 7,
            "frequencyPenalty": 0.1, "responseLogprobs": True, "logprobs": 3,
        },
        "tools": [{"functionDeclarations": [{"name": "t", "description": "d", "parameters": SCHEMA}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["t"]}},
    }  # fmt: skip


def test_ollama():
    given = {**EVERYTHING, "seed": 7, "min_p": 0.1, "repetition_penalty": 1.2, "mirostat": {"version": 2}}
    assert body("ollama", given, "s", HARN_OLLAMA_NUM_CTX="x", OLLAMA_CONTEXT_LENGTH="4096") == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "p"}],
        "stream": True,
        "think": False,
        "keep_alive": "30m",
        "tools": [{"type": "function", "function": {"name": "t", "description": "d", "parameters": SCHEMA}}],
        "options": {
            "num_predict": 9, "temperature": 0.5, "top_p": 0.9, "top_k": 4, "stop": "x", "seed": 7, "min_p": 0.1,
            "repeat_penalty": 1.2, "mirostat": 2, "mirostat_tau": 5.0, "mirostat_eta": 0.1, "num_ctx": 4096,
        },
    }  # fmt: skip
    assert body("ollama", {})["options"] == {
        "num_predict": 16384, "min_p": 0.05, "repeat_penalty": 1.05, "num_ctx": 32768,
    }  # fmt: skip


THINKING = [
    ({}, {}, {}, {"think": False}, {}),
    (
        {"thinking": True},
        {"thinking": {"type": "enabled", "budget_tokens": 10000}},
        {"thinkingBudget": -1}, {"think": True}, {"reasoning": {"enabled": True}},
    ),
    (
        {"thinking": {"budget_tokens": 2000}},
        {"thinking": {"type": "enabled", "budget_tokens": 2000}},
        {"thinkingBudget": 2000}, {"think": True}, {"reasoning": {"max_tokens": 2000}},
    ),
    (
        {"thinking": "adaptive"},
        {"thinking": {"type": "adaptive"}}, {"thinkingBudget": -1}, {"think": True}, {"reasoning": {"enabled": True}},
    ),
    (
        {"effort": "low"},
        {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
        {"thinkingLevel": "low"}, {"think": True}, {"reasoning": {"effort": "low"}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("options", "anthropic", "gemini", "ollama", "openrouter"), THINKING)
def test_reasoning(options, anthropic, gemini, ollama, openrouter):
    sent = body("anthropic", options)
    assert {key: sent[key] for key in ("thinking", "output_config") if key in sent} == anthropic
    assert body("gemini", options)["generationConfig"].get("thinkingConfig", {}) == gemini
    assert body("ollama", options)["think"] == ollama["think"]
    assert body("openrouter", options).get("reasoning") == openrouter.get("reasoning")


def test_reasoning_by_model():
    assert body("ollama", {"model": "gpt-oss:20b", "effort": "high"})["think"] == "high"
    assert body("gemini", {"model": "gemini-2.5-flash"})["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}
    assert "thinkingConfig" not in body("gemini", {"model": "gemini-3-pro"})["generationConfig"]


def test_the_token_limit_leaves_room_beside_the_reasoning_budget():
    sent = body("anthropic", {"thinking": {"budget_tokens": 2000}, "max_tokens": 100})
    assert sent["max_tokens"] == 2100
    assert body("anthropic", {"thinking": {"budget_tokens": 2000}, "max_tokens": 5000})["max_tokens"] == 5000


def test_anthropic_beta_features():
    request = request_of("anthropic", {"interleaved_thinking": True, "anthropic_beta_features": ["a-1"]})
    headers = wire_named("anthropic").headers(request)
    assert headers == {
        "anthropic-version": "2023-06-01", "anthropic-beta": "a-1,interleaved-thinking-2025-05-14",
    }  # fmt: skip


def test_anthropic_marks_what_is_cached():
    mark = {"type": "ephemeral", "ttl": "1h"}
    sent = body("anthropic", {"tools": [TOOL, {**TOOL, "name": "u"}], "cache": True, "prompt_cache_ttl": "1h"}, "s")
    assert sent["system"] == [{"type": "text", "text": "s", "cache_control": mark}]
    assert [tool.get("cache_control") for tool in sent["tools"]] == [None, mark]
    assert sent["messages"][-1]["content"][-1]["cache_control"] == mark


def test_anthropic_turns():
    thought = {"type": "thinking", "thinking": "hmm", "signature": "sig"}
    messages = [
        {"role": "user", "content": "a"},
        {"role": "system", "content": "later rule"},
        {"role": "user", "content": [{"type": "text", "text": ""}, IMAGE]},
        {"role": "assistant", "content": "", "thinking_blocks": [thought],
         "tool_calls": [{"id": "1", "name": "t", "arguments": {"a": 1}}]},
        {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "r"}]},
        {"role": "user", "content": "go on"},
    ]  # fmt: skip
    sent = body("anthropic", {"messages": messages, "prefill": "{"}, "first rule")
    assert sent["system"] == "first rule\n\nlater rule"
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD"}
    assert sent["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image", "source": source}]},
        {"role": "assistant", "content": [thought, {"type": "tool_use", "id": "1", "name": "t", "input": {"a": 1}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "r"}]},
            {"type": "text", "text": "go on"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "{"}]},
    ]  # fmt: skip


def test_gemini_turns():
    call = {"id": "g1", "type": "tool_call", "name": "t", "arguments": {"a": 1}, "thought_signature": "sig"}
    url = {"type": "image", "url": "gs://x", "media_type": "image/png"}
    messages = [
        {"role": "user", "content": [IMAGE, url, {"type": "text", "text": "what?"}]},
        {"role": "assistant", "content": "well", "tool_calls": [call]},
        {"role": "tool_result", "tool_use_id": "g1", "content": "r"},
    ]
    assert body("gemini", {"messages": messages})["contents"] == [
        {"role": "user", "parts": [
            {"inline_data": {"mime_type": "image/png", "data": "QUJD"}},
            {"file_data": {"mime_type": "image/png", "file_uri": "gs://x"}}, {"text": "what?"}]},
        {"role": "model", "parts": [
            {"text": "well"}, {"functionCall": {"name": "t", "args": {"a": 1}}, "thoughtSignature": "sig"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "t", "response": {"result": "r"}}}]},
    ]  # fmt: skip


def test_ollama_images():
    messages = [{"role": "user", "content": [{"type": "text", "text": "what?"}, IMAGE]}]
    assert body("ollama", {"messages": messages})["messages"] == [
        {"role": "user", "content": "what?", "images": ["QUJD"]}
    ]


def test_structured_output():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    sent = body("anthropic", {"output": schema})
    assert sent["tool_choice"] == {"type": "tool", "name": "json_response"}
    assert [(tool["name"], tool["input_schema"]) for tool in sent["tools"]] == [("json_response", schema)]
    both = body("anthropic", {"output": schema, "tools": [TOOL]})
    assert (both["tool_choice"], [tool["name"] for tool in both["tools"]]) == ({"type": "any"}, ["t", "json_response"])
    assert body("anthropic", {"output": schema, "thinking": True})["tool_choice"] == {"type": "auto"}
    config = body("gemini", {"output": schema})["generationConfig"]
    assert (config["responseMimeType"], config["responseJsonSchema"]) == ("application/json", schema)
    assert body("gemini", {"output": "json"})["generationConfig"]["responseMimeType"] == "application/json"
    assert body("ollama", {"output": schema})["format"] == schema
    assert body("ollama", {"output": "json"})["format"] == "json"


def read(provider: str, data: dict, options: dict):
    return wire_named(DIALECTS[provider]).read_reply(request_of(provider, options), data)


def test_structured_output_of_anthropic_comes_back_as_text():
    def reply(given: dict) -> dict:
        return {"content": [{"type": "tool_use", "id": "1", "name": "json_response", "input": given}],
                "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip

    read_back = read("anthropic", reply({"a": 1}), {"output": {"type": "object"}})
    assert (read_back.text, read_back.tool_calls) == ('{"a": 1}', [])
    wrapped = body("anthropic", {"output": {"type": "array"}})["tools"][0]["input_schema"]
    assert wrapped == {"type": "object", "properties": {"value": {"type": "array"}}, "required": ["value"]}
    assert read("anthropic", reply({"value": [1, 2]}), {"output": {"type": "array"}}).text == "[1, 2]"
    single = {"type": "object", "properties": {"value": {"type": "integer"}}}
    assert read("anthropic", reply({"value": 3}), {"output": single}).text == '{"value": 3}'


def test_gemini_blocks_and_thoughts():
    blocked = read("gemini", {"promptFeedback": {"blockReason": "OTHER"}, "usageMetadata": {"promptTokenCount": 3}}, {})
    assert (blocked.stop_reason, blocked.text) == ("refusal", "")
    assert read("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, {}).stop_reason == "SAFETY"
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 2, "thoughtsTokenCount": 5, "cachedContentTokenCount": 4}
    tokens = read("gemini", {"candidates": [], "usageMetadata": usage}, {}).tokens
    assert (tokens.input, tokens.output, tokens.cache_read, tokens.cached_inside) == (10, 7, 4, True)


def test_anthropic_counts_cached_tokens_apart():
    usage = {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7}
    tokens = read("anthropic", {"content": [], "usage": usage}, {}).tokens
    assert (tokens.input, tokens.cache_read, tokens.cache_write, tokens.cached_inside) == (5, 100, 7, False)


def test_a_model_name_cannot_change_the_path():
    request = request_of("gemini", {"model": "../../evil?x=1#y"})
    url = wire_named("gemini").url(request, "http://h", False)
    assert url == "http://h/v1beta/models/..%2F..%2Fevil%3Fx%3D1%23y:generateContent"
    named = request_of("gemini", {"model": "models/gemini-2.5-pro"})
    assert wire_named("gemini").url(named, "http://h", True).endswith("/gemini-2.5-pro:streamGenerateContent?alt=sse")


def test_qwen_servers_are_told_not_to_think():
    sent = body("vllm", {"model": "qwen3-8b"}, "s")
    told = sent.get("chat_template_kwargs") == {"enable_thinking": False}
    assert told or sent["messages"][0]["content"] == "/no_think\ns"


@pytest.mark.parametrize("options", [{"reasoning_policy": "off"}, {"thinking": {"mode": "disabled"}}])
def test_qwen_under_ollama_is_told_not_to_think_once(options):
    sent = body("ollama", {"model": "qwen3:8b", **options}, "s")
    assert sent["messages"] == [{"role": "system", "content": "/no_think\ns"}, {"role": "user", "content": "p"}]
    assert sent["think"] is False
    thinking = body("ollama", {"model": "qwen3:8b", "reasoning_policy": "high"}, "s")
    assert thinking["messages"][0]["content"] == "s"
