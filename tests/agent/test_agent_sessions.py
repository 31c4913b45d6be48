"""Many sessions at once stay apart; old ones go; long ones grow linearly."""

from __future__ import annotations

PARALLEL = """
const registry = tool_define(tool_registry(), "who", "", {
  parameters: {}, handler: { args -> sleep_ms(5); agent_session_current_id() },
})
const results = parallel each (0 to 99).to_list() { i ->
  const own = if i % 2 == 0 { {session_id: "s${i}"} } else { {} }
  agent_loop(harness, "task ${i}", nil, own + {tools: registry, llm_caller: { call ->
    sleep_ms(i % 7)
    const last = call.opts.messages[len(call.opts.messages) - 1]
    if last.role == "user" {
      {ok: true, value: {text: "", tool_calls: [{name: "who", arguments: {}}]}}
    } else {
      {ok: true, value: {text: "${call.prompt} in ${last.content.split("\\n")[1]}"}}
    }
  }})
}
for entry in results.enumerate() {
  const r = entry.value
  const texts = r.transcript.messages.map({ message -> message.content })
  const right = r.visible_text == "task ${entry.index} in ${r.session_id}" && texts[0] == "task ${entry.index}"
  if !right || len(texts) != 4 || r.status != "done" { println("${entry.index}: ${json_stringify(r)}") }
}
println(json_stringify(len(set(results.map({ r -> r.session_id })).to_list())))
println(json_stringify(agent_session_current_id()))
"""


def test_a_hundred_loops_in_parallel_keep_their_sessions_apart(values):
    assert values(PARALLEL, virtual_time=1_893_456_000_000) == [100, None]


def test_at_most_128_sessions_are_kept_and_the_oldest_goes_first(values):
    program = """
    for i in 0 to 127 { agent_session_open("s${i}") }
    agent_session_messages("s0")
    agent_session_open("one more")
    println(json_stringify([agent_session_exists("s0"), agent_session_exists("s1"), agent_session_exists("s2")]))
    """
    assert values(program) == [[True, False, True]]


def test_a_session_that_is_driven_is_never_evicted(values):
    program = """
    const r = agent_loop(harness, "t", nil, {session_id: "driven", llm_caller: { call ->
      for i in 0 to 200 { agent_session_open("s${i}") }
      {ok: true, value: {text: "all-ok"}}
    }})
    println(json_stringify(r.transcript.messages.map({ m -> m.content })))
    """
    assert values(program) == [["t", "all-ok"]]


def test_compaction_never_tears_calls_from_results(values):
    program = """
    const registry = tool_define(tool_registry(), "look", "", {parameters: {}, handler: { args -> "x".repeat(400) }})
    const n = atomic(0)
    agent_subscribe("s", { event ->
      if event.type == "transcript_compacted" { println(json_stringify(event.removed > 0)) }
    })
    const r = agent_loop(harness, "the task", nil, {
      session_id: "s", tools: registry, compaction: "truncate", compact_threshold: 400,
      llm_caller: { call ->
        let open = []
        for message in call.opts.messages {
          if message.role == "assistant" { open = (message.tool_calls ?? []).map({ c -> c.id }) }
          if message.role == "tool_result" {
            if message.tool_call_id not in open { throw "orphan ${message.tool_call_id}" }
            open = open.filter({ id -> id != message.tool_call_id })
          }
        }
        if open != [] || call.opts.messages[0].content != "the task" { throw "torn" }
        if atomic_add(n, 1) == 12 { return {ok: true, value: {text: "all-ok"}} }
        {ok: true, value: {text: "", tool_calls: [{name: "look"}, {name: "look"}]}}
      },
    })
    println(json_stringify([r.status, len(r.tools.calls), agent_session_length("s") < 20]))
    """
    lines = values(program)
    assert lines[-1] == ["done", 24, True]
    assert True in lines[:-1]
