"""Structured answers that are given up while they arrive (llm 3.3): the guard itself, and over loopback servers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stub import Stub
from wires import Anthropic, Gemini, Ollama, OpenAi, _event

from harnpy.llm.schema import schema_errors
from harnpy.llm.schema_stream import SchemaGuard

_WORDS = st.sampled_from(["a", "bb", "ccc", 'q"\\', "ü☃"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(-2, 2, allow_nan=False) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=8,
)
_TYPES = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"])
_LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=2),
        "enum": st.lists(_VALUES, min_size=1, max_size=2),
        "nullable": st.just(True),
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "minimum": st.integers(-2, 4),
        "maxItems": st.integers(0, 2),
        "minItems": st.integers(0, 2),
        "required": st.lists(_WORDS, max_size=2),
        "additionalProperties": st.booleans(),
    },
)
_SCHEMAS = st.recursive(
    _LEAVES,
    lambda inner: st.builds(
        lambda base, more: {**base, **more},
        _LEAVES,
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(_WORDS, inner, max_size=3),
                "items": inner,
                "anyOf": st.lists(inner, min_size=1, max_size=2),
                "additionalProperties": inner,
            },
        ),
    ),
    max_leaves=5,
)


def _fed(schema, text: str, size: int):
    guard = SchemaGuard(schema)
    found = None
    for at in range(0, len(text), size):
        found = guard.feed(text[at : at + size])
        if found is not None:
            break
    return found


@given(
    _SCHEMAS,
    st.lists(_VALUES, max_size=3) | st.dictionaries(_WORDS, _VALUES, max_size=3),
    st.integers(1, 9),
    st.booleans(),
)
def test_the_guard_finds_what_the_whole_answer_breaks_and_nothing_else(schema, value, size, escaped):
    found = _fed(schema, json.dumps(value, ensure_ascii=escaped), size)
    errors = schema_errors(value, schema)
    assert (found is not None) == bool(errors), (found, errors)


@given(_SCHEMAS, st.text(alphabet='{}[]",:truefalsn0123456789.eE+- \\u"', max_size=30), st.integers(1, 5))
def test_any_text_is_taken(schema, text, size):
    found = _fed(schema, text, size)
    if found is not None:
        assert found.kind in ("invalid_json", "wrong_type", "missing_required", "unexpected_property", "max_length",
                              "min_length", "constraint_violation")  # fmt: skip


@given(st.text(alphabet='{}[]",:truefalsn0123456789.eE+- \\u"', max_size=30))
def test_what_is_json_is_never_called_broken(text):
    found = _fed({}, text, 1)
    try:
        json.loads(text)
    except ValueError:
        return
    assert found is None


_SCHEMA = '{type: "object", required: ["stars"], properties: {stars: {type: "integer"}, note: {type: "string"}}}'
_BAD = ['{"stars":', ' "three"', ', "note": "', "and so on", '"}']
_GOOD = ['{"stars"', ": 3}"]


class _AnthropicTool(Anthropic):
    """The structured answer of this wire is the input of a tool."""

    def events(self, pieces, incoming=3, outgoing=2, **_):
        message = {**self.whole_body("", incoming, 1), "stop_reason": None}
        block = {"type": "tool_use", "id": "t1", "name": "json_response", "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        events = [_event({"type": "message_start", "message": message}), *self._block(0, block, *deltas)]
        end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": outgoing}}
        return [*events, _event(end), _event({"type": "message_stop"})]


_WIRES = (OpenAi(), _AnthropicTool(), Gemini(), Ollama())


@pytest.mark.parametrize("wire", _WIRES, ids=lambda wire: wire.name)
def test_a_broken_answer_is_given_up_and_asked_again(asked, wire):
    with Stub(wire.stream(*_BAD), wire.stream(*_GOOD)) as server:
        result = asked(wire, server.url, f'{{output: {_SCHEMA}, capabilities: {{structured_output: "native"}}}}')
        closed = server.all_closed
    assert result["response"]["data"] == {"stars": 3}
    assert result["response"]["usage"]["provider_call_count"] == 2
    assert len(server.requests) == 2
    assert "streaming response aborted at stars" in json.dumps(server.requests[1].json)
    assert closed is not None


@pytest.mark.parametrize("wire", _WIRES, ids=lambda wire: wire.name)
def test_the_rest_of_a_broken_answer_is_not_waited_for(asked, wire):
    slow = wire.streamed([*wire.events(_BAD)[:4]], cut_after=None)
    slow.headers["content-length"] = "1000000"  # the rest never comes
    options = f'{{schema_retries: 0, output: {{schema: {_SCHEMA}, validation: "error"}}}}'
    with Stub(slow) as server:
        error = asked(wire, server.url, options)["error"]
        assert server.all_closed()
    assert (error["category"], error["schema_failure"]["kind"], error["kind"]) == (
        "schema_stream_aborted", "wrong_type", "terminal",
    )  # fmt: skip
    assert error["partial"] is None or error["partial"].startswith('{"stars": "three"')
    assert error["schema_retry"] == {"attempts": 1, "budget": 0, "status": "disabled"}


def test_a_policy_goes_on_after_a_broken_answer(run_harn):
    wire = OpenAi()
    program = f"""
const p = routing_policy({{chain: ["openai:a", "openai:b"], failover: {{on_error_kinds: ["schema_validation"]}}}})
const r = llm_call("x", nil, {{routing: p, schema_retries: 0, output: {{schema: {_SCHEMA}, validation: "error"}}}})
println([r.data, r.routing.attempts.map({{ it -> it.status }})])
"""
    with Stub(wire.stream(*_BAD), wire.stream(*_GOOD)) as server:
        ran = run_harn(program, env=wire.environment(server.url))
    assert (ran.out, ran.err) == ("[{stars: 3}, [failed, succeeded]]\n", "")


def test_a_reader_of_the_stream_sees_the_whole_answer(run_harn):
    wire = OpenAi()
    program = f"""
let text = ""
for chunk in llm_stream_call("x", nil, {{model: "gpt-4o", output: {_SCHEMA}}}) {{ text = text + chunk.delta }}
println(text)
"""
    with Stub(wire.stream(*_BAD)) as server:
        ran = run_harn(program, env=wire.environment(server.url))
    assert (ran.out, ran.err) == ("".join(_BAD) + "\n", "")


def test_an_answer_tool_that_was_cut_gives_its_text_as_it_came(asked):
    wire = _AnthropicTool()
    options = f"{{schema_retries: 0, output: {_SCHEMA}}}"
    with Stub(wire.stream('{"stars": 3, "note": "an')) as server:
        response = asked(wire, server.url, options)["response"]
    assert (response["raw_text"], response.get("data")) == ('{"stars": 3, "note": "an', None)
