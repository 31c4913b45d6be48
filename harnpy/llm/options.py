"""The closed set of call options: accepted keys with their rules, removed keys with their advice (llm 2.3-2.5)."""

from __future__ import annotations

from harnpy.errors import HarnError, thrown_text
from harnpy.llm.kinds import kind_of
from harnpy.llm.spelling import close_to
from harnpy.llm.tool_search import search_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from harnpy.llm.catalog import Catalog

    # Gives what is wrong with a value, or None.
    Rule = Callable[[Any], str | None]

_REFERENCE = "See docs/llm/llm_call.md for the option reference."


def is_number(value: Any) -> bool:
    """Tell whether ``value`` is a finite int or float."""
    return type(value) is int or (type(value) is float and value - value == 0.0)


def _anything(_value: Any) -> str | None:
    return None


def _kind(kind: type, words: str) -> Rule:
    def rule(value: Any) -> str | None:
        return None if type(value) is kind else f"expected {words}, got {kind_of(value)}"

    return rule


def _within(low: float, high: float) -> Rule:
    def rule(value: Any) -> str | None:
        good = is_number(value) and low <= value <= high
        return None if good else f"must be finite and within {low:g}..={high:g}"

    return rule


def _whole(low: int, detail: str) -> Rule:
    def rule(value: Any) -> str | None:
        if type(value) is not int:
            return f"expected an integer, got {kind_of(value)}"
        return None if value >= low else detail

    return rule


def _positive_number(value: Any) -> str | None:
    return None if is_number(value) and value > 0 else "must be finite and positive"


def _one_of(words: tuple[str, ...], detail: str) -> Rule:
    def rule(value: Any) -> str | None:
        return None if value in words and type(value) is str else detail

    return rule


def _stop(value: Any) -> str | None:
    if type(value) is str or (type(value) is list and all(type(item) is str for item in value)):
        return None
    return "expected a string or a list of strings"


def _flag_or_dict(value: Any) -> str | None:
    return None if type(value) in (bool, dict) else f"expected a bool or a dict, got {kind_of(value)}"


def _closed_dict(value: dict[str, Any], fields: Iterable[str]) -> str | None:
    unknown = next((name for name in sorted(value) if name not in fields), None)
    return None if unknown is None else f"unknown field `{unknown}`{close_to(unknown, fields)}"


def _list_of(kind: type, words: str) -> Rule:
    def rule(value: Any) -> str | None:
        good = type(value) is list and all(type(item) is kind for item in value)
        return None if good else f"expected {words}"

    return rule


def _nudge(value: Any) -> str | None:
    return None if type(value) in (bool, str) else f"expected a bool or a string, got {kind_of(value)}"


def _repair(value: Any) -> str | None:
    if type(value) is not dict:
        return _flag_or_dict(value)
    if type(value.get("enabled", True)) is not bool:
        return f"`enabled` must be a bool, got {kind_of(value['enabled'])}"
    return _closed_dict(value, ("enabled", *ACCEPTED))


def _cache(value: Any) -> str | None:
    if type(value) is not dict:
        return _flag_or_dict(value)
    if type(value.get("enabled", True)) is not bool:
        return f"`enabled` must be a bool, got {kind_of(value['enabled'])}"
    if value.get("ttl") not in (None, *_TTLS):
        return '`ttl` must be "5m" or "1h"'
    return _closed_dict(value, ("enabled", "ttl"))


def _logprobs(value: Any) -> str | None:
    if type(value) is bool:
        return None
    if type(value) is not dict:
        return "expected a bool or {top: 0..=20}"
    top = value.get("top")
    if top is not None and not (type(top) is int and 0 <= top <= 20):
        return "`top` must be 0..=20"
    return _closed_dict(value, ("top",))


def _logit_bias(value: Any) -> str | None:
    good = type(value) is list and all(
        type(item) is dict and set(item) == {"token", "bias"} and is_number(item["bias"]) for item in value
    )
    return None if good else "expected a list of {token, bias}"


def _prediction(value: Any) -> str | None:
    if type(value) is dict and type(value.get("content")) is str and value["content"]:
        return _closed_dict(value, ("content",))
    return "expected {content: <non-empty string>}"


def _mirostat(value: Any) -> str | None:
    if type(value) is not dict or value.get("version") not in (1, 2):
        return "expected {version: 1 | 2, target_entropy?, learning_rate?}"
    entropy, rate = value.get("target_entropy", 5.0), value.get("learning_rate", 0.1)
    if not (is_number(entropy) and is_number(rate) and entropy > 0 and 0 < rate <= 1):
        return "must be finite and positive"
    return _closed_dict(value, ("version", "target_entropy", "learning_rate"))


_string = _kind(str, "a string")
_flag = _kind(bool, "a bool")
_dict = _kind(dict, "a dict")
_list = _kind(list, "a list")
_positive = _whole(1, "must be positive")
_non_negative = _whole(0, "must be non-negative")

_strings = _list_of(str, "a list of strings")
_dicts = _list_of(dict, "a list of dicts")
_truncation = _one_of(("auto", "disabled"), 'expected "auto" or "disabled"')
_TTLS = ("5m", "1h")

ACCEPTED: dict[str, Rule] = {
    # routing and identity
    "model": _string, "provider": _string, "model_tier": _string, "model_role": _string, "api_mode": _anything,
    "routing": _anything, "models": _list, "ladder": _string, "equivalent_failover": _anything,
    "route_policy": _anything, "fallback_chain": _anything, "capabilities": _dict, "session_id": _string,
    "call_role": _string, "mock_scope": _string, "rate_limit_consumer_id": _string, "context_profile": _anything,
    "metadata": _anything, "reminders": _anything, "structural_experiment": _anything,
    # conversation
    "system": _anything, "messages": _list, "prefill": _string,
    # generation
    "max_tokens": _positive, "temperature": _within(0, 2), "top_p": _within(0, 1), "top_k": _non_negative,
    "min_p": _within(0, 1), "repetition_penalty": _positive_number, "frequency_penalty": _within(-2, 2),
    "presence_penalty": _within(-2, 2), "seed": _kind(int, "an integer"), "stop": _stop, "stop_at_tool_call": _flag,
    "logprobs": _logprobs, "logit_bias": _logit_bias, "prediction": _prediction,
    "verbosity": _one_of(("low", "medium", "high"), "expected `low`, `medium`, or `high`"), "mirostat": _mirostat,
    "parallel_tool_calls": _flag,
    # output, reasoning, tools
    "output": _anything, "schema_retries": _non_negative, "schema_retry_nudge": _nudge, "retries": _non_negative,
    "schema_recover": _flag, "repair": _repair, "thinking": _anything, "effort": _anything,
    "interleaved_thinking": _flag, "anthropic_beta_features": _strings, "reasoning_policy": _anything,
    "reasoning_scale": _anything, "reasoning_task": _anything, "vision": _flag, "audio": _flag, "pdf": _flag,
    "video": _flag, "tools": _anything, "provider_tools": _dicts, "tool_choice": _anything, "tool_format": _string,
    "tool_format_override_reason": _string, "tool_search": search_fault,
    # cache, transport, accounting
    "cache": _cache, "prompt_cache_ttl": _one_of(_TTLS, 'expected "5m" or "1h"'), "timeout_ms": _positive,
    "idle_timeout_ms": _positive, "stream": _flag,
    "speed": _one_of(("standard", "fast"), "expected `standard` or `fast`"), "budget": _anything, "store": _flag,
    "previous_response_id": _string, "background": _flag, "truncation": _truncation, "compact": _anything,
    "include": _strings, "max_tool_calls": _positive, "provider_options": _dict, "operation_timeout_ms": _positive,
}  # fmt: skip

_OUTPUT = "use `output` (a schema value, or {schema, strict?, validation?, stream_abort?})"
_BEFORE = 'use `system: [{content, position: "before"}, ...]`'
_AFTER = 'use `system: [{content, position: "after"}, ...]`'
_PREFERENCE = 'use `route_policy: {mode: "preference_list", targets, strategy}`'
_RETRY = "wrap the caller instead: `with_retry(default_llm_caller(), {max_attempts: K + 1})` from std/llm/handlers"

REMOVED: dict[str, str] = {
    "schema": _OUTPUT, "json_schema": _OUTPUT, "output_schema": "use `output` (a schema value, or {schema, ...})",
    "output_format": 'use `output` ("json" | schema value | {schema, ...})',
    "response_format": 'use `output: "json"` or `output: <schema>`',
    "output_validation": "use `output: {schema, validation: ...}`",
    "schema_stream_abort": "use `output: {schema, stream_abort: ...}`",
    "system_preamble": _BEFORE, "system_prefix": _BEFORE, "system_context": _BEFORE,
    "system_appendix": _AFTER, "system_suffix": _AFTER,
    "system_prompt_parts": "use `system: [...]` (the fragment list directly)",
    "llm_repair": "use `repair`", "caps": "use `capabilities`", "project_context_profile": "use `context_profile`",
    "api": "use `api_mode`", "role": "use `model_role`",
    "prefer": _PREFERENCE, "fallback_strategy": _PREFERENCE, "strategy": _PREFERENCE,
    "model_ladder": "use `models` (inline steps) or `ladder` (named catalog ladder)",
    "budget_usd": "use `budget: {max_cost_usd: ...}` (or a bare number for the same)",
    "reasoning_effort": "use `effort`", "thinking_policy": "use `reasoning_policy`",
    "problem_scale": "use `reasoning_scale`", "task": "use `reasoning_task`", "task_kind": "use `reasoning_task`",
    "hosted_tools": "use `provider_tools`", "response_store": "use `store`", "responses_store": "use `store`",
    "timeout": "use `timeout_ms` (milliseconds)", "idle_timeout": "use `idle_timeout_ms` (milliseconds)",
    "fast": 'use `speed: "fast"`', "dispatch_provenance": "internal: resolvers set `_dispatch_provenance`",
    "transcript": "open or resume a session with agent_session_open(id) and pass `session_id: id`",
    "llm_retries": _RETRY, "llm_backoff_ms": _RETRY, "top_logprobs": "use `logprobs: {top: N}`",
}  # fmt: skip

# A provider's name as a key: its options go into ``provider_options``.
_PROVIDER_NAMES = """
    anthropic openai openrouter together groq cerebras deepseek fireworks huggingface local mlx vllm tgi dashscope
    gemini azure_openai bedrock ollama vertex mock fake
""".split()
for _name in _PROVIDER_NAMES:
    REMOVED[_name] = f"use `provider_options: {{{_name}: {{...}}}}`"

# Native spellings of first-class controls, with the portable option (llm 2.4).
_NATIVE_SPELLINGS: dict[str, str] = {
    "max_tokens": "max_tokens", "max_completion_tokens": "max_tokens", "maxOutputTokens": "max_tokens",
    "num_predict": "max_tokens", "temperature": "temperature", "top_p": "top_p", "topP": "top_p", "top_k": "top_k",
    "topK": "top_k", "logprobs": "logprobs", "responseLogprobs": "logprobs", "top_logprobs": "logprobs",
    "logit_bias": "logit_bias", "min_p": "min_p", "repetition_penalty": "repetition_penalty",
    "repeat_penalty": "repetition_penalty", "prediction": "prediction", "verbosity": "verbosity",
    "mirostat": "mirostat", "mirostat_tau": "mirostat", "mirostat_eta": "mirostat", "stop": "stop",
    "stopSequences": "stop", "seed": "seed", "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty", "parallel_tool_calls": "parallel_tool_calls",
    "disable_parallel_tool_use": "parallel_tool_calls",
}  # fmt: skip


def check_keys(options: Mapping[str, Any]) -> None:
    """Refuse the first key, by name, that no call takes."""
    for key in sorted(options):
        if key in REMOVED:
            raise thrown_text(f"llm_call: option `{key}` was removed — {REMOVED[key]}")
        if key not in ACCEPTED and not key.startswith("_"):
            raise _unknown(key)


# What shapes the text that a model writes.
GENERATION = frozenset(
    """
    max_tokens temperature top_p top_k min_p repetition_penalty frequency_penalty presence_penalty seed stop logprobs
    logit_bias prediction verbosity mirostat parallel_tool_calls effort
    """.split()
)


def fault_of(key: str, value: Any) -> str | None:
    """Tell what is wrong with the value of an accepted option."""
    return ACCEPTED[key](value)


def check_values(options: Mapping[str, Any]) -> None:
    """Refuse the first value, by key, that its rule does not accept; nil counts as absent."""
    for key in sorted(options):
        value = options[key]
        rule = ACCEPTED.get(key)
        detail = None if value is None or rule is None else rule(value)
        if detail is not None:
            raise thrown_text(f"llm_call: invalid `{key}`: {detail}")
    _check_provider_options(options.get("provider_options") or {})


def _unknown(key: str) -> HarnError:
    return thrown_text(f"llm_call: unknown option `{key}`{close_to(key, ACCEPTED) or '.'} {_REFERENCE}")


def check_providers(options: Mapping[str, Any], catalog: Catalog) -> None:
    """Refuse ``provider_options`` for a name that no provider has."""
    known = {*catalog.providers, *_PROVIDER_NAMES}
    for name in sorted(options.get("provider_options") or {}):
        if name not in known:
            raise thrown_text(
                f"llm_call: invalid `provider_options`: unknown provider `{name}`{close_to(name, known)} "
                f"(known providers: {', '.join(sorted(catalog.providers))})"
            )


def _check_provider_options(provider_options: dict[str, Any]) -> None:
    for provider in sorted(provider_options):
        own = provider_options[provider]
        if type(own) is not dict:
            raise thrown_text(f"llm_call: invalid `provider_options`: `{provider}` must be a dict, got {kind_of(own)}")
        places = [("", own), ("options.", own.get("options")), ("generationConfig.", own.get("generationConfig"))]
        for prefix, place in places:
            if type(place) is dict:
                _refuse_native(provider, prefix, sorted(place))
        if type(own.get("text")) is dict and "verbosity" in own["text"]:
            _refuse_native(provider, "text.", ["verbosity"])


def _refuse_native(provider: str, prefix: str, keys: list[str]) -> None:
    native = next((key for key in keys if key in _NATIVE_SPELLINGS), None)
    if native is not None:
        portable = _NATIVE_SPELLINGS[native]
        raise thrown_text(
            f"llm_call: provider_options.{provider}.{prefix}{native} is a portable option — use `{portable}` instead"
        )
