"""Recording live calls and replaying them: the same results, no socket, and the first difference named (llm 10.6)."""

from __future__ import annotations

import json

import pytest
from stub import Answer, Stub
from wires import KEY, MARK, WIRES

wires = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)

PROGRAM = """
fn main(harness: Harness) {
  for prompt in ["a*", "b [x]", "my key is sk-0123456789abcdef", "a*"] {
    const r = harness.llm.call_safe(prompt, "be short", {provider: "NAME", model: "m", temperature: 0.5})
    println(json_stringify([r.response?.text, r.response?.usage, r.response?.tool_calls, r.response?.outcome, r.error]))
  }
  for chunk in harness.llm.stream_call("stream", nil, {provider: "NAME", model: "m"}) { println(json_stringify(chunk)) }
}
"""


def answers(wire) -> list[Answer]:
    call = wire.whole("", calls=[("c1", "add", {"a": 1})])
    return [
        wire.whole("one"),
        wire.failing(429, "slow", retry_after="3"),
        call,
        wire.whole("two"),
        wire.stream("x", "y"),
    ]


@pytest.fixture
def tape(tmp_path) -> str:
    return str(tmp_path / "calls.jsonl")


@pytest.fixture
def record(run_harn, tape):
    """Record ``program`` against a server and give what it printed."""

    def run(wire, program: str, *replies: Answer) -> str:
        with Stub(*replies) as stub:
            ran = run_harn(program, llm_mock_record=tape, env=wire.environment(stub.url))
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    return run


@wires
def test_a_replay_gives_what_was_recorded_and_opens_no_socket(run_harn, record, tape, wire, monkeypatch):
    program = PROGRAM.replace("NAME", wire.name)
    live = record(wire, program, *answers(wire))
    with open(tape, encoding="utf-8") as file:
        written = file.read()
    assert MARK not in written
    assert "authorization" not in written.lower()
    assert [json.loads(line).get("id") for line in written.splitlines()] == [None, *(f"record-{n}" for n in range(5))]
    monkeypatch.setattr("socket.socket", None)
    replay = run_harn(program, llm_mock=tape, env={})
    assert (replay.code, replay.err) == (0, "")
    assert replay.out == live


DIFFERENCES = [
    ('"hi"', '"ho"', 'No --llm-mock fixture matched prompt: "ho"; call 2 is the first that differs'),
    ("nil,", '"be brief",', "call 2 is the first that differs from the recording: `system` of record-1 was not set"),
    ('model: "m"', 'model: "n"', '`model` of record-1 was "m", now "n"'),
    ("max_tokens: 9", "max_tokens: 10", "`max_tokens` of record-1 was 9, now 10"),
]


@pytest.mark.parametrize(("old", "new", "message"), DIFFERENCES)
def test_the_first_call_that_differs_is_named(run_harn, record, tape, old, new, message):
    wire = WIRES[0]
    program = """
    println(llm_call("first", nil, {provider: "anthropic", model: "x"}).text)
    println(llm_call("hi", nil, {provider: "anthropic", model: "m", max_tokens: 9}).text)
    """
    assert record(wire, program, wire.whole("one"), wire.whole("two")) == "one\ntwo\n"
    first, second = program.rstrip().rsplit("\n", 1)
    changed = f"{first}\n{second.replace(old, new)}"
    later = '\nprintln(llm_call_safe("hi", nil, {provider: "anthropic", model: "m", max_tokens: 9}).error.message)'
    safe = changed.replace("llm_call(", "llm_call_safe(").replace(").text", ")") + later
    ran = run_harn(changed, llm_mock=tape, env={})
    assert (ran.code, ran.out) == (1, "one\n")
    assert message in ran.err
    again = run_harn(safe, llm_mock=tape, env={})
    assert message in again.out.splitlines()[-1]


def test_clearing_the_mock_keeps_a_replay_offline(run_harn, record, tape):
    wire = WIRES[1]
    record(wire, 'llm_call("hi", nil, {provider: "openai", model: "m"})', wire.whole("one"))
    program = """
    llm_mock_clear()
    println(llm_call_safe("hi", nil, {provider: "openai", model: "m"}).error.message)
    llm_mock({text: "own"})
    println(llm_call("hi", nil, {provider: "openai", model: "m"}).text)
    """
    with Stub(wire.whole("live")) as stub:
        ran = run_harn(program, llm_mock=tape, env=wire.environment(stub.url))
        assert stub.connections == 0
    assert ran.out == 'No --llm-mock fixture matched prompt: "hi"\nown\n'


def test_identical_prompts_replay_in_order_under_parallel(run_harn, record, tape):
    wire = WIRES[1]
    program = 'println(parallel each ["a", "b", "a"] { p -> llm_call(p, nil, {provider: "openai", model: "m"}).text })'
    live = record(wire, program, wire.whole("1"), wire.whole("2"), wire.whole("3"))
    replayed = run_harn(program, llm_mock=tape, env={}).out
    assert replayed == live


ABANDONED = {
    "race": """
      const p = routing_policy({chain: ["openai:m", "local:m"], latency: {race_after_ms: 30}})
      const r = llm_call("hi", nil, {routing: p})
      println([r.text, r.routing.attempts.map({ a -> [a.status, a.label, a.error?.message] })])
    """,
    "deadline": """
      fn ask() { return llm_call("hi", nil, {provider: "openai", model: "m"}) }
      println(try { deadline 60ms { ask() } } catch (e) { e })
    """,
    "timeout": """
      const e = llm_call_safe("hi", nil, {provider: "openai", model: "m", timeout_ms: 60}).error
      println([e.reason, e.deadline, e.origin, e.phase])
    """,
    "dropped stream": """
      for chunk in llm_stream_call("hi", nil, {provider: "ollama", model: "m"}) {
        println(chunk)
        break
      }
    """,
    "broken stream": """
      try {
        for chunk in llm_stream_call("hi", nil, {provider: "ollama", model: "m"}) { println(chunk) }
      } catch (e) {
        println(json_stringify(e))
      }
    """,
}


@pytest.mark.parametrize("abandoned", ABANDONED.values(), ids=ABANDONED)
def test_calls_that_did_not_end_well_replay_as_they_went(run_harn, tape, abandoned):
    """Lost races, deadlines, streams that were left or cut: each takes its own entry and no one else's."""
    program = abandoned + '\nprintln(llm_call("hi", nil, {provider: "local", model: "m"}).text)'
    by_name = {wire.name: wire for wire in WIRES}
    silent = Stub(Answer(silent=True))
    cut = Stub(by_name["ollama"].streamed(by_name["ollama"].events(["Hel", "lo"])[:-1]))
    with silent, cut, Stub(by_name["local"].whole("one"), by_name["local"].whole("two")) as answering:
        servers = {"openai": silent, "ollama": cut, "local": answering}
        env: dict[str, str] = {}
        for name, stub in servers.items():
            env.update(by_name[name].environment(stub.url))
        live = run_harn(program, llm_mock_record=tape, env=env)
    assert (live.code, live.err) == (0, "")
    replay = run_harn(program, llm_mock=tape, env={})
    assert (replay.code, replay.out, replay.err) == (0, live.out, "")


def test_what_a_provider_wants_back_is_replayed(run_harn, record, tape):
    wire = next(wire for wire in WIRES if wire.name == "anthropic")
    program = """
    const r = llm_call("hi", nil, {provider: "anthropic", model: "m"})
    println(json_stringify([r.thinking_blocks, r.provider_response_id, r.transcript]))
    """
    live = record(wire, program, wire.whole("ok", thinking="hmm"))
    assert "sig==" in live
    assert run_harn(program, llm_mock=tape, env={}).out == live


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            '{"id": "a", "scope": "default", "consume": "once", "request": 1}',
            "line 2: `request` must be a dict, got int",
        ),
        (
            '{"id": "a", "scope": "default", "consume": "once", "received": [1]}',
            "line 2: `received` must be a dict, got list",
        ),
        ('{"id": "a", "scope": "default", "consume": "once", "txt": "x"}', "line 2: unknown fixture entry field `txt`"),
        ("{broken", "line 2: "),
    ],
)
def test_a_bad_recording_is_refused_with_its_line(run_harn, tmp_path, line, fault):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"schemaVersion": 1, "strictScopes": false}\n' + line + "\n")
    ran = run_harn("println(1)", llm_mock=str(path))
    assert (ran.code, ran.out) == (1, "")
    assert f"--llm-mock: {path}: {fault}" in ran.err


def test_a_recording_that_cannot_be_written(run_harn, tmp_path):
    ran = run_harn("println(1)", llm_mock_record=str(tmp_path / "no" / "such.jsonl"))
    assert ran.code == 1
    assert "--llm-mock-record: cannot write" in ran.err


SINKS = """
import {default_llm_caller} from "std/llm/caller"
import {with_logging} from "std/llm/handlers"
fn main(harness: Harness) {
  const caller = with_logging(default_llm_caller(), {level: "debug", include_prompt: true, sink: { r -> println(r) }})
  const turn = {iteration: 0, session_id: "s", attempt: 1}
  const opts = {provider: "NAME", model: "m"}
  for n in 1 to 6 {
    const got = harness.agent.capture_events("s", { -> caller({prompt: "hi", system: nil, opts: opts, turn: turn}) })
    println(got)
    println(json_stringify(got))
  }
  println(harness)
  println(harness.llm)
  harness.llm.call("the last one throws", nil, opts)
}
"""


@wires
def test_a_key_shows_nowhere(run_harn, tmp_path, tape, wire):
    """S52: the server gives the key back in every way; no sink of the run has it."""
    echoes = [
        Answer(reset=True),
        wire.failing(401, f"bad Authorization: Bearer {KEY}"),
        wire.failing(404, f"https://host/v1/x?key={KEY}"),
        Answer(500, f"x-api-key: {KEY}"),
        Answer(302, "", {"location": f"http://other.invalid/?key={KEY}"}),
        wire.whole(f"your key is {KEY}"),
        wire.failing(401, f"again {KEY}", retry_after=KEY),
    ]
    events = tmp_path / "events.jsonl"
    with Stub(*echoes) as stub:
        ran = run_harn(
            SINKS.replace("NAME", wire.name), env=wire.environment(stub.url), events=str(events), llm_mock_record=tape
        )
    assert (ran.code, len(stub.requests)) == (1, 7)
    assert all(MARK not in request.path for request in stub.requests)
    if wire.key_header[0]:
        assert all(request.headers[wire.key_header[0]] == wire.key_header[1] for request in stub.requests)
    with open(tape, encoding="utf-8") as file:
        sinks = {"out": ran.out.replace(f"your key is {KEY}", ""), "err": ran.err, "tape": file.read()}
    sinks["events"] = events.read_text()
    assert {name: text[max(0, text.find(MARK) - 200) :][:300] for name, text in sinks.items() if MARK in text} == {}


def test_no_repr_of_ours_shows_a_key():
    from harnpy.llm.exchange import Call
    from harnpy.llm.request import build_request
    from harnpy.llm.transport import Outgoing

    env = {"OPENAI_API_KEY": KEY}
    request = build_request("p", None, {"provider": "openai", "model": "gpt-4o"}, env)
    call = Call(request, env, lambda: 0)
    shown = [repr(thing) for thing in (request, request.route, request.route.provider, call, call._outgoing())]
    assert all(MARK not in text for text in shown)
    assert isinstance(call._outgoing(), Outgoing)
