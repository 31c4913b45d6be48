"""Whatever a script or a file holds, it is taken or refused with an error of the language, never with a fault."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.errors import HarnError
from harnpy.llm.catalog import Catalog, built_in, built_in_layer
from harnpy.llm.catalog_files import check_layer, parse_overlay
from harnpy.llm.json_values import json_text
from harnpy.llm.models import execution_contract, model_info, resolved_options
from harnpy.llm.options import ACCEPTED
from harnpy.llm.reasoning import apply_reasoning_policy
from harnpy.llm.request import build_request
from harnpy.llm.reviewer import complementary_reviewer
from harnpy.llm.routing import policy_of
from harnpy.llm.schema import schema_errors

SCALAR = st.none() | st.booleans() | st.integers(-9, 2**40) | st.floats() | st.text(max_size=8)
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
SEEDS = st.sampled_from(
    [
        "gpt-4o",
        "sonnet",
        "openai",
        "mock",
        "auto",
        "low",
        "x:y",
        "json",
        "text",
        "native",
        "adaptive",
        "",
        " ",
        "typecheck",
    ]
)
ANY = VALUE | SEEDS
fast = settings(max_examples=60)
slow = settings(max_examples=25)


def survives(work, *arguments):
    try:
        return work(*arguments)
    except HarnError:
        return None


def dicts(keys, values=ANY, size=5):
    return st.dictionaries(st.sampled_from(sorted(keys)) | st.text(max_size=6), values, max_size=size)


@fast
@given(dicts(ACCEPTED), st.booleans())
def test_options(options, gated):
    survives(lambda: build_request("p", None, options, {}, None, gated=gated))
    survives(resolved_options, options, {}, built_in())
    survives(apply_reasoning_policy, options, {}, built_in())


@fast
@given(st.data())
def test_one_option_at_a_time(data):
    key = data.draw(st.sampled_from(sorted(ACCEPTED)))
    survives(lambda: build_request("p", None, {"provider": "mock", key: data.draw(ANY)}, {}))


LINK = st.sampled_from(["openai:gpt-4o"]) | dicts({"provider", "model", "timeout_ms", "label", "region"})
VERIFIER = dicts({"kind", "name", "on_fail", "command", "forbidden_patterns", "max_line_length", "timeout_secs"})
PART = dicts(
    {"on_status", "on_timeout_ms", "on_error_kinds", "max_attempts", "race_after_ms", "per_call_usd", "on_exceed"}
)
CONFIG = st.fixed_dictionaries(
    {"chain": st.lists(LINK, max_size=3) | ANY},
    optional={
        "failover": PART | ANY, "latency": PART | ANY, "budget": PART | ANY, "observe": ANY, "label": ANY,
        "escalate_on": st.lists(VERIFIER, max_size=2) | ANY, "max_refines_per_link": ANY,
    },
)  # fmt: skip


@fast
@given(CONFIG | ANY)
def test_policies(config):
    policy = survives(policy_of, config)
    if policy is not None:
        assert policy.value(0)["chain"]
        policy.eligible({"status": 503, "category": "overloaded"})


TABLES = (
    "providers", "aliases", "models", "patch", "suppress", "inference_rules", "model_ladders", "tier_defaults",
    "tier_rules", "model_defaults", "qc_defaults", "provider_defaults", "model_roles", "provider", "default_provider",
)  # fmt: skip
ROW = dicts(
    {"id", "provider", "model", "steps", "pricing", "pattern", "tier", "base_url", "auth_env", "context_window"}
)


@slow
@given(st.dictionaries(st.sampled_from(TABLES), dicts({"gpt-4o", "x", "models"}, ROW | ANY, 3) | st.lists(ROW) | ANY))
def test_overlays(layer):
    try:
        check_layer("here", layer)
    except HarnError:
        return
    catalog = Catalog([built_in_layer(), layer])
    for name in ("gpt-4o", "x", "sonnet"):
        survives(model_info, name, {}, catalog)
        survives(execution_contract, name, {}, catalog)
        survives(complementary_reviewer, {"model": name}, {}, catalog)
        survives(lambda name=name: build_request("p", None, {"model": name}, {}, catalog))


@fast
@given(st.text(alphabet="[]{}=\"'.#,\n models.provider aliases1x-", max_size=80))
def test_texts_of_overlays(text):
    survives(parse_overlay, "file.toml", text)


@fast
@given(ANY, dicts({"type", "properties", "required", "items", "enum", "const", "anyOf", "$ref", "pattern"}))
def test_schemas(value, schema):
    schema_errors(value, schema)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "assistant", "content": "", "tool_calls": 5}, "messages[0].tool_calls: expected a list of dicts"),
        ({"role": "assistant", "content": "", "tool_calls": ["a"]}, "messages[0].tool_calls: expected a list of dicts"),
        ({"role": "assistant", "content": "", "tool_calls": [{"id": "c"}]}, "tool_calls[0]: a call needs a `name`"),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "f"}]},
            "tool_calls[0]: a call needs a `name`",
        ),
        ({"role": "assistant", "content": "", "thinking_blocks": True}, "thinking_blocks: expected a list of dicts"),
        ({"role": "tool", "content": "", "tool_call_id": ["c"]}, "tool_call_id: expected a string, got list"),
        (
            {"role": "user", "content": [{"type": "note", "text": ["a"]}]},
            "content[0].text: expected a string, got list",
        ),
        (
            {"role": "user", "content": {"type": "image", "url": False, "media_type": "image/png"}},
            "image content: `url` must be a non-empty string",
        ),
        (
            {"role": "user", "content": {"type": "pdf", "base64": ["x"]}},
            "pdf content: `base64` must be a non-empty string",
        ),
    ],
)
@pytest.mark.parametrize("provider", ["anthropic", "gemini", "ollama", "openai"])
def test_messages_that_no_wire_can_send_are_refused(message, said, provider):
    with pytest.raises(HarnError) as refused:
        build_request("", None, {"provider": provider, "model": "m", "messages": [message]}, {}, gated=False)
    assert said in refused.value.value


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"properties": ["a"]}, "`parameters.properties` must be a dict, got list"),
        ({"properties": {}, "required": 5}, "`parameters.required` must be a list of strings"),
        ({"properties": {}, "required": [["a"]]}, "`parameters.required` must be a list of strings"),
    ],
)
def test_parameters_of_a_tool_in_json_schema_have_its_form(schema, said):
    tool = {"name": "t", "parameters": {"type": "object", **schema}}
    with pytest.raises(HarnError) as refused:
        build_request("", None, {"provider": "mock", "tools": [tool]}, {})
    assert refused.value.value == f'tools[0] ("t"): {said}'


def test_globs_of_capability_rows_are_texts():
    with pytest.raises(HarnError, match="expected a glob or a list of globs"):
        parse_overlay("rows", "[[provider.x]]\nmatch = [5]")


def test_arguments_of_a_call_that_json_has_no_form_for_become_null():
    assert json_text({"a": b"x", "b": [1, object()]}) == '{"a": null, "b": [1, null]}'
