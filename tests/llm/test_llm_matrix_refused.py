"""The shared matrix, replies that came and are no answer: what they used is on the bill (llm 6.1, 13)."""

from __future__ import annotations

import json

import pytest
from stub import Stub
from wires import FORMS, Anthropic, Gemini

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
BODY = """
const reason = llm_call_safe("hi", nil, {provider: "NAME", model: "m", stream: STREAM}).error.reason
println(json_stringify([reason, llm_session_cost(), harness.obs.llm_usage().call_count]))
"""


def truncated(wire) -> str:
    return "MAX_TOKENS" if isinstance(wire, Gemini) else "max_tokens" if isinstance(wire, Anthropic) else "length"


def cases(wire) -> list:
    """What comes, the reason, tokens in and out, calls."""
    return [
        (wire.whole("", stop=truncated(wire), incoming=1000, outgoing=700), "output_budget_exhausted", 1000, 700, 1),
        (wire.whole("", stop="content_filter", incoming=1000, outgoing=7), "content_policy", 1000, 7, 1),
        (wire.whole("", incoming=1000, outgoing=0), "empty_generation", 2000, 0, 2),
        (wire.whole("", usage=None), "empty_generation", 0, 0, 0),
    ]


@wires
@pytest.mark.parametrize("case", range(4))
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_reply_that_is_refused_is_on_the_bill(run_harn, tmp_path, wire, case, streamed, priced):
    answer, reason, incoming, outgoing, calls = cases(wire)[case]
    program = BODY.replace("NAME", wire.name).replace("STREAM", str(streamed).lower())
    tape = tmp_path / "tape.jsonl"
    files = priced(wire)
    with Stub(answer) as stub:
        env = {**wire.environment(stub.url), **files}
        live = run_harn(program, virtual_time=0, env=env, llm_mock_record=str(tape))
    seen, cost, counted = json.loads(live.out)
    assert (seen, cost["input_tokens"], cost["output_tokens"]) == (reason, incoming, outgoing)
    assert (cost["call_count"], counted) == (calls, calls)
    assert cost["total_cost"] == (incoming * 3 + outgoing * 15) / 1_000_000
    replay = run_harn(program, virtual_time=0, env=files, llm_mock=str(tape))
    assert (replay.out, replay.err) == (live.out, "")
