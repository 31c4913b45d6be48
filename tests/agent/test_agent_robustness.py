"""What a loop does with odd options, odd callbacks and replies that count their calls anew."""

from __future__ import annotations

import json

import pytest

TOOLS = """
import {agent_preset, agent_preset_register} from "std/agent/presets"
import {default_lane_rows, lane_policy} from "std/agent/lanes"
fn registry(names) {
  let tools = tool_registry()
  for name in names { tools = tool_define(tools, name, "", {parameters: {}, handler: { args -> "ran ${name}" }}) }
  return tools
}
fn caught(body) {
  try { body(); return "no error" } catch (e) { return e }
}
fn says(text) { return {ok: true, value: {text: text}} }
"""


def test_ids_of_calls_come_once_in_a_session(values):
    program = (
        TOOLS
        + """
    const opts = {session_id: "s", tools: registry(["a"]), llm_caller: { call ->
      if call.turn.iteration < 3 { {ok: true, value: {tool_calls: [{id: "c0", name: "a"}, {id: "c1", name: "a"}]}} }
      else { says("all-ok") }
    }}
    agent_loop(harness, "one", nil, opts)
    const r = agent_loop(harness, "two", nil, opts)
    const messages = r.transcript.messages
    println(json_stringify(messages.flat_map({ m -> (m.tool_calls ?? []).map({ call -> call.id }) })))
    println(json_stringify(messages.filter({ m -> m.role == "tool_result" }).map({ m -> m.tool_call_id })))
    agent_session_reset("s")
    const fresh = agent_loop(harness, "three", nil, opts).transcript.messages
    println(json_stringify(fresh[1].tool_calls.map({ call -> call.id })))
    """
    )
    calls, results, fresh = values(program)
    assert calls == results
    assert len(set(calls)) == len(calls) == 8
    assert calls[:4] == ["c0", "c1", "c0_2", "c1_2"]
    assert fresh == ["c0", "c1"]


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("history: 5", "`history` must be a list or nil; got int"),
        ("policy: [1]", "`policy` must be a dict or nil; got list"),
        ("session_id: 7", "`session_id` must be a string or nil; got int"),
        ("max_nudges: -1", "`max_nudges` must not be negative; got -1"),
        ('tool_retries: "x"', "`tool_retries` must be an integer or nil; got string"),
        ("permissions: true", "`permissions` must be a dict or nil; got bool"),
        ('native_tool_fallback: "maybe"', "`native_tool_fallback` must be one of allow, allow_once, reject; got maybe"),
        ("fallback_chain: [5]", "`fallback_chain` must be a model, or a list of models and {provider, model} dicts"),
        ("output: 5", '`output` must be "text", "json", a schema dict or nil; got int'),
        (
            'compaction: {keep_last_n: "x"}',
            "`compaction.keep_last_n` must be a non-negative integer; got string",
        ),
        (
            'history: [{role: "assistant", tool_calls: 5}]',
            "`history`: `tool_calls` of a message must be a list of dicts or nil",
        ),
        ('compaction: "gently"', "unknown compaction strategy `gently`"),
    ],
)
def test_an_option_of_a_wrong_type_is_refused(values, option, text):
    program = (
        TOOLS
        + f"""
    const refused = caught({{ -> agent_loop(harness, "t", nil, {{llm_caller: {{ call -> says("x") }}, {option}}}) }})
    println(json_stringify([refused, agent_session_current_id()]))
    """
    )
    assert values(program) == [["agent_loop: " + text, None]]


@pytest.mark.parametrize("change", ["policy: 5", "tools: 7", 'max_concurrent_tools: "x"', "history: 4"])
def test_next_options_are_checked_like_options_and_the_transcript_stays(values, change):
    program = (
        TOOLS
        + f"""
    const e = caught({{ -> agent_loop(harness, "t", nil, {{
      session_id: "s", tools: registry(["a"]), post_turn_callback: {{ p -> {{next_options: {{{change}}}}} }},
      llm_caller: {{ call -> {{ok: true, value: {{tool_calls: [{{id: "c", name: "a"}}]}}}} }},
    }}) }})
    println(json_stringify([e, agent_session_messages("s").map({{ m -> m.role }})]))
    """
    )
    [(error, roles)] = values(program)
    assert error.startswith(f"agent_loop: `{change.split(':')[0]}` must be")
    assert roles == ["user", "assistant", "tool_result"]


def test_next_options_may_change_the_tool_format(values):
    program = (
        TOOLS
        + r"""
    const r = agent_loop(harness, "t", nil, {tools: registry(["a"]),
      post_turn_callback: { p -> if p.iteration == 0 { {next_options: {tool_format: "json"}} } else { nil } },
      llm_caller: { call ->
        if call.turn.iteration == 1 { {ok: true, value: {tool_calls: [{id: "c", name: "a"}]}} }
        else if call.turn.iteration == 2 { says("```tool\n{\"name\": \"a\", \"args\": {}}\n```") }
        else { says("all-ok") }
      }})
    println(json_stringify([r.tools.successful, r.tools.mode, r.transcript.messages.map({ m -> m.role })]))
    """
    )
    assert values(program) == [
        [["a", "a"], "json", ["user", "assistant", "tool_result", "assistant", "user", "assistant"]]
    ]


def test_the_fallback_chain_of_a_pack_is_asked_in_order(values):
    program = (
        TOOLS
        + """
    agent_preset_register("chained", {pack: {
      provider: "mock", models: ["m1"],
      fallback_chain: [{provider: "mock", model: "m2"}, {provider: "mock", model: "m3"}],
    }})
    harness.llm.mock_enqueue({error: {status: 500}})
    harness.llm.mock_enqueue({error: {status: 401}})
    harness.llm.mock_enqueue({text: "all-ok"})
    const r = agent_loop(harness, "t", nil, agent_preset("chained", {retry: false}))
    println(json_stringify([r.status, r.text, harness.llm.mock_calls().map({ call -> call.model })]))
    """
    )
    assert values(program) == [["done", "all-ok", ["m1", "m2", "m3"]]]


@pytest.mark.parametrize("tool_format", ["text", "json"])
def test_text_formats_never_name_a_hidden_tool(values, tool_format):
    """Neither the contract in the system text nor any message nor the tools of the call."""
    written = {
        "text": "<tool_call>{name}({{}})</tool_call>",
        "json": '```tool\n{{"name": "{name}", "args": {{}}}}\n```',
    }[tool_format]
    replies = [written.format(name=name) for name in ("read_secrets", "no_such_tool", "LOOK", "look")]
    program = (
        TOOLS
        + """
    const replies = REPLIES
    const opts = lane_policy(default_lane_rows(), "Fix src/a.py", {
      tools: registry(["look", "edit", "deploy_prod", "read_secrets"]), tool_format: "FORMAT", loop_until_done: true,
      llm_caller: { call ->
        println(json_stringify(call))
        says(if call.turn.iteration <= len(replies) { replies[call.turn.iteration - 1] } else { "fine ##DONE##" })
      },
    })
    const r = agent_loop(harness, "Fix src/a.py", nil, opts)
    println(json_stringify([r.tools.successful, r.tools.rejected]))
    """.replace("REPLIES", json.dumps(replies)).replace("FORMAT", tool_format)
    )
    *calls, outcome = values(program)
    assert outcome == [["look"], []]
    for call in calls:
        assert "deploy_prod" not in json.dumps(call)
    first, second, *_ = calls
    assert "read_secrets" not in json.dumps(first)
    told = second["opts"]["messages"][-1]["content"]
    assert "Unknown tool 'read_secrets'. Available tools: [edit, look]" in told


def test_guidance_about_lost_calls_says_that_others_went_through(values):
    program = (
        TOOLS
        + """
    const r = agent_loop(harness, "t", nil, {tools: registry(["a"]), llm_caller: { call ->
      if call.turn.iteration == 1 { {ok: true, value: {tool_calls: [{name: ""}, {id: "c", name: "a"}]}} }
      else { says("all-ok") }
    }})
    println(json_stringify(r.transcript.messages.map({ m -> m.content })))
    """
    )
    [contents] = values(program)
    assert "1 tool call(s) had no name and did not run.\nThe other 1 call(s) of that reply went through." in contents[3]


@pytest.mark.parametrize(
    ("act", "roles"),
    [
        ('agent_session_reset("s")', ["assistant"]),
        ('agent_session_trim("s", 0)', ["assistant"]),
        ('agent_session_compact("s", {keep_last: 0})', ["user", "assistant"]),
        (
            'agent_session_inject("s", {role: "user", content: "by the way"})',
            ["user", "assistant", "tool_result", "tool_result", "user", "user", "assistant"],
        ),
    ],
)
@pytest.mark.parametrize("width", [1, 2])
def test_a_handler_that_changes_its_session_tears_no_call_from_its_result(values, act, roles, width):
    program = f"""
    let tools = tool_registry()
    for name in ["a", "b"] {{
      tools = tool_define(tools, name, "", {{parameters: {{}}, handler: {{ args -> {act} }}}})
    }}
    const r = agent_loop(harness, "t", nil, {{
      session_id: "s", tools: tools, max_concurrent_tools: {width}, llm_caller: {{ call ->
        if call.turn.iteration == 1 {{
          {{ok: true, value: {{tool_calls: [{{id: "x", name: "a"}}, {{id: "y", name: "b"}}]}}}}
        }} else {{
          {{ok: true, value: {{text: "all-ok"}}}}
        }}
      }},
    }})
    println(json_stringify([r.status, r.tools.calls, agent_session_messages("s").map({{ m -> m.role }})]))
    """
    assert values(program) == [["done", ["a", "b"], roles]]


def test_a_trimmed_session_starts_with_no_result_whose_call_went(values):
    program = """
    agent_session_open("s")
    agent_session_inject("s", {role: "user", content: "t"})
    const calls = [{id: "x", name: "a", arguments: {}}]
    agent_session_inject("s", {role: "assistant", content: "", tool_calls: calls})
    agent_session_inject("s", {role: "tool_result", tool_call_id: "x", content: "ok"})
    agent_session_inject("s", {role: "assistant", content: "fine"})
    println(json_stringify([agent_session_trim("s", 2), agent_session_messages("s").map({ m -> m.role })]))
    """
    assert values(program) == [[1, ["assistant"]]]


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ('policy: {tools: "look"}', "`policy.tools` must be a list or nil; got string"),
        (
            'policy: {side_effect_level: "readonly"}',
            "`policy.side_effect_level` must be one of none, read_only, workspace_write, process_exec, network; "
            "got readonly",
        ),
        ('policy: {capabilities: {fs: "read"}}', "`policy.capabilities` must be a dict of lists or nil"),
        (
            'policy: {tool_arg_constraints: [{tool: "edit", arg_patterns: ["src/*"]}]}',
            "`policy.tool_arg_constraints` is not supported in this version",
        ),
        ('policy: {workspace_roots: ["src"]}', "`policy.workspace_roots` is not supported in this version"),
        ("policy: {recursion_limit: 1}", "`policy.recursion_limit` is not supported in this version"),
        (
            "tool_surface_narrowing: {window_turns: 3}",
            "option `tool_surface_narrowing` is not supported in this version",
        ),
        (
            'permissions: {deny: [{a: "x"}]}',
            "`permissions.deny` must be a list of tool names, predicates and {tool: [globs]} dicts, or nil",
        ),
        ("permissions: {on_escalation: 5}", "`permissions.on_escalation` must be a closure or nil; got int"),
        ('approval_policy: {auto_deny: "a"}', "`approval_policy.auto_deny` must be a list of strings or nil"),
    ],
)
def test_a_misspelt_ceiling_is_refused_and_never_means_none(values, option, text):
    program = f"""
    try {{
      agent_loop(harness, "t", nil, {{llm_caller: {{ call -> {{ok: true, value: {{text: "x"}}}} }}, {option}}})
    }} catch (e) {{ println(json_stringify(e)) }}
    """
    assert values(program) == ["agent_loop: " + text]


def test_with_execution_policy_refuses_a_misspelt_ceiling(values):
    program = """
    const outer = {tools: ["a"]}
    const inner = { policy -> with_execution_policy(outer, { -> with_execution_policy(policy, { -> "ran" }) }) }
    try { inner({tools: 5}) } catch (e) { println(json_stringify(e)) }
    println(json_stringify(inner({tool_annotations: 5})))
    """
    assert values(program) == ["with_execution_policy: `policy.tools` must be a list or nil; got int", "ran"]


@pytest.mark.parametrize(("grant", "asked"), [("once", 2), ("session", 1)])
def test_a_grant_for_the_session_is_asked_for_once(values, grant, asked):
    program = (
        TOOLS
        + f"""
    const n = atomic(0)
    const r = agent_loop(harness, "t", nil, {{tools: registry(["a"]),
      permissions: {{deny: ["a"], on_escalation: {{ request -> atomic_add(n, 1); {{grant: "{grant}"}} }}}},
      llm_caller: {{ call ->
        if call.turn.iteration < 3 {{ {{ok: true, value: {{tool_calls: [{{name: "a"}}]}}}} }} else {{ says("all-ok") }}
      }}}})
    println(json_stringify([r.tools.successful, atomic_get(n)]))
    """
    )
    assert values(program) == [[["a", "a"], asked]]


def test_budgets_must_be_numbers(values):
    program = """
    for budget in [{total_budget_usd: "x"}, {max_input_tokens: 1.5}, {max_cost_usd: -1}] {
      try {
        agent_loop(harness, "t", nil, {budget: budget, llm_caller: { call -> {ok: true, value: {text: "x"}} }})
      } catch (e) { println(json_stringify(e)) }
    }
    """
    keys = ["total_budget_usd", "max_input_tokens", "max_cost_usd"]
    assert values(program) == [f"budget.{key}: expected a non-negative number" for key in keys]


@pytest.mark.parametrize(
    ("tool_format", "text"),
    [("text", "<tool_call>a({"), ("text", "<tool_call>a({})"), ("json", '```tool\n{"name": "a"')],
)
def test_a_call_that_was_cut_off_does_not_end_the_run(values, tool_format, text):
    program = (
        TOOLS
        + """
    const r = agent_loop(harness, "t", nil, {tools: registry(["a"]), tool_format: FORMAT, llm_caller: { call ->
      says(if call.turn.iteration == 1 { TEXT } else { "all-ok" })
    }})
    println(json_stringify([r.llm.iterations, r.text, contains(r.transcript.messages[2].content, "parse_guidance")]))
    """.replace("FORMAT", json.dumps(tool_format)).replace("TEXT", json.dumps(text))
    )
    assert values(program) == [[2, "all-ok", True]]
