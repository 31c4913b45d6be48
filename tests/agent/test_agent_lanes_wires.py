"""Lanes and overlays as they reach the provider: hidden tools (S41) and the system text (S48), on both wires."""

from __future__ import annotations

import json

import pytest
from pairing import assert_paired, result_texts
from stub import Answer, Stub
from wires import Anthropic, OpenAi

each_wire = pytest.mark.parametrize("wire", [OpenAi(), Anthropic()], ids=lambda wire: wire.name)

HEAD = """
import {default_lane_rows, lane_policy} from "std/agent/lanes"
import {default_overlay_rows, overlay_policy, with_overlay} from "std/agent/overlays"

const counts = {look: atomic(0), edit: atomic(0), deploy_prod: atomic(0), read_secrets: atomic(0)}
fn tools() {
  let registry = tool_registry()
  for name in ["look", "edit", "deploy_prod", "read_secrets"] {
    registry = tool_define(registry, name, "Tool", {
      parameters: {}, handler: { args ->
        atomic_add(counts[name], 1)
        "ran " + name
      },
    })
  }
  return registry
}
const route = {provider: "NAME", model: "m", tool_format: "native"}
"""
BAD = ["deploy_prod", "no_such_tool", "LOOK"]


def reply(wire, text="", calls=()):
    """Give a whole answer of a wire."""
    stop = {"openai": ("stop", "tool_calls"), "anthropic": ("end_turn", "tool_use")}[wire.name]
    return Answer(200, wire.whole_body(text, calls=calls, stop=stop[bool(calls)]))


def run(values, wire, stub, program):
    """Run a program against the stub; give what it printed and the requests."""
    environment = {**wire.environment(stub.url), "HARN_LLM_STREAM": "0"}
    lines = values((HEAD + program).replace("NAME", wire.name), env=environment)
    return lines, list(stub.requests)


def tool_names(asked):
    """Give the names of the tools that a request declares."""
    return [tool.get("name") or tool["function"]["name"] for tool in asked.json.get("tools", [])]


def system_texts(wire, asked):
    """Give the system texts of a request; the Anthropic wire has one field for them."""
    if wire.name == "openai":
        return [message["content"] for message in asked.json["messages"] if message["role"] == "system"]
    system = asked.json["system"]
    return [system if isinstance(system, str) else "".join(part["text"] for part in system)]


@each_wire
def test_a_lane_hides_tools_for_the_whole_run(values, wire):
    answers = [reply(wire, calls=[(f"c{i}", name, {})]) for i, name in enumerate(BAD)]
    answers += [reply(wire, calls=[("c9", "look", {"path": "src/a.py"})]), reply(wire, "all-ok")]
    program = """
    const opts = lane_policy(default_lane_rows(), "Fix src/a.py", route + {tools: tools()})
    const r = agent_loop(harness, "Fix src/a.py", nil, opts)
    println(json_stringify([r.status, r.tools.rejected, opts._lane_verdict.lane, len(opts._lane_verdict.tool_names)]))
    println(json_stringify(counts.map_values({ c -> atomic_get(c) })))
    """
    with Stub(*answers) as stub:
        (outcome, counted), requests = run(values, wire, stub, program)
    assert outcome == ["done", BAD, "explicit_patch", 8]
    assert counted == {"look": 1, "edit": 0, "deploy_prod": 0, "read_secrets": 0}
    assert all(tool_names(asked) == ["look", "edit"] for asked in requests)
    assert_paired(wire.name, requests)
    for name, (text, _) in zip(BAD, result_texts(requests[-1].json), strict=False):
        assert name in text
        assert "Available tools: look, edit." in text
        assert "read_secrets" not in text
        assert ("deploy_prod" in text) == (name == "deploy_prod")


@each_wire
def test_hard_keep_adds_to_a_narrowing_lane_only(values, wire):
    program = """
    for task in ["Fix src/a.py", "Fix a.py b.py c.py d.py e.py"] {
      const opts = lane_policy(default_lane_rows(), task, route + {tools: tools()}, {hard_keep: ["deploy_prod"]})
      agent_loop(harness, task, nil, opts)
    }
    """
    with Stub(reply(wire, "all-ok")) as stub:
        _, requests = run(values, wire, stub, program)
    narrowed, general = [tool_names(asked) for asked in requests]
    assert narrowed == ["look", "edit", "deploy_prod"]
    assert general == ["look", "edit", "deploy_prod", "read_secrets"]


@each_wire
def test_a_tool_of_an_earlier_run_stays_hidden_in_this_one_and_in_loops_inside(values, wire):
    answers = [
        reply(wire, calls=[("c0", "deploy_prod", {})]),
        reply(wire, "deployed"),
        reply(wire, calls=[("c1", "deploy_prod", {})]),
        reply(wire, calls=[("c2", "look", {})]),
        reply(wire, calls=[("c3", "deploy_prod", {})]),
        reply(wire, "inner done"),
        reply(wire, "all-ok"),
    ]
    program = """
    const all = tools()
    agent_loop(harness, "deploy", nil, route + {tools: all, session_id: "s"})
    const nesting = tool_define(all, "look", "", {parameters: {}, handler: { args ->
      agent_loop(harness, "inner", nil, route + {tools: all, session_id: "inner"}).tools.rejected
    }})
    const opts = lane_policy(default_lane_rows(), "Fix src/a.py", route + {tools: nesting, session_id: "s"})
    const r = agent_loop(harness, "Fix src/a.py", nil, opts)
    println(json_stringify([r.status, r.tools.rejected, atomic_get(counts.deploy_prod)]))
    """
    with Stub(*answers) as stub:
        (outcome,), requests = run(values, wire, stub, program)
    assert outcome == ["done", ["deploy_prod"], 1]
    assert_paired(wire.name, requests)
    assert '[\\"deploy_prod\\"]' in json.dumps(requests[-1].json)


OVERLAY = """
const own = {id: "own", source: "mine", body: "MINE"}
const base = route + {system: "BASE", context_profile: {prompt_fragments: [own]}}
const opts = VARIANT
println(json_stringify([opts.system, opts.context_profile.prompt_fragments[0] == own]))
agent_loop(harness, "go", nil, opts)
"""
ROWS = "default_overlay_rows()"
OWN = '{"agent:explicit_patch": ["Y-LINE"]}'
AGENT, PATCH = "Group read-only tool calls", "Stay within the files"
VARIANTS = {
    f'with_overlay(base, {ROWS}, "agent")': ([AGENT], [PATCH]),
    f'with_overlay(base, {ROWS}, "agent", {{lane: "explicit_patch"}})': ([PATCH], [AGENT]),
    f'with_overlay(base, {ROWS}, "agent", {{overrides: {{agent: ["X-LINE"]}}}})': (["X-LINE"], [AGENT]),
    f'with_overlay(base, {ROWS}, "agent", {{lane: "explicit_patch", overrides: {OWN}}})': (["Y-LINE"], [AGENT, PATCH]),
    f'with_overlay(base, {ROWS}, "agent", {{overrides: {{"agent:explicit_patch": ["Y-LINE"]}}}})': (
        [AGENT],
        ["Y-LINE"],
    ),
    f'with_overlay(base, {ROWS}, "agent", {{overrides: {{agent: []}}}})': ([], [AGENT, PATCH]),
    'with_overlay(base, [{mode: "agent", lines: ["OFF"], enabled: false}], "agent")': ([], ["OFF"]),
    f'with_overlay(base, {ROWS}, "no_such_mode")': ([], [AGENT, PATCH]),
    f'with_overlay(with_overlay(base, {ROWS}, "agent"), {ROWS}, "agent")': ([AGENT], []),
    f'overlay_policy({ROWS}, "agent", base)': ([AGENT], [PATCH]),
}


@each_wire
@pytest.mark.parametrize("variant", VARIANTS, ids=range(len(VARIANTS)))
def test_an_overlay_adds_and_never_replaces(values, wire, variant):
    present, absent = VARIANTS[variant]
    with Stub(reply(wire, "all-ok")) as stub:
        (kept,), requests = run(values, wire, stub, OVERLAY.replace("VARIANT", variant))
    assert kept == ["BASE", True]
    (text,) = system_texts(wire, requests[0])
    assert text.startswith("BASE\n\nMINE")
    for line in present:
        assert text.count(line) == 1
    for line in absent:
        assert line not in text
