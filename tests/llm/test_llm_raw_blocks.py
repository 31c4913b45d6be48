"""Content blocks in a provider's own form, with parts missing, never end in a Python error."""

from __future__ import annotations

import json

import pytest
from stub import Stub
from wires import FORMS


@pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
@pytest.mark.parametrize(
    "block", ['{type: "tool_use"}', '{type: "tool_use", name: 5, id: 1}', '{type: "tool_use", name: "f"}']
)
def test_a_raw_tool_block(run_harn, wire, block):
    program = f"""
    const messages = [{{role: "user", content: "hi"}}, {{role: "assistant", content: [{block}]}}]
    const r = llm_call_safe("", nil, {{provider: "{wire.name}", model: "m", messages: messages}})
    println(json_stringify([r.ok, r.error?.category]))
    """
    with Stub(wire.whole("ok")) as stub:
        ran = run_harn(program, env=wire.environment(stub.url))
    assert (ran.code, ran.err) == (0, "")
    ok, category = json.loads(ran.out)
    assert ok or category
