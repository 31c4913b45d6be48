"""The agent loop over the wires: tools round trip, provider state goes back, and exactly N requests (S22)."""

from __future__ import annotations

import pytest
from stub import Stub
from wires import FORMS, Gemini

NATIVE = [wire for wire in FORMS if wire.name != "ollama"]  # a small local model has its tools in the text
native = pytest.mark.parametrize("wire", NATIVE, ids=lambda wire: wire.name)

PROGRAM = """
import {agent_loop} from "std/agent/loop"
fn main(harness: Harness) {
  let tools = tool_registry()
  tools = tool_define(tools, "add", "adds", {parameters: {a: "int"}, handler: { args -> args.a + 1 }})
  const r = agent_loop(harness, "hi", nil, {provider: "NAME", model: "m", tools: tools, tool_format: "native"})
  println([r.status, r.llm.iterations ?? r.iterations])
}
"""


@native
def test_a_tool_round_trip(run_harn, wire):
    stop = "tool_use" if wire.name == "anthropic" else "stop"
    call = wire.whole("", calls=[("c1", "add", {"a": 41})], stop=stop, thinking="hmm")
    with Stub(call, wire.whole("it is 42 ##DONE##")) as stub:
        ran = run_harn(PROGRAM.replace("NAME", wire.name), virtual_time=0, env=wire.environment(stub.url))
    assert (ran.code, ran.err, ran.out[:6]) == (0, "", "[done,")
    assert len(stub.requests) == 2
    sent = stub.requests[1].raw.decode()
    assert "42" in sent
    turns = stub.requests[1].json["contents" if isinstance(wire, Gemini) else "messages"]
    if wire.name == "anthropic":
        assert turns[1]["content"][0] == {"type": "thinking", "thinking": "hmm", "signature": "sig=="}
    else:
        assert "thinking_blocks" not in sent


@native
@pytest.mark.parametrize("levels", [99, 100, 120, 500, 5_000])
def test_arguments_of_many_levels_do_not_end_the_loop(run_harn, wire, levels):
    """What holds a call, as an event does, must still be written as JSON: deeper ones are told to the model."""
    deep: list = []
    for _ in range(min(levels, 500) - 1):
        deep = [deep]
    call = wire.whole("", calls=[("c1", "add", {"a": deep})], stop="tool_use" if wire.name == "anthropic" else "stop")
    if levels > 500:
        call.body = call.body.replace(b"[" * 400, b"[" * 4_900).replace(b"]" * 400, b"]" * 4_900)
    with Stub(call, wire.whole("so be it ##DONE##")) as stub:
        ran = run_harn(PROGRAM.replace("NAME", wire.name), virtual_time=0, env=wire.environment(stub.url))
    assert (ran.code, ran.err, ran.out[:6]) == (0, "", "[done,")
    assert ("nested too deeply" in stub.requests[1].raw.decode()) is (levels > 99)


def test_the_signature_of_a_gemini_call_goes_back(run_harn):
    wire = Gemini()
    call = wire.whole("", calls=[("", "add", {"a": 41})])
    signed = call.body.replace(b'{"functionCall"', b'{"thoughtSignature": "sig", "functionCall"')
    assert signed != call.body
    call.body = signed
    with Stub(call, wire.whole("it is 42 ##DONE##")) as stub:
        run_harn(PROGRAM.replace("NAME", wire.name), virtual_time=0, env=wire.environment(stub.url))
    assert stub.requests[1].json["contents"][1]["parts"][0]["thoughtSignature"] == "sig"


@pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
def test_a_loop_without_a_caller_asks_three_times(run_harn, wire):
    program = f"""
    import {{agent_loop}} from "std/agent/loop"
    fn main(harness: Harness) {{
      const r = agent_loop(harness, "hi", nil, {{provider: "{wire.name}", model: "m"}})
      println([r.status, r.error.reason])
    }}
    """
    with Stub(wire.failing(503)) as stub:
        ran = run_harn(program, virtual_time=0, env=wire.environment(stub.url))
        assert len(stub.requests) == 3
    assert ran.out == "[provider_5xx, server_error]\n"
