"""Loops over the OpenAI and the Anthropic wire on loopback: hidden tools, one result per call, end states."""

from __future__ import annotations

import json
import time

import pytest
from pairing import assert_paired, result_texts
from stub import Answer, Stub
from wires import Anthropic, OpenAi

WIRES = [OpenAi(), Anthropic()]
each_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)

TOOLS = """
const counts = {look: atomic(0), edit: atomic(0), deploy_prod: atomic(0), read_secrets: atomic(0)}
fn tools() {
  let registry = tool_registry()
  for name in ["look", "edit", "deploy_prod", "read_secrets"] {
    registry = tool_define(registry, name, "Tool " + name, {
      parameters: {}, handler: { args -> atomic_add(counts[name], 1); "ran " + name },
    })
  }
  return registry
}
"""


def reply(wire, text="", calls=()):
    """Give a whole answer of a wire with tool calls."""
    stop = {"openai": ("stop", "tool_calls"), "anthropic": ("end_turn", "tool_use")}[wire.name]
    return Answer(200, wire.whole_body(text, calls=calls, stop=stop[bool(calls)]))


def environment(wire, stub):
    """Give the variables that point a wire at the stub, without streaming."""
    return {**wire.environment(stub.url), "HARN_LLM_STREAM": "0"}


def route(wire):
    """Give the options of the route as Harn source."""
    return f'provider: "{wire.name}", model: "m", tool_format: "native"'


@each_wire
def test_hidden_and_unknown_tools_are_refused_without_naming_others(values, wire):
    bad = ["deploy_prod", "no_such_tool", "LOOK"]
    answers = [reply(wire, calls=[(f"c{i}", name, {})]) for i, name in enumerate(bad)]
    answers += [reply(wire, calls=[("c9", "look", {"path": "src/a.py"})]), reply(wire, "all-ok")]
    program = (
        TOOLS
        + """
    const all = tools()
    const r = agent_loop(harness, "Fix src/a.py", nil, {
      ROUTE, tools: tool_select(all, ["look", "edit"]), policy: {tools: ["look", "edit", "run"]},
    })
    println(json_stringify([r.status, r.stop_reason, r.visible_text, r.tools.rejected]))
    println(json_stringify(counts.map_values({ c -> atomic_get(c) })))
    """.replace("ROUTE", route(wire))
    )
    with Stub(*answers) as stub:
        outcome, counts = values(program, env=environment(wire, stub))
        requests = list(stub.requests)
    assert outcome == ["done", "natural", "all-ok", bad]
    assert counts == {"look": 1, "edit": 0, "deploy_prod": 0, "read_secrets": 0}
    names = [t.get("name") or t["function"]["name"] for t in requests[0].json["tools"]]
    assert names == ["look", "edit"]
    assert_paired(wire.name, requests)
    texts = [text for text, _ in result_texts(requests[-1].json)]
    assert len(texts) == 4
    for name, text in zip(bad, texts, strict=False):
        assert name in text
        assert "Available tools: look, edit." in text
        assert "read_secrets" not in text
        assert ("deploy_prod" in text) == (name == "deploy_prod")


FOUR = """
fn tools() {
  let registry = tool_registry()
  registry = tool_define(registry, "A", "", {parameters: {}, handler: { args -> sleep_ms(80); "a" }})
  registry = tool_define(registry, "B", "", {parameters: {}, handler: { args -> throw "it broke" }})
  registry = tool_define(registry, "C", "", {parameters: {}, handler: { args -> nil }})
  registry = tool_define(registry, "D", "", {parameters: {}, handler: { args -> deadline 50ms { sleep_ms(5000) } }})
  return registry
}
"""


@each_wire
@pytest.mark.parametrize("width", [1, 4])
def test_every_call_gets_exactly_one_result_in_order(values, wire, width):
    calls = [(f"id_{name}", name, {}) for name in "ABCD"]
    program = (
        FOUR
        + """
    const start = monotonic_ms()
    const r = agent_loop(harness, "go", nil, {ROUTE, tools: tools(), max_concurrent_tools: WIDTH})
    println(json_stringify([r.status, r.tools.calls, r.tools.successful]))
    """.replace("ROUTE", route(wire)).replace("WIDTH", str(width))
    )
    with Stub(reply(wire, calls=calls), reply(wire, "all-ok")) as stub:
        started = time.monotonic()
        (outcome,) = values(program, env=environment(wire, stub))
        spent = time.monotonic() - started
        requests = list(stub.requests)
    assert outcome == ["done", ["A", "B", "C", "D"], ["A", "C"]]
    assert len(requests) == 2
    assert_paired(wire.name, requests)
    texts = result_texts(requests[1].json)
    assert [text.strip().split("\n")[1] for text, _ in texts] == ["a", "it broke", "(no output)", "Deadline exceeded"]
    assert [bad for _, bad in texts] == [False, True, False, True]
    assert not any("Traceback" in text for text, _ in texts)
    assert spent < 3.0


@each_wire
def test_repeated_and_missing_ids_stay_paired(values, wire):
    calls = [("same", "A", {}), ("same", "C", {}), ("", "C", {})]
    program = (
        FOUR
        + """
    const r = agent_loop(harness, "go", nil, {ROUTE, tools: tools()})
    println(json_stringify(r.tools.calls))
    """.replace("ROUTE", route(wire))
    )
    with Stub(reply(wire, calls=calls), reply(wire, "all-ok")) as stub:
        (names,) = values(program, env=environment(wire, stub))
        requests = list(stub.requests)
    assert names == ["A", "C", "C"]
    assert_paired(wire.name, requests)
    assert len(result_texts(requests[1].json)) == 3


@each_wire
def test_results_of_every_kind_can_be_sent(values, wire):
    program = """
    let registry = tool_registry()
    const results = {big: "é" * 200000, data: {b: 1, a: [true, nil]}, raw: bytes_from_string("hi"), fn: { x -> x }}
    for entry in results {
      registry = tool_define(registry, entry.key, "", {parameters: {}, handler: { args -> entry.value }})
    }
    const r = agent_loop(harness, "go", nil, {ROUTE, tools: registry})
    println(json_stringify(r.tools.successful))
    """.replace("ROUTE", route(wire)).replace('"é" * 200000', '"é".repeat(200000)')
    calls = [(f"c{i}", name, {}) for i, name in enumerate(["big", "data", "raw", "fn"])]
    with Stub(reply(wire, calls=calls), reply(wire, "all-ok")) as stub:
        (names,) = values(program, env=environment(wire, stub))
        requests = list(stub.requests)
    assert names == ["big", "data", "raw"]
    big, data, raw, function = [text for text, _ in result_texts(requests[1].json)]
    assert "é" * 100_000 + "\n[... 100000 characters cut]\n" in big
    assert '{"a":[true,null],"b":1}' in data
    assert "aGk=" in raw
    assert "tool 'fn' returned a closure, which cannot be sent to the model" in function


@each_wire
def test_arguments_that_are_no_object_do_not_poison_the_history(values, wire):
    program = (
        FOUR
        + """
    const r = agent_loop(harness, "go", nil, {ROUTE, tools: tools(), llm_caller: { call ->
      const n = len(call.opts.messages)
      if n > 1 {
        println(json_stringify(call.opts.messages[1].tool_calls))
        println(json_stringify(call.opts.messages[2]))
      }
      if n > 1 { {ok: true, value: {text: "all-ok"}} } else {
        {ok: true, value: {text: "", tool_calls: [{id: "x", name: "A", arguments: "{\\"a\\": "}]}}
      }
    }})
    println(json_stringify(r.status))
    """.replace("ROUTE", route(wire))
    )
    calls, result, status = values(program)
    assert calls == [{"id": "x", "type": "tool_call", "name": "A", "arguments": {}}]
    assert result["is_error"] is True
    assert "Tool 'A' arguments are not valid JSON" in result["content"]
    assert status == "done"


@each_wire
def test_the_same_call_for_ever_ends_at_the_limit(values, wire):
    same = reply(wire, calls=[("c", "look", {"b": 1, "a": 2})])
    program = (
        TOOLS
        + """
    agent_subscribe("s", { event ->
      if event.type == "agent_loop_stall_warning" { println(json_stringify(event.warning.iteration)) }
    })
    const r = agent_loop(harness, "go", nil, {
      ROUTE, tools: tools(), max_iterations: 10, session_id: "s", final_wrapup: WRAP, stall_diagnostics: STALL,
    })
    println(json_stringify([r.status, r.stop_reason, r.llm.iterations, r.suspected_loop]))
    """.replace("ROUTE", route(wire))
    )
    for wrap, stall, expected in [("false", "false", 10), ("true", "false", 11)]:
        with Stub(same) as stub:
            lines = values(program.replace("WRAP", wrap).replace("STALL", stall), env=environment(wire, stub))
            assert len(stub.requests) == expected
            assert_paired(wire.name, stub.requests)
        assert lines == [["budget_exhausted", "max_iterations", 10, None]]
    with Stub(same) as stub:
        lines = values(program.replace("WRAP", "false").replace("STALL", "true"), env=environment(wire, stub))
    assert lines[0] == 4
    assert lines[-1][:2] == ["stuck", "thrash_hard_stop"]


@each_wire
def test_the_closing_call_can_call_no_tool_and_still_fits_its_history(values, wire):
    """Anthropic refuses a history with calls when the request declares no tools."""
    program = (
        TOOLS
        + """
    const r = agent_loop(harness, "go", nil, {ROUTE, tools: tools(), max_iterations: 1})
    println(json_stringify([r.status, r.text]))
    """.replace("ROUTE", route(wire))
    )
    with Stub(reply(wire, calls=[("c", "look", {})]), reply(wire, "as far as it got")) as stub:
        (outcome,) = values(program, env=environment(wire, stub))
        closing = stub.requests[1].json
        assert_paired(wire.name, stub.requests)
    assert outcome == ["budget_exhausted", "as far as it got"]
    if wire.name == "anthropic":
        assert [tool["name"] for tool in closing["tools"]] == ["look"]
        assert closing["tool_choice"] == {"type": "none"}
    else:
        assert "tools" not in closing


@each_wire
def test_budget_middleware_ends_the_run(values, wire):
    program = (
        'import {with_budget} from "std/llm/handlers"\nimport {default_llm_caller} from "std/llm/caller"\n'
        + TOOLS
        + """
    const r = agent_loop(harness, "go", nil, {
      ROUTE, tools: tools(), max_iterations: 10, llm_caller: with_budget(default_llm_caller(), {max_calls: 4}),
    })
    println(json_stringify([r.status, r.stop_reason, r.llm.iterations]))
    """.replace("ROUTE", route(wire))
    )
    with Stub(reply(wire, calls=[("c", "look", {})])) as stub:
        (outcome,) = values(program, env=environment(wire, stub))
        assert len(stub.requests) == 4
    assert outcome == ["budget_exhausted", "budget_exhausted", 4]


@each_wire
def test_a_lasting_503_is_asked_three_times(values, wire):
    program = """
    const r = agent_loop(harness, "go", nil, {ROUTE})
    println(json_stringify([r.status, r.stop_reason, r.llm.iterations, r.error.phase]))
    """.replace("ROUTE", route(wire))
    with Stub(Answer(503, wire.error_body(503, "down"))) as stub:
        (outcome,) = values(program, env=environment(wire, stub), virtual_time=1_893_456_000_000)
        assert len(stub.requests) == 3
    assert outcome == ["provider_5xx", "provider_5xx", 0, "llm_call"]


@each_wire
def test_system_text_is_one_field_with_the_fragments_behind_it(values, wire):
    program = """
    const r = agent_loop(harness, "go", nil, {
      ROUTE, system: "BASE",
      context_profile: {prompt_fragments: [{id: "own", body: "MINE"}, {id: "o", body: "OVERLAY"}]},
    })
    println(json_stringify(r.status))
    """.replace("ROUTE", route(wire))
    with Stub(reply(wire, "all-ok")) as stub:
        assert values(program, env=environment(wire, stub)) == ["done"]
        body = stub.requests[0].json
    if wire.name == "openai":
        texts = [message["content"] for message in body["messages"] if message["role"] == "system"]
    else:
        system = body["system"]
        texts = [system if isinstance(system, str) else "".join(part["text"] for part in system)]
    assert texts == ["BASE\n\nMINE\n\nOVERLAY"]
    assert json.dumps(body).count("BASE") == 1


@each_wire
@pytest.mark.parametrize("tool_format", ["text", "json"])
def test_text_formats_on_the_wire(values, wire, tool_format):
    call = {"text": "<tool_call>look({})</tool_call>", "json": '```tool\n{"name": "look", "args": {}}\n```'}[
        tool_format
    ]
    program = (
        TOOLS
        + """
    const r = agent_loop(harness, "go", "BASE", {provider: "NAME", model: "m", tools: tools(), tool_format: "FORMAT"})
    println(json_stringify([r.status, r.tools.successful, r.visible_text]))
    """.replace("NAME", wire.name).replace("FORMAT", tool_format)
    )
    with Stub(reply(wire, call), reply(wire, "all-ok")) as stub:
        (outcome,) = values(program, env=environment(wire, stub))
        bodies = [asked.json for asked in stub.requests]
    assert outcome == ["done", ["look"], "all-ok"]
    assert len(bodies) == 2
    assert all("tools" not in body for body in bodies)
    assert json.dumps(bodies[1]).count("declare function look") == 1
    assert "[result of look]" in json.dumps(bodies[1]["messages"][-1])
