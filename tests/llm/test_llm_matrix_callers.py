"""The shared matrix, wrappers over real servers: timeouts, budgets, breakers, schemas, storms (provider faults)."""

from __future__ import annotations

import pytest
from stub import Stub
from wires import FORMS, WIRES, Anthropic

START = 1_893_456_000_000
wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)


@wires
def test_a_used_up_budget_sends_nothing(ran, wire):
    body = """
    const r = llm_caller()(call + {opts: opts + {budget: {max_output_tokens: 10}}})
    show([r.ok, r.status, r.error.reason])
    """
    with Stub(wire.whole("never")) as stub:
        assert ran(wire, stub.url, body) == [[False, "budget_exhausted", "budget_exceeded"]]
        assert stub.connections == 0


@wires
def test_an_open_breaker_sends_nothing(ran, wire):
    body = """
    const caller = with_circuit_breaker(default_llm_caller(), {name: "b", threshold: 2, reset_ms: 30000})
    for n in 1 to 2 { show(caller(call).status) }
    show(try { caller(call).status } catch (e) { e.category ?? e })
    advance_time(31000)
    show(caller(call).status)
    show(caller(call).text ?? caller(call).value?.text)
    """
    with Stub(wire.failing(503), wire.failing(503), wire.whole("back")) as stub:
        seen = ran(wire, stub.url, body)
        assert len(stub.requests) == 5
    assert seen[:2] == ["provider_5xx", "provider_5xx"]
    assert "circuit_open" in str(seen[2])
    assert seen[3:] == [None, "back"]


@wires
def test_a_schema_mismatch(ran, wire):
    schema = '{type: "object", required: ["a"], properties: {a: {type: "integer"}}}'
    body = f"""
    const output = {{schema: {schema}, validation: "error"}}
    const r = llm_caller()(call + {{opts: opts + {{output: output, schema_retries: 0}}}})
    show([r.ok, r.status])
    """
    with Stub(wire.whole('{"a": "x"}')) as stub:
        assert ran(wire, stub.url, body) == [[False, "schema_validation"]]
        assert len(stub.requests) == 1


@wires
def test_a_repair_is_asked_for_once(ran, wire):
    schema = '{type: "object", required: ["a"], properties: {a: {type: "integer"}}}'
    body = f"""
    const caller = with_repair(default_llm_caller(), {{}})
    const asked = {{output: {{schema: {schema}, validation: "error"}}, schema_retries: 0, max_tokens: 50}}
    const r = caller(call + {{opts: opts + asked}})
    show([r.ok, r.status, r.repair_attempted, r.value?.data])
    """
    with Stub(wire.whole("the answer is a")) as stub:
        assert ran(wire, stub.url, body) == [[False, "schema_validation", True, None]]
        first, repair = [request.raw.decode() for request in stub.requests]
    assert ("600" in first, "600" in repair) == (False, True)


@wires
def test_both_answers_of_a_billed_empty_call_are_counted(ran, wire):
    body = """
    show([llm_caller()(call).value.text, llm_session_cost()])
    """
    with Stub(wire.whole("", outgoing=4), wire.whole("ok", outgoing=2)) as stub:
        text, cost = ran(wire, stub.url, body)[0]
    assert (text, cost["call_count"], cost["input_tokens"], cost["output_tokens"]) == ("ok", 2, 6, 6)


@wires
def test_a_schema_in_the_request_reaches_the_server(ran, wire):
    body = """
    const schema = {type: "object", required: ["a"], properties: {a: {type: "integer"}}}
    show(llm_call_structured("hi", schema, opts))
    """
    calls = [("c1", "json_response", {"a": 1})]
    answer = wire.whole("", calls=calls, stop="tool_use") if isinstance(wire, Anthropic) else wire.whole('{"a": 1}')
    with Stub(answer) as stub:
        assert ran(wire, stub.url, body) == [{"a": 1}]
    assert '"integer"' in stub.requests[0].raw.decode()


@wires
def test_fallback_goes_on_past_an_overflow(ran, wire):
    body = """
    const r = with_fallback([default_llm_caller(), default_llm_caller()])(call)
    show([r.ok, r.value?.text])
    """
    with Stub(wire.failing(400, "maximum context length is 10 tokens"), wire.whole("second")) as stub:
        assert ran(wire, stub.url, body) == [[True, "second"]]
        assert len(stub.requests) == 2


def test_a_storm_of_rate_limits_ends(ran):
    """A thousand calls, all refused: no call makes more attempts than it may."""
    wire = next(wire for wire in WIRES if wire.name == "local")
    body = """
    const ended = parallel each range(1000) with {max_concurrent: 64} { i ->
      const r = with_retry(default_llm_caller(), {max_attempts: 2})(call)
      [r.status, r.retries_attempted]
    }
    show(ended)
    """
    with Stub(wire.failing(429)) as stub:
        seen = ran(wire, stub.url, body)[0]
        assert len(stub.requests) == 2000
    assert seen == [["rate_limited", 1]] * 1000


def test_full_jitter_is_uniform(ran):
    """The waits of one refused call after the other, in 10 classes: chi-square below the 99.9 % bound of 9 degrees."""
    wire = next(wire for wire in WIRES if wire.name == "local")
    body = """
    const caller = with_retry(default_llm_caller(), {max_attempts: 2})
    for n in 1 to 1000 {
      const began = monotonic_ms()
      caller(call)
      show(monotonic_ms() - began)
    }
    """
    with Stub(wire.failing(429)) as stub:
        waits = ran(wire, stub.url, body)
    assert all(0 <= wait <= 250 for wait in waits)
    classes = [0] * 10
    for wait in waits:
        classes[min(9, wait // 25)] += 1
    assert sum((count - 100) ** 2 / 100 for count in classes) < 27.9
