"""``api_mode: "responses"``: requests field by field, replies, streams and what has no place there (llm 2.3)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from responses_wire import RESPONSES
from stub import Answer, Stub
from test_llm_wire_fuzz import ODD, changed, places
from wires import KEY

from harnpy.errors import HarnError
from harnpy.llm.providers.openai_responses import StreamReader, build_body, read_reply
from harnpy.llm.request import build_request

_TOOL = {"name": "t", "description": "d", "parameters": {"a": "int"}}
_SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def _request(options: dict, model: str = "m", system: str | None = None):
    given = {"provider": "openai", "model": model, "api_mode": "responses", "tool_format": "native", **options}
    return build_request("p", system, given, {})


def _body(options: dict, model: str = "m", system: str | None = None, *, stream: bool = False) -> dict:
    return build_body(_request(options, model, system), stream=stream)


def test_the_golden_request():
    options = {
        "max_tokens": 9, "temperature": 0.5, "top_p": 0.9, "parallel_tool_calls": False, "tools": [_TOOL],
        "tool_choice": {"name": "t"}, "verbosity": "low", "store": False, "previous_response_id": "resp_0",
        "truncation": "auto", "include": ["reasoning.encrypted_content"], "max_tool_calls": 3, "logprobs": {"top": 2},
        "provider_tools": [{"type": "web_search"}], "output": _SCHEMA,
        "provider_options": {"openai": {"metadata": {"k": "v"}}},
    }  # fmt: skip
    assert _body(options, system="s", stream=True) == {
        "model": "m",
        "input": [{"role": "user", "content": "p"}],
        "instructions": "s",
        "max_output_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "parallel_tool_calls": False,
        "store": False,
        "previous_response_id": "resp_0",
        "truncation": "auto",
        "max_tool_calls": 3,
        "top_logprobs": 2,
        "include": ["reasoning.encrypted_content", "message.output_text.logprobs"],
        "text": {
            "verbosity": "low",
            "format": {"type": "json_schema", "name": "response", "schema": _SCHEMA, "strict": True},
        },
        "tools": [
            {"type": "function", "name": "t", "description": "d", "parameters": _SCHEMA, "strict": False},
            {"type": "web_search"},
        ],
        "tool_choice": {"type": "function", "name": "t"},
        "stream": True,
        "metadata": {"k": "v"},
    }


def test_the_least_request():
    assert _body({}) == {"model": "m", "input": [{"role": "user", "content": "p"}], "max_output_tokens": 16384}


@pytest.mark.parametrize("choice", ["auto", "none", "required"])
def test_words_of_tool_choice(choice):
    assert _body({"tools": [_TOOL], "tool_choice": choice})["tool_choice"] == choice


def test_effort_json_and_search():
    assert _body({"effort": "high"}, "gpt-5.5")["reasoning"] == {"effort": "high"}
    assert _body({"output": "json"})["text"] == {"format": {"type": "json_object"}}
    tools = _body({"tools": [{**_TOOL, "defer_loading": True}], "tool_search": True}, "gpt-5.5")["tools"]
    assert [tools[0], tools[1]["defer_loading"]] == [{"type": "tool_search", "mode": "hosted"}, True]


def test_the_conversation():
    image = {"type": "image", "base64": "QUJD", "media_type": "image/png"}
    reasoning = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}
    call = {"id": "c1", "name": "t", "arguments": {"a": 1}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "see"}, image, {"type": "pdf", "base64": "QQ=="}]},
        {"role": "assistant", "content": "hm", "tool_calls": [call], "thinking_blocks": [reasoning]},
        {"role": "tool_result", "tool_call_id": "c1", "content": [{"type": "text", "text": "3"}]},
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "document", "file_id": "file_1"}]},
    ]
    assert _body({"messages": messages})["input"] == [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "see"},
                {"type": "input_image", "image_url": "data:image/png;base64,QUJD", "detail": "auto"},
                {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,QQ=="},
            ],
        },
        reasoning,
        {"role": "assistant", "content": [{"type": "output_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "c1", "name": "t", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "3"},
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "input_file", "file_id": "file_1"}]},
    ]


_NO_PLACE = [
    {"stop": "x"}, {"seed": 1}, {"top_k": 1}, {"frequency_penalty": 0.5}, {"logit_bias": []}, {"prefill": "x"},
    {"prediction": {"content": "x"}},
]  # fmt: skip


@pytest.mark.parametrize("option", _NO_PLACE, ids=lambda option: next(iter(option)))
def test_what_has_no_place_is_refused(option):
    with pytest.raises(HarnError) as caught:
        _request(option)
    name = next(iter(option))
    assert caught.value.value.startswith(f"option `{name}` is not supported by `m` (provider `openai`)")


@pytest.mark.parametrize("option", ["background", "compact"])
def test_what_is_not_built_is_refused_by_name(option):
    with pytest.raises(HarnError) as caught:
        _request({option: True})
    assert caught.value.value == f"llm_call: option `{option}`: not implemented in this version"


@pytest.mark.parametrize("option", [{"store": False}, {"previous_response_id": "r"}, {"max_tool_calls": 1}])
def test_its_options_are_refused_elsewhere(option):
    with pytest.raises(HarnError) as caught:
        build_request("p", None, {"model": "gpt-4o", **option}, {})
    assert "is not supported by `gpt-4o`" in caught.value.value


def test_other_providers_have_no_such_mode():
    with pytest.raises(HarnError) as caught:
        build_request("p", None, {"provider": "groq", "model": "m", "api_mode": "responses"}, {})
    assert caught.value.value == 'api_mode: "responses" is only supported by provider "openai"; got provider "groq"'


@pytest.fixture
def answered(asked):
    """Give ``answered(url, options) -> result`` of a call with ``api_mode: "responses"``."""

    def run(url: str, options: str = "{}"):
        return asked(RESPONSES, url, f'{{api_mode: "responses"}} + {options}')

    return run


_CALLS = [("c1", "add", {"a": 1}), ("c2", "look", {})]


@pytest.mark.parametrize("how", ["whole", "streamed", "dripped"])
def test_a_reply(answered, how):
    wire = RESPONSES
    answer = {
        "whole": wire.whole("Hé🙂", calls=_CALLS, thinking="hmm"),
        "streamed": wire.stream("Hé", "🙂", calls=_CALLS, thinking="hmm"),
        "dripped": wire.streamed(wire.events(["Hé", "🙂"], calls=_CALLS, thinking="hmm"), drip=(1, 0)),
    }[how]
    with Stub(answer) as server:
        response = answered(server.url, f"{{stream: {json.dumps(how != 'whole')}}}")["response"]
    asked = server.requests[0]
    assert (asked.method, asked.path, asked.headers["authorization"]) == ("POST", "/v1/responses", f"Bearer {KEY}")
    assert asked.json.get("stream", False) is (how != "whole")
    assert (response["text"], response["thinking"], response["stop_reason"]) == ("Hé🙂", "hmm", "completed")
    assert [(c["id"], c["name"], c["arguments"]) for c in response["tool_calls"]] == _CALLS
    assert (response["outcome"]["kind"], response["provider_response_id"]) == ("tool_use", "resp_1")
    assert (response["usage"]["input_tokens"], response["usage"]["output_tokens"]) == (3, 2)
    assert response["thinking_blocks"][0]["encrypted_content"] == "sealed=="


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(("stop", "kind"), [("max_output_tokens", "truncated"), ("content_filter", "refused")])
def test_an_incomplete_reply(answered, streamed, stop, kind):
    answer = RESPONSES.stream("some", stop=stop) if streamed else RESPONSES.whole("some", stop=stop)
    with Stub(answer) as server:
        response = answered(server.url, f"{{stream: {json.dumps(streamed)}}}")["response"]
    assert (response["stop_reason"], response["outcome"]["kind"]) == (stop, kind)


def test_nothing_for_the_output_limit_is_an_error(answered):
    with Stub(RESPONSES.whole("", stop="max_output_tokens")) as server:
        error = answered(server.url)["error"]
    assert (error["reason"], len(server.requests)) == ("output_budget_exhausted", 1)


@pytest.mark.parametrize("body", ["{}", "null", "", '{"output": []}', '{"output": [{"type": "message"}]}'])
def test_nothing_is_asked_once_more(answered, body):
    void = Answer(200, body, {"content-type": "application/json"})
    with Stub(void, RESPONSES.whole("ok")) as server:
        response = answered(server.url)["response"]
    assert (response["text"], response["usage"]["provider_attempts"]["empty_completion"]) == ("ok", 1)


def test_a_refusal(answered):
    item = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "refusal", "refusal": "I won't."}]}
    with Stub(Answer(200, RESPONSES.response([item]))) as server:
        response = answered(server.url, "{stream: false}")["response"]
    assert (response["text"], response["outcome"]["kind"]) == ("I won't.", "refused")


@pytest.mark.parametrize("streamed", [True, False])
def test_a_failed_response_is_an_error(answered, streamed):
    fault = {"code": "server_error", "message": "the model broke"}
    failed = {**RESPONSES.response([]), "status": "failed", "error": fault}
    answer = Answer(200, failed)
    if streamed:
        answer = RESPONSES.streamed(
            [*RESPONSES.events(["He"])[:5], RESPONSES._named("response.failed", response=failed)]
        )
    with Stub(answer) as server:
        error = answered(server.url)["error"]
    assert (error["reason"], error["kind"]) == ("server_error", "transient")
    assert "the model broke" in error["message"]


def test_a_summary_and_cached_tokens(answered):
    output = RESPONSES.output(["x"], summary="short")
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 1, "total_tokens": 11}
    with Stub(Answer(200, RESPONSES.response(output, usage=usage))) as server:
        response = answered(server.url, "{stream: false}")["response"]
    assert (response["thinking_summary"], response["usage"]["cache_read_tokens"]) == ("short", 4)
    assert response["usage"]["reported_total_tokens"] == 11


def test_reasoning_that_nobody_keeps_is_not_sent_back(answered):
    output = RESPONSES.output(["x"], thinking="hmm")
    del output[0]["encrypted_content"]
    with Stub(Answer(200, RESPONSES.response(output))) as server:
        assert "thinking_blocks" not in answered(server.url, "{stream: false, store: false}")["response"]
        assert answered(server.url, "{stream: false}")["response"]["thinking_blocks"][0]["id"] == "rs_1"


def test_a_tool_turn_and_a_stored_turn(run_harn):
    program = """
const options = {model: "gpt-4o", api_mode: "responses", tools: [{name: "add", parameters: {a: "int"}}]}
const first = llm_call("Add.", nil, options)
const answer = {role: "tool_result", tool_call_id: first.tool_calls[0].id, content: "2"}
println(llm_call("", nil, options + {messages: first.transcript.messages + [answer]}).text)
println(llm_call("", nil, options + {messages: [answer], previous_response_id: first.provider_response_id}).text)
"""
    wire = RESPONSES
    with Stub(wire.stream(calls=_CALLS[:1]), wire.stream("two"), wire.stream("again")) as server:
        ran = run_harn(program, env=wire.environment(server.url))
    assert (ran.out, ran.err) == ("two\nagain\n", "")
    whole, stored = server.requests[1].json, server.requests[2].json
    result = {"type": "function_call_output", "call_id": "c1", "output": "2"}
    assert [item.get("type", item.get("role")) for item in whole["input"]] == ["user", "function_call", result["type"]]
    assert (stored["input"], stored["previous_response_id"]) == ([result], "resp_1")


def test_pieces_of_a_public_stream(run_harn):
    call = 'llm_stream_call("x", nil, {model: "gpt-4o", api_mode: "responses"})'
    program = f"for c in {call} {{ println([c.delta, c.stop_reason]) }}"
    with Stub(RESPONSES.stream("He", "llo")) as server:
        ran = run_harn(program, env=RESPONSES.environment(server.url))
    assert ran.out == "[He, nil]\n[llo, nil]\n[, completed]\n"


def test_an_agent_works_through_it(run_harn):
    program = """
fn main(harness: Harness) {
  const add = {name: "add", description: "Adds.", parameters: {a: "int"}, handler: { args -> "sum ${args.a + 1}" }}
  const opts = {model: "gpt-4o", api_mode: "responses", tools: [add]}
  println(agent_loop(harness, "Add.", nil, opts).text)
}
"""
    with Stub(RESPONSES.stream(calls=_CALLS[:1], thinking="hmm"), RESPONSES.stream("2")) as server:
        ran = run_harn(program, env=RESPONSES.environment(server.url))
    assert (ran.out, ran.err) == ("2\n", "")
    kinds = [item.get("type", item.get("role")) for item in server.requests[1].json["input"]]
    assert kinds == ["user", "reasoning", "function_call", "function_call_output"]


_EVENTS = [
    json.loads(e.decode().partition("data: ")[2]) for e in RESPONSES.events(["te", "xt"], calls=_CALLS, thinking="h")
]


@settings(max_examples=150)
@given(st.data())
def test_odd_replies_do_no_harm(data):
    body = RESPONSES.whole_body("text", calls=_CALLS, thinking="hmm")
    for _ in range(data.draw(st.integers(1, 3))):
        body = changed(body, data.draw(st.sampled_from(places(body))), data.draw(ODD))
    reply = read_reply(_request({}), body)
    assert reply is None or isinstance(reply.text, str)


@settings(max_examples=150)
@given(st.data())
def test_odd_events_do_no_harm(data):
    reader = StreamReader(_request({}))
    for event in _EVENTS:
        odd = event
        if data.draw(st.booleans()):
            odd = changed(event, data.draw(st.sampled_from(places(event))), data.draw(ODD))
        assert isinstance(reader.feed(odd), str)
    assert isinstance(reader.reply().text, str)
