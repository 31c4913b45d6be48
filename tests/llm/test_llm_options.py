"""Option errors, conversation, route: what a call refuses before anything is sent (llm 2, 8.1)."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.edit_distance import edit_distance
from harnpy.errors import HarnError
from harnpy.llm.options import ACCEPTED, REMOVED
from harnpy.llm.request import build_request

MOCK = {"HARN_LLM_PROVIDER": "mock"}


def refused(options: object, env: dict[str, str] | None = None) -> object:
    with pytest.raises(HarnError) as caught:
        build_request("p", None, options, MOCK if env is None else env)
    return caught.value.value


SEE = "See docs/llm/llm_call.md for the option reference."


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"tempratur": 1}, f"llm_call: unknown option `tempratur` — did you mean `temperature`? {SEE}"),
        ({"zzzzzz": 1}, f"llm_call: unknown option `zzzzzz`. {SEE}"),
        ({"schema": None}, f"llm_call: option `schema` was removed — {REMOVED['schema']}"),
        ({"anthropic": {}}, "llm_call: option `anthropic` was removed — use `provider_options: {anthropic: {...}}`"),
        ({"zzz": 1, "timeout": 1}, "llm_call: option `timeout` was removed — use `timeout_ms` (milliseconds)"),
        ({"max_tokens": 0}, "llm_call: invalid `max_tokens`: must be positive"),
        ({"temperature": 2.5}, "llm_call: invalid `temperature`: must be finite and within 0..=2"),
        ({"temperature": float("nan")}, "llm_call: invalid `temperature`: must be finite and within 0..=2"),
        ({"temperature": True}, "llm_call: invalid `temperature`: must be finite and within 0..=2"),
        ({"top_k": -1}, "llm_call: invalid `top_k`: must be non-negative"),
        ({"repetition_penalty": 0}, "llm_call: invalid `repetition_penalty`: must be finite and positive"),
        ({"logprobs": {"top": 21}}, "llm_call: invalid `logprobs`: `top` must be 0..=20"),
        ({"logprobs": {"x": 1}}, "llm_call: invalid `logprobs`: unknown field `x`"),
        ({"prediction": {"content": ""}}, "llm_call: invalid `prediction`: expected {content: <non-empty string>}"),
        ({"verbosity": "loud"}, "llm_call: invalid `verbosity`: expected `low`, `medium`, or `high`"),
        ({"api_mode": "x"}, 'api_mode: expected "chat_completions" or "responses", got "x"'),
        (
            {"api_mode": "responses", "provider": "groq", "model": "m"},
            'api_mode: "responses" is only supported by provider "openai"; got provider "groq"',
        ),
        (
            {"call_role": "a", "mock_scope": "b"},
            "call_role `a` disagrees with mock_scope `b`; both name the same semantic call purpose and must match",
        ),
        ({"system": [{"content": "a"}, {"content": "b", "position": "top"}]},
         'system[1].position: expected "before" or "after", got "top"'),
        ({"system": {"mode": "merge"}}, 'system.mode: expected "replace", got "merge"'),
        ({"output": "xml"}, 'output: expected "text", "json", a schema, or {schema, ...}, got "xml"'),
        ({"output": 5}, 'output: expected "text", "json", a schema, or {schema, ...}, got int'),
        ({"output": {"schema": None}}, "output: the {schema, ...} form requires a non-nil `schema`"),
        ({"output": {"schema": {}, "strict": 1}}, "output.strict: expected a bool, got int"),
        ({"effort": "x"},
         'effort: expected "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max", got "x"'),
        ({"effort": "low", "thinking": True}, "effort cannot be combined with a non-disabled thinking option"),
        ({"tools": ["x"]}, "tools must be declared as tool definition dicts or a tool_registry"),
        ({"tools": [5]}, "tools must contain only tool definition dicts"),
        ({"tools": 5}, "tools must be a tool_registry or a list of tool definition dicts"),
        ({"messages": [{"role": "user", "content": {"type": "image"}}]},
         "llm_call image content requires exactly one of url or base64"),
        ({"messages": [{"role": "user", "content": [{"type": "image", "url": "u"}]}]},
         "llm_call image content requires media_type"),
        ("x", "llm_call: options must be a dict, got string"),
    ],
)  # fmt: skip
def test_option_errors(options, text):
    assert refused(options) == text


def test_native_spellings_name_the_portable_option():
    text = refused({"provider_options": {"openai": {"max_completion_tokens": 5}}})
    assert "max_completion_tokens" in text
    assert "`max_tokens`" in text
    assert "generationConfig.topK" in refused({"provider_options": {"gemini": {"generationConfig": {"topK": 5}}}})


@given(st.dictionaries(st.sampled_from(sorted(ACCEPTED)) | st.text(max_size=12), st.none() | st.integers() | st.text()))
def test_any_options_give_a_request_or_a_harn_error(options):
    with contextlib.suppress(HarnError):
        build_request("p", None, options, MOCK)


@given(st.text(max_size=8), st.text(max_size=8))
def test_edit_distance_is_a_metric(first, second):
    distance = edit_distance(first, second)
    assert distance == edit_distance(second, first)
    assert (distance == 0) == (first == second)
    assert distance <= max(len(first), len(second))


def system_of(primary: str | None, option: object) -> str | None:
    return build_request("p", primary, {"system": option}, MOCK).system


def test_system_text():
    assert system_of("a", "b") == "a"
    assert system_of("  ", "b") == "b"
    assert system_of(None, None) is None
    fragments = [{"title": "Role", "content": "Audit."}, {"content": "End.", "position": "after"}, "Plain.",
                 {"content": "off", "enabled": False}]  # fmt: skip
    assert system_of("Main.", fragments) == "## Role\nAudit.\n\nPlain.\n\nMain.\n\nEnd."
    assert system_of("Main.", {"mode": "replace", "content": "only"}) == "only"


ROUTES = [
    ({"provider": "auto", "model": "claude-sonnet-5"}, {}, "anthropic", "claude-sonnet-5"),
    ({"model": "sonnet"}, {}, "anthropic", "claude-sonnet-5"),
    ({"model": "gpt-5.4-mini"}, {}, "openai", "gpt-5.4-mini"),
    ({"model": "gpt-oss-120b"}, {}, "cerebras", "gpt-oss-120b"),
    ({"model": "llama3.2"}, {}, "ollama", "llama3.2"),
    ({"model": "llama4:70b"}, {}, "ollama", "llama4:70b"),
    ({"model": "ollama:qwen3"}, {}, "ollama", "qwen3"),
    ({"model": "hf:a/b"}, {}, "huggingface", "a/b"),
    ({"model": "vendor/model"}, {}, "openrouter", "vendor/model"),
    ({"model": "anything"}, {}, "anthropic", "anything"),
    ({"model": "anything"}, {"LOCAL_LLM_BASE_URL": "http://h"}, "local", "anything"),
    ({"provider": "auto", "model": "claude-sonnet-5"}, MOCK, "mock", "claude-sonnet-5"),
    ({"provider": "openai", "model": "gpt-4o"}, MOCK, "openai", "gpt-4o"),
    ({"model": "gpt-4o"}, {"LLM_PROVIDER": "groq"}, "groq", "gpt-4o"),
    ({"provider": "auto", "model": "gpt-4o"}, {"LLM_PROVIDER": "groq"}, "openai", "gpt-4o"),
    ({"model_tier": "small"}, {}, "openrouter", "google/gemma-4-26b-a4b-it"),
    ({}, {"HARN_LLM_MODEL": "gpt-4o"}, "openai", "gpt-4o"),
    ({}, {"HARN_DEFAULT_PROVIDER": "openai"}, "openai", "gpt-4o-mini"),
    ({"provider": "local"}, {"LOCAL_LLM_MODEL": "mine"}, "local", "mine"),
    ({"provider": "mock"}, {}, "mock", "mock"),
    ({}, {}, "anthropic", "claude-sonnet-4-6"),
]


@pytest.mark.parametrize(("options", "env", "provider", "model"), ROUTES)
def test_routes(options, env, provider, model):
    route = build_request("p", None, options, env).route
    assert (route.provider.name, route.model) == (provider, model)


def test_unknown_provider_and_missing_model():
    assert refused({"provider": "nope"})["message"].startswith("Unknown provider `nope`; known providers: anthropic,")
    assert "mistral-large-2512" in refused({"provider": "mistral"})["message"]


def test_missing_key(run_harn):
    ran = run_harn(
        'println(try { llm_call("x", nil, {model: "gpt-4o"}) } catch (e) { [e.reason, e.origin, e.message] })', env={}
    )
    assert ran.out == (
        "[auth_failure, local, Missing API key: set OPENAI_API_KEY environment variable (provider 'openai' selected "
        "via model `gpt-4o`; set HARN_LLM_PROVIDER=mock or LLM_PROVIDER=mock for offline use)]\n"
    )


def test_calls_can_be_switched_off(run_harn):
    env = {"HARN_LLM_CALLS_DISABLED": "true", "OPENAI_API_KEY": "k"}
    text = 'llm_call_safe("x", nil, {provider: "P"})'
    ran = run_harn(
        f"println({text.replace('P', 'openai')}.error.message)\nprintln({text.replace('P', 'mock')}.ok)", env=env
    )
    assert ran.out == (
        "LLM calls are disabled by HARN_LLM_CALLS_DISABLED; provider `openai` would make a real LLM request\ntrue\n"
    )


@pytest.mark.parametrize("option", ["cache: 3", 'cache: "5m"', 'repair: "yes"', "schema_recover: 1"])
def test_switches_of_the_wrong_type_send_nothing(run_harn, option):
    name = option.partition(":")[0]
    ran = run_harn(
        f'println(llm_call_safe("x", nil, {{provider: "mock", {option}}}).error.message)\n'
        "println(llm_mock_calls().count())",
        env={},
    )
    assert ran.out.startswith(f"llm_call: invalid `{name}`: expected a bool")
    assert ran.out.endswith("\n0\n")
