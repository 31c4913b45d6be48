"""The acceptance list of the agent side (agent 7), point by point."""

from __future__ import annotations

LANES = """
import {agent_lane_classify, default_lane_rows, lane_policy, lane_scope_classifier} from "std/agent/lanes"
"""

SEAM = """
fn caught(body) {
  try { body(); return "no error" } catch (e) { return e }
}
fn loop_with(caller, options = {}) { return agent_loop(harness, "t", nil, {llm_caller: caller} + options) }
fn says(text) { return { call -> {ok: true, value: {text: text}} } }
"""

RESERVED = (
    "budget_exhausted transient caller_aborted caller_skipped exception schema_validation rate_limited timeout network "
    "provider_5xx stream_interrupt context_window_exceeded context_overflow auth policy_blocked circuit_open "
    "provider_error"
).split()


def test_01_a_caller_that_gives_the_wrong_shape(values):
    program = (
        SEAM
        + """
    for bad in ["x", {}, {ok: true}, {ok: false}] { println(json_stringify(caught({ -> loop_with({ call -> bad }) }))) }
    """
    )
    assert values(program) == [
        "agent_loop: llm_caller must return a dict; got string",
        "agent_loop: llm_caller result missing `ok`",
        "agent_loop: llm_caller returned ok=true but `value` is not a dict",
        "agent_loop: llm_caller returned ok=false but `status` is not a string",
    ]


def test_02_every_reserved_status_ends_the_loop(values):
    program = (
        SEAM
        + """
    for status in STATUSES {
      const n = atomic(0)
      const r = loop_with({ call ->
        if atomic_add(n, 1) == 0 { {ok: true, value: {text: "on"}} } else { {ok: false, status: status} }
      }, {loop_until_done: true})
      println(json_stringify([r.status, r.stop_reason, r.llm.iterations]))
    }
    """.replace("STATUSES", str(RESERVED).replace("'", '"'))
    )
    assert values(program) == [[status, status, 1] for status in RESERVED]


def test_03_what_the_caller_gets_on_the_second_turn(values):
    program = (
        SEAM
        + """
    loop_with({ call ->
      println(json_stringify([call.turn.iteration, len(call.opts.messages) >= 2, call.turn.attempt]))
      {ok: true, value: {text: if call.turn.iteration == 2 { "##DONE##" } else { "on" }}}
    }, {loop_until_done: true})
    """
    )
    assert values(program) == [[1, False, 1], [2, True, 1]]


def test_04_visible_text(values):
    program = (
        SEAM
        + """
    for text in ["DONE", "all-ok", "all-ok\\nDONE", "DONE soon"] {
      println(json_stringify(loop_with(says(text)).visible_text))
    }
    const marked = loop_with(says("all-ok ##DONE##"), {loop_until_done: true})
    println(json_stringify([marked.status, marked.visible_text, marked.llm.iterations]))
    """
    )
    assert values(program) == ["", "all-ok", "all-ok", "DONE soon", ["done", "all-ok ##DONE##", 1]]


def test_05_an_overlay_stands_behind_the_system_text_and_before_the_loop_contract(values):
    program = """
    import {with_overlay} from "std/agent/overlays"
    const fragments = [{id: "own", body: "OWN"}]
    const own = {context_profile: {prompt_fragments: fragments}, loop_until_done: true, max_iterations: 1}
    const rows = [{mode: "agent", lines: ["OVERLAY"]}]
    for options in [own, with_overlay(own, rows, "agent")] {
      agent_loop(harness, "t", "SYSTEM", options + {llm_caller: { call ->
        println(json_stringify(call.system.split("\\n\\n")))
        {ok: true, value: {text: "##DONE##"}}
      }})
    }
    """
    plain, overlaid = values(program)
    assert plain[:2] == ["SYSTEM", "OWN"]
    assert overlaid == [*plain[:2], "OVERLAY", *plain[2:]]


def test_06_lane_policy(values):
    program = (
        LANES
        + SEAM
        + """
    const rows = default_lane_rows()
    const four = "Rename a.py b.py c.py d.py"
    for task in ["Fix src/widget.py", four, four + " e.py", "Improve the docs"] {
      println(json_stringify(lane_policy(rows, task, {})._lane_verdict.lane))
    }
    for classifier in [{ task, rows -> "invented" }, { task, rows -> nil }, { task, rows -> throw "x" }] {
      println(json_stringify(agent_lane_classify(rows, "Fix src/a.py", {classifier: classifier}).reason))
    }
    println(json_stringify(lane_policy(rows, "Fix a.py", {policy: {tools: ["edit", "deploy"]}}).policy.tools))
    println(json_stringify(lane_policy(rows, "Fix a.py", {policy: {tools: ["deploy"]}}).policy.tools))
    println(json_stringify(type_of(caught({ -> lane_policy([], "t", {}) }))))
    """
    )
    assert values(program) == [
        *["explicit_patch"] * 2,
        *["general"] * 2,
        *["matched_row"] * 3,
        ["edit"],
        ["__harn_tool_surface_no_tools__"],
        "string",
    ]


def test_07_a_hidden_tool_is_refused_and_no_other_named(values):
    program = """
    const ran = atomic(0)
    let tools = tool_registry()
    for name in ["look", "secret_one", "secret_two"] {
      tools = tool_define(tools, name, "", {parameters: {}, handler: { args -> atomic_add(ran, 1) }})
    }
    const r = agent_loop(harness, "t", nil, {
      tools: tool_select(tools, ["look"]), policy: {tools: ["look"]},
      llm_caller: { call ->
        if call.turn.iteration == 1 {
          {ok: true, value: {text: "", tool_calls: [{name: "secret_one", arguments: {}}]}}
        } else {
          println(json_stringify(call.opts.messages[2]))
          {ok: true, value: {text: "all-ok"}}
        }
      },
    })
    println(json_stringify([r.status, r.tools.rejected, atomic_get(ran)]))
    """
    told, outcome = values(program)
    assert outcome == ["done", ["secret_one"], 0]
    assert (told["role"], told["is_error"]) == ("tool_result", True)
    assert "tool 'secret_one' is not in the active allowed-tool list" in told["content"]
    assert "Available tools: look." in told["content"]
    assert "secret_two" not in told["content"]


def test_08_lane_scope_classifier_only_tells(values):
    program = (
        LANES
        + """
    const rows = default_lane_rows()
    agent_subscribe("s", { event ->
      if event.type == "scope_classifier_verdict" { println(json_stringify(event)) }
    })
    const opts = {session_id: "s", loop_until_done: true, max_iterations: 2, llm_caller: { call ->
      println(json_stringify(call.turn.iteration))
      {ok: true, value: {text: "on"}}
    }}
    agent_loop(harness, "Fix src/a.py", nil, opts + lane_scope_classifier(rows))
    """
    )
    first, one, second, two = values(program)
    expected = {
        "type": "scope_classifier_verdict", "session_id": "s", "iteration": 1, "label": "in_scope",
        "original_label": "in_scope", "confidence": 1.0, "confidence_threshold": 0.65,
        "evidence": "lane=explicit_patch reason=matched_row", "skip_main_turn": False,
    }  # fmt: skip
    assert [first, second] == [expected, {**expected, "iteration": 2}]
    assert (one, two) == (1, 2)


def test_09_out_of_scope_makes_no_call(values):
    program = """
    for confidence in [0.9, 0.5] {
      const calls = atomic(0)
      const r = agent_loop(harness, "t", nil, {
        pre_turn_scope_classifier: { payload ->
          {label: "out_of_scope", confidence: confidence, evidence: "Not here."}
        },
        llm_caller: { call ->
          atomic_add(calls, 1)
          {ok: true, value: {text: "all-ok"}}
        },
      })
      println(json_stringify([r.status, r.stop_reason, atomic_get(calls), r.visible_text]))
    }
    """
    skipped, asked = values(program)
    assert skipped[:3] == ["scope_alert", "out_of_scope", 0]
    assert skipped[3].startswith("This task appears to be outside the current workspace anchor. Not here. Options:")
    assert asked == ["done", "natural", 1, "all-ok"]


def test_10_presets_fill_what_is_nil(values):
    program = (
        'import {agent_preset} from "std/agent/presets"\n'
        + LANES
        + """
    const mine = {rows: [{name: "only", default: true}]}
    println(json_stringify(agent_preset("repair", {}).lane_policy.rows == default_lane_rows()))
    println(json_stringify(agent_preset("repair", {lane_policy: mine}).lane_policy == mine))
    println(json_stringify(agent_preset("repair", {lane_policy: nil}).lane_policy.rows == default_lane_rows()))
    println(json_stringify(agent_preset("repair", {budget: {total_budget_usd: 1.0}}).budget.total_budget_usd))
    """
    )
    assert values(program) == [True, True, True, 1.0]


def test_11_model_options_by_precedence_per_key(values):
    program = """
    import {agent_model_options} from "std/agent/options"
    const config = {role: "planner", defaults: {provider: "openai", model: "gpt-4o-mini"}}
    for more in [{}, {model: "gpt-4.1"}] {
      const found = agent_model_options(config + more)
      println(json_stringify([found.provider, found.model]))
    }
    """
    assert values(program, env={}) == [["openai", "gpt-4o-mini"], ["openai", "gpt-4.1"]]
    shared = {"HARN_AGENT_MODEL": "gpt-4o"}
    assert values(program, env=shared) == [["openai", "gpt-4o"], ["openai", "gpt-4.1"]]
    role = {**shared, "HARN_LLM_PLANNER_MODEL": "o3"}
    assert values(program, env=role) == [["openai", "o3"], ["openai", "gpt-4.1"]]


def test_12_events_to_nobody_and_of_unknown_types(run_harn):
    program = """
    agent_emit_event("nowhere", "llm_call_log", {status: "ok"})
    agent_subscribe("s", { event -> println(event.type) })
    agent_emit_event("s", "never_heard_of", {})
    agent_emit_event("s", "never_heard_of", {})
    agent_emit_event("s", "iteration_start", {})
    """
    ran = run_harn(program)
    assert (ran.code, ran.out) == (0, "iteration_start\n")
    assert ran.err.count("unsupported event type `never_heard_of`") == 1


def test_13_the_current_session(values):
    program = """
    const handler = { args -> agent_session_current_id() }
    const tools = tool_define(tool_registry(), "who", "", {parameters: {}, handler: handler})
    const r = agent_loop(harness, "t", nil, {tools: tools, llm_caller: { call ->
      println(json_stringify(agent_session_current_id() == call.turn.session_id))
      const calls = if call.turn.iteration == 1 { [{name: "who"}] } else { [] }
      {ok: true, value: {text: "ok", tool_calls: calls}}
    }})
    println(json_stringify(contains(r.transcript.messages[2].content, r.session_id)))
    println(json_stringify(agent_session_current_id()))
    """
    assert values(program) == [True, True, True, None]


def test_14_two_loops_on_one_session(values):
    program = (
        SEAM
        + """
    loop_with(says("first reply"), {session_id: "s"})
    agent_loop(harness, "second task", nil, {session_id: "s", llm_caller: { call ->
      println(json_stringify(call.opts.messages.map({ m -> m.content })))
      {ok: true, value: {text: "all-ok"}}
    }})
    """
    )
    assert values(program) == [["t", "first reply", "second task"]]
