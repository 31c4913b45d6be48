"""The shared matrix, wrappers over real servers: timeouts, budgets, breakers, schemas, storms (provider faults)."""

from __future__ import annotations

import json

import pytest
from stub import Answer, Stub
from wires import FORMS, Anthropic

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)


@wires
def test_a_schema_mismatch(ran, wire):
    schema = '{type: "object", required: ["a"], properties: {a: {type: "integer"}}}'
    body = f"""
    const output = {{schema: {schema}, validation: "error"}}
    const r = llm_caller()(call + {{opts: opts + {{output: output, schema_retries: 0}}}})
    show([r.ok, r.status])
    """
    with Stub(wire.whole('{"a": "x"}')) as stub:
        assert ran(wire, stub, body) == [[False, "schema_validation"]]
        assert len(stub.requests) == 1


def limits(wire, body: dict) -> tuple:
    """Where each wire has its token limit and its temperature."""
    if wire.name == "gemini":
        return body["generationConfig"]["maxOutputTokens"], body["generationConfig"]["temperature"]
    if wire.name == "ollama":
        return body["options"]["num_predict"], body["options"]["temperature"]
    return body.get("max_tokens", body.get("max_output_tokens")), body["temperature"]


REPAIR = """
const caller = compose([with_retry, with_repair])(default_llm_caller())
const schema = {type: "object", required: ["a"], properties: {a: {type: "integer"}}}
const asked = {output: {schema: schema, validation: "error"}, schema_retries: 0, max_tokens: 50, temperature: 0.9}
const r = caller(call + {opts: opts + asked})
show([r.ok, r.status, r.repair_attempted, r.value?.data, r.retries_attempted])
"""


def structured(wire, text: str, data: object) -> Answer:
    """A reply to a request with a schema: text, or the tool call in which Anthropic gives data."""
    if isinstance(wire, Anthropic) and data is not None:
        return wire.whole("", calls=[("c1", "json_response", data)], stop="tool_use")
    return wire.whole(text)


BAD_REPLIES = {
    "prose": lambda wire: wire.whole("the answer is a"),
    "wrong type": lambda wire: structured(wire, '{"a": "x"}', {"a": "x"}),
    "missing key": lambda wire: structured(wire, "{}", {}),
    "cut": lambda wire: wire.whole('{"a": '),
}


@wires
@pytest.mark.parametrize("bad", BAD_REPLIES.values(), ids=BAD_REPLIES)
def test_a_repair_is_asked_for_once(ran, wire, bad):
    """With 600 tokens at temperature 0, once, and never by the retry around it."""
    with Stub(bad(wire)) as stub:
        assert ran(wire, stub, REPAIR) == [[False, "schema_validation", True, None, 0]]
        first, repair = [request.json for request in stub.requests]
    assert (limits(wire, first), limits(wire, repair)) == ((50, 0.9), (600, 0.0))
    assert "failed schema validation" in json.dumps(repair)
    assert "failed schema validation" not in json.dumps(first)


@wires
def test_a_repair_that_helps(ran, wire):
    with Stub(wire.whole("the answer is a"), structured(wire, '{"a": 1}', {"a": 1})) as stub:
        assert ran(wire, stub, REPAIR) == [[True, None, True, {"a": 1}, 0]]
        assert len(stub.requests) == 2


@wires
@pytest.mark.parametrize("failure", [429, 503])
def test_a_repair_that_fails_for_another_reason(ran, wire, failure):
    """The status is that of the repair: the retry around it tries all of it again."""
    with Stub(wire.whole("no"), wire.failing(failure), structured(wire, '{"a": 1}', {"a": 1})) as stub:
        seen = ran(wire, stub, REPAIR)
        assert len(stub.requests) == 3
    assert seen == [[True, None, None, {"a": 1}, 1]]


@wires
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_both_answers_of_a_billed_empty_call_are_counted(ran, wire, streamed, priced):
    """Through the default stack: tokens, calls and money of the empty answer stand on the bill."""
    body = "show([llm_caller()(call).value.text, llm_session_cost()])"
    empty = wire.stream(incoming=1000, outgoing=4) if streamed else wire.whole("", incoming=1000, outgoing=4)
    with Stub(empty, wire.whole("ok", incoming=1000, outgoing=2)) as stub:
        text, cost = ran(wire, stub, body, **priced(wire))[0]
    assert (text, cost["call_count"], cost["input_tokens"], cost["output_tokens"]) == ("ok", 2, 2000, 6)
    assert cost["total_cost"] == (2000 * 3 + 6 * 15) / 1_000_000


@wires
def test_the_silent_second_ask_is_on_the_bill(ran, wire, priced):
    """What an answer without any output cost is counted with the one that took its place."""
    body = """
    const usage = default_llm_caller()(call).value.usage
    show([usage.input_tokens, usage.output_tokens, usage.cost_usd, usage.provider_attempts, llm_session_cost()])
    """
    nothing = wire.whole("", incoming=1000, outgoing=0)
    with Stub(nothing, wire.whole("ok", incoming=1000, outgoing=2)) as stub:
        incoming, outgoing, cost, attempts, session = ran(wire, stub, body, **priced(wire))[0]
    paid = (2000 * 3 + 2 * 15) / 1_000_000
    assert (incoming, outgoing, cost, attempts["total"], attempts["empty_completion"]) == (2000, 2, paid, 2, 1)
    assert session == {"total_cost": paid, "input_tokens": 2000, "output_tokens": 2, "call_count": 2}


@wires
def test_a_schema_in_the_request_reaches_the_server(ran, wire):
    body = """
    const schema = {type: "object", required: ["a"], properties: {a: {type: "integer"}}}
    show(llm_call_structured("hi", schema, opts))
    """
    calls = [("c1", "json_response", {"a": 1})]
    answer = wire.whole("", calls=calls, stop="tool_use") if isinstance(wire, Anthropic) else wire.whole('{"a": 1}')
    with Stub(answer) as stub:
        assert ran(wire, stub, body) == [{"a": 1}]
    assert '"integer"' in stub.requests[0].raw.decode()


@wires
@pytest.mark.parametrize(("status", "message"), [(400, "maximum context length is 10 tokens"), (413, "input too long")])
def test_the_other_name_of_an_overflow(ran, wire, status, message):
    body = """
    import {safe_structured_call} from "std/llm/safe"
    const r = safe_structured_call("hi", {type: "object", properties: {a: {type: "integer"}}}, opts)
    show([r.ok, r.status])
    """
    with Stub(wire.failing(status, message)) as stub:
        assert ran(wire, stub, body) == [[False, "context_overflow"]]
        assert len(stub.requests) == 1


@wires
def test_fallback_goes_on_past_an_overflow(ran, wire):
    body = """
    const r = with_fallback([default_llm_caller(), default_llm_caller()])(call)
    show([r.ok, r.value?.text])
    """
    with Stub(wire.failing(400, "maximum context length is 10 tokens"), wire.whole("second")) as stub:
        assert ran(wire, stub, body) == [[True, "second"]]
        assert len(stub.requests) == 2
