"""Sums of reported counts stay ints of the language, however large a server says they are."""

from __future__ import annotations

import pytest
from stub import Answer, Stub
from wires import Gemini

from harnpy import run

HUGE = 9_000_000_000_000_000_000
MOST = 2**63 - 1


def test_the_sums_of_a_run():
    text = """
    for i in range(0, 2) {
      harness.llm.mock_enqueue({text: "x", usage: {input_tokens: HUGE, output_tokens: HUGE}})
      harness.llm.call("q", nil, {provider: "mock"})
    }
    const cost = harness.llm.session_cost()
    const used = harness.obs.llm_usage()
    println([cost.input_tokens, cost.output_tokens, used.input_tokens, used.output_tokens])
    """.replace("HUGE", str(HUGE))
    assert run(text).stdout == f"[{MOST}, {MOST}, {MOST}, {MOST}]\n"


def test_the_sums_of_a_call_with_schema_retries():
    text = """
    for i in range(0, 2) {
      harness.llm.mock_enqueue({text: "x", usage: {input_tokens: HUGE, output_tokens: HUGE}})
    }
    const r = harness.llm.call_structured_result("q", {type: "object"}, {provider: "mock", schema_retries: 1})
    println([r.attempts, r.usage.input_tokens, r.usage.output_tokens])
    """.replace("HUGE", str(HUGE))
    assert run(text).stdout == f"[2, {MOST}, {MOST}]\n"


@pytest.mark.parametrize("streamed", ["true", "false"])
def test_thoughts_are_added_to_the_output(asked, streamed):
    wire = Gemini()
    body = wire.whole_body("x")
    body["usageMetadata"] = {"promptTokenCount": HUGE, "candidatesTokenCount": HUGE, "thoughtsTokenCount": HUGE}
    with Stub(Answer(200, body)) as stub:
        usage = asked(wire, stub.url, f"{{stream: {streamed}}}")["response"]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (HUGE, MOST)
