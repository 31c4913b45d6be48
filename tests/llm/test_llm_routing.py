"""``routing_policy`` on the virtual clock against the mock: chain, races, budget, verifiers, events (llm 12)."""

from __future__ import annotations

import json
import sys

import pytest

PROGRAM = """
fn main(harness: Harness) {
  const policy = routing_policy(CONFIG)
  for entry in parse_json(ENTRIES) { harness.llm.mock_enqueue(entry) }
  const options = {routing: policy, session_id: "s", OPTIONS}
  const seen = harness.agent.capture_events("s", { -> harness.llm.call_safe("ask", nil, options) })
  const r = seen.result
  println(json_stringify({
    ok: r.ok, text: r.response?.text, error: r.error, routing: r.response?.routing, data: r.response?.data,
    topic: event_log.read(policy.observe.emit_event).map({ e -> [e.kind, e.payload] }),
    session: seen.events.map({ e -> e.type }),
    clock: monotonic_ms(), calls: harness.llm.mock_calls(), cost: harness.llm.session_cost(),
  }))
}
"""
TWO = 'chain: ["anthropic:claude-opus-4-20250514", {provider: "openai", model: "gpt-5.4-mini", label: "cheap"}]'
DOWN = {"error": {"status": 503, "category": "overloaded"}}


@pytest.fixture
def ask(run_harn):
    def run(config: str, *entries: dict, options: str = "", **keywords) -> dict:
        program = PROGRAM.replace("CONFIG", "{" + config + "}").replace("OPTIONS", options)
        program = program.replace("ENTRIES", json.dumps(json.dumps(list(entries))).replace("$", "\\$"))
        ran = run_harn(program, virtual_time=0, **keywords)
        assert ran.code == 0, ran.err
        return json.loads(ran.out)

    return run


def events(seen: dict) -> list[str]:
    return [kind.rpartition(".")[2] for kind, _ in seen["topic"]]


def statuses(seen: dict) -> list[str]:
    return [attempt["status"] for attempt in seen["routing"]["attempts"]]


def test_failover_of_the_reference_example(ask):
    seen = ask(TWO + ', failover: {on_status: [503]}, observe: {emit_event: "demo.route"}', DOWN, {"text": "backup"})
    assert seen["text"] == "backup"
    assert seen["routing"]["selected"] == 1
    assert seen["routing"]["attempts"][1]["label"] == "cheap"
    assert seen["routing"]["policy"] == "routing_policy(chain=2)"
    assert [kind for kind, _ in seen["topic"]] == ["demo.route.decision", "demo.route.attempt", "demo.route.attempt"]
    assert seen["session"] == [kind for kind, _ in seen["topic"]]
    first = seen["routing"]["attempts"][0]
    assert (first["index"], first["status"], first["error"]["status"]) == (1, "failed", 503)
    assert seen["topic"][0][1]["chain"][1] == {"provider": "openai", "model": "gpt-5.4-mini", "label": "cheap"}


def test_an_error_that_is_not_eligible_stops_the_chain(ask):
    seen = ask(TWO, {"error": {"status": 400, "message": "bad"}}, {"text": "never"})
    assert seen["error"]["category"] == "invalid_request"
    assert "attempts" not in seen["error"]
    assert events(seen) == ["decision", "attempt"]
    seen = ask(TWO, DOWN, {"error": {"status": 400, "message": "bad"}})
    assert (seen["error"]["attempt_count"], len(seen["error"]["attempts"])) == (2, 2)


@pytest.mark.parametrize(
    ("failover", "entry", "goes_on"),
    [
        ("", {"error": {"status": 429}}, True),
        ("", {"error": {"status": 529}}, True),  # overloaded
        ("", {"error": {"category": "transient_network"}}, True),
        ("", {"error": {"category": "circuit_open"}}, True),
        ("", {"error": {"status": 401}}, False),
        ("on_status: [503]", {"error": {"status": 529}}, False),
        ("on_status: [503]", {"error": {"status": 503}}, True),
        ('on_error_kinds: "network, rate_limited"', {"error": {"category": "transient_network"}}, True),
        ('on_error_kinds: ["provider_5xx"]', {"error": {"category": "server_error"}}, True),
        ('on_error_kinds: ["timeout"]', {"error": {"category": "rate_limit"}}, False),
        ("on_timeout_ms: 100", {"text": "late", "delay_ms": 500}, True),
        ("on_status: [503]", {"text": "late", "delay_ms": 200_000}, False),
    ],
)
def test_which_errors_are_followed(ask, failover, entry, goes_on):
    seen = ask(f"{TWO}, failover: {{{failover}}}" if failover else TWO, entry, {"text": "next"})
    assert (seen["text"] == "next") is goes_on


def test_the_end_of_a_chain(ask):
    seen = ask(TWO, DOWN, {"error": {"status": 429, "message": "slow down"}})
    error = seen["error"]
    assert error["message"] == "provider routes exhausted after 2 request attempt(s) across 2 route(s)"
    assert (error["code"], error["kind"], error["reason"]) == ("provider_exhausted", "terminal", "rate_limit")
    assert (error["category"], error["attempt_count"], error["no_single_route"]) == ("rate_limit", 2, True)
    assert events(seen)[-1] == "exhausted"
    last = seen["topic"][-1][1]
    assert (last["attempts"], last["last_error_status"], len(last["attempt_chain"])) == (2, 429, 2)
    seen = ask('chain: ["openai:gpt-4o"]', DOWN)
    assert (seen["error"]["provider"], seen["error"]["model"]) == ("openai", "gpt-4o")
    assert "no_single_route" not in seen["error"]


def test_max_attempts(ask):
    seen = ask(TWO + ", failover: {max_attempts: 1}", DOWN, {"text": "never"})
    assert seen["error"]["attempt_count"] == 1


def test_missing_keys_cost_no_attempt(run_harn):
    program = PROGRAM.replace("CONFIG", "{" + TWO + ", budget: {per_call_usd: 9}}").replace("OPTIONS", "")
    ran = run_harn(program.replace("ENTRIES", '"[]"'), virtual_time=0, env={})
    seen = json.loads(ran.out)
    assert events(seen) == ["decision", "route_unavailable", "route_unavailable", "exhausted"]
    assert seen["topic"][1][1]["reason"] == "missing_credentials"
    assert (seen["error"]["reason"], seen["error"]["attempt_count"]) == ("auth_failure", 0)
    assert [attempt["status"] for attempt in seen["error"]["attempts"]] == ["skipped", "skipped"]


# --- races ------------------------------------------------------------------------------------------

RACE = TWO + ", latency: {race_after_ms: 100}"


@pytest.mark.parametrize(
    ("first", "second", "text", "status", "clock", "reason"),
    [
        (90, 10, "a", ["succeeded"], 90, None),
        (100, 10, "a", ["succeeded"], 100, None),
        (500, 50, "b", ["race_lost", "succeeded"], 150, "backup_finished_first"),
        (150, 500, "a", ["succeeded", "race_lost"], 150, "primary_finished_first"),
        (150, 50, "a", ["succeeded", "race_lost"], 150, "primary_finished_first"),  # a tie
    ],
)
def test_races(ask, first, second, text, status, clock, reason):
    seen = ask(RACE, {"text": "a", "delay_ms": first}, {"text": "b", "delay_ms": second})
    assert (seen["text"], statuses(seen), seen["clock"]) == (text, status, clock)
    assert seen["routing"]["selected"] == status.index("succeeded")
    lost = [payload for kind, payload in seen["topic"] if kind.endswith("race_lost")]
    assert [payload["reason"] for payload in lost] == ([reason] if reason else [])
    if reason:
        loser = seen["routing"]["attempts"][status.index("race_lost")]
        assert (loser["cost_usd"], loser["input_tokens"], loser["output_tokens"]) == (None, None, None)
        assert events(seen) == ["decision", "attempt", "race_started", "attempt", "race_won", "race_lost"]


def test_a_racer_that_fails_leaves_the_other_running(ask):
    seen = ask(RACE, {"text": "a", "delay_ms": 300}, {**DOWN, "delay_ms": 10})
    assert (seen["text"], statuses(seen), seen["clock"]) == ("a", ["succeeded", "failed"], 300)
    seen = ask(RACE, {**DOWN, "delay_ms": 200}, {"text": "b", "delay_ms": 300})
    assert (seen["text"], statuses(seen), seen["clock"]) == ("b", ["failed", "succeeded"], 400)
    assert events(seen) == ["decision", "attempt", "race_started", "attempt", "race_won"]


def test_when_both_racers_fail_the_error_of_the_primary_decides(ask):
    three = RACE.replace("]", ', "ollama:llama4:70b"]', 1)
    late = {"error": {"status": 400, "message": "bad"}, "delay_ms": 200}
    seen = ask(three, late, DOWN, {"text": "never"})
    assert (seen["error"]["status"], seen["error"]["attempt_count"]) == (400, 2)
    seen = ask(three, {**DOWN, "delay_ms": 200}, {"error": {"status": 400}}, {"text": "third"})
    assert (seen["text"], seen["routing"]["selected"]) == ("third", 2)


def test_both_racers_silent(ask):
    config = RACE + ", failover: {on_status: [503]}"
    silent = {"text": "late", "delay_ms": 900_000}
    seen = ask(config, silent, silent)
    assert seen["error"]["message"] == "routing_policy: race exhausted both primary and backup attempts"
    assert seen["error"]["no_single_route"] is True
    assert "provider" not in seen["error"]
    assert seen["clock"] == 120_100


def test_one_attempt_left_starts_no_race(ask):
    seen = ask(RACE + ", failover: {max_attempts: 1}", {"text": "a", "delay_ms": 500})
    assert events(seen) == ["decision", "attempt"]


def test_a_deadline_stops_both_racers(run_harn):
    program = """
fn main(harness: Harness) {
  const policy = routing_policy({chain: ["openai:gpt-4o", "anthropic:claude-sonnet-5"], latency: {race_after_ms: 10}})
  harness.llm.mock_enqueue({text: "a", delay_ms: 1000})
  harness.llm.mock_enqueue({text: "b", delay_ms: 1000})
  println(try { deadline 50ms { harness.llm.call("x", nil, {routing: policy}) } })
  println(monotonic_ms())
}
"""
    ran = run_harn(program, virtual_time=0)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "50"), ran.err
    assert "Deadline exceeded" in ran.out


# --- budget -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "selected"), [("skip", 1), ("downgrade", 1), ("warn", 0)])
def test_a_link_over_budget(ask, how, selected):
    seen = ask(f'{TWO}, budget: {{per_call_usd: 0.1, on_exceed: "{how}"}}', {"text": "ok"})
    assert seen["routing"]["selected"] == selected
    over = next(payload for kind, payload in seen["topic"] if kind.endswith("budget_exceeded"))
    assert (over["kind"], over["limit_usd"], over["attempt"]) == ("per_call", 0.1, 1)
    # 1 estimated token in and 4096 out at 15 and 75 USD per million
    assert 0.3 < over["projected_cost_usd"] < 0.31
    assert len(seen["calls"]) == 1


def test_budget_aborts_before_anything_is_sent(ask):
    seen = ask(TWO + ", budget: {per_call_usd: 0.1}", {"text": "never"})
    assert (seen["error"]["category"], seen["error"]["limit"]) == ("budget_exceeded", "per_call_usd")
    assert seen["calls"] == []
    seen = ask(TWO + ", budget: {per_call_usd: 0.1}", {"text": "ok"}, options="max_tokens: 100")
    assert seen["routing"]["selected"] == 0
    seen = ask(TWO + ", budget: {session_usd: 0.2}", {"text": "never"})
    assert seen["error"]["message"].endswith("would exceed session_usd")


def test_no_known_price_passes(ask):
    assert ask('chain: ["groq:zzz"], budget: {per_call_usd: 0}', {"text": "ok"})["ok"]


# --- verifiers --------------------------------------------------------------------------------------

LINT = 'escalate_on: [{kind: "lint", forbidden_patterns: ["TODO"]}]'


def test_refine_asks_the_same_link_again(ask):
    seen = ask(f"{TWO}, {LINT}", {"text": "TODO"}, {"text": "done"})
    assert (seen["text"], seen["routing"]["selected"], statuses(seen)) == ("done", 1, ["succeeded", "succeeded"])
    assert [a["verifier_outcome"] for a in seen["routing"]["attempts"]] == ["refine", "accept"]
    assert {a["model"] for a in seen["routing"]["attempts"]} == {"claude-opus-4-20250514"}
    assert [m["content"] for m in seen["calls"][1]["messages"]] == [
        "ask",
        "The previous response did not pass verification. Please address the following and try again:\n"
        "- lint: forbidden pattern matched: TODO",
    ]


def test_reasons_add_up_and_refines_are_capped(ask):
    config = f"{TWO}, {LINT}, max_refines_per_link: 2"
    config = config.replace('["TODO"]', '["TODO", "FIXME"]')
    seen = ask(config, {"text": "TODO"}, {"text": "FIXME"}, {"text": "TODO"}, {"text": "fine"})
    outcomes = [a["verifier_outcome"] for a in seen["routing"]["attempts"]]
    assert (seen["text"], outcomes) == ("fine", ["refine", "refine", "escalate", "accept"])
    third = seen["calls"][2]["messages"][-1]["content"]
    assert third.count("\n- ") == 2
    assert len(seen["calls"][3]["messages"]) == 1


def test_the_last_rejected_candidate_is_the_result(ask):
    config = f"{TWO}, {LINT}, max_refines_per_link: 0"
    seen = ask(config, {"text": "TODO 1"}, {"text": "TODO 2"})
    assert (seen["text"], seen["routing"]["selected"]) == ("TODO 2", 1)
    assert seen["routing"]["attempts"][1]["verifier_outcome"] == "escalate"
    assert seen["cost"]["call_count"] == 2
    seen = ask(config, {"text": "TODO 1"}, DOWN)
    assert seen["error"]["code"] == "provider_exhausted"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("```harn\nconst x = 1\n```", None),
        ("some prose\n```\nconst x = 1\n```\nmore", None),
        ("const x = 1", None),
        ("```harn\nlet = \n```", "typecheck: parse failed: "),
        ("```harn\n\n```", "typecheck: no Harn source found in candidate text"),
        ("```harn\nprintln(nowhere)\n```", "typecheck: "),
    ],
)
def test_typecheck(ask, text, reason):
    seen = ask('chain: ["openai:gpt-4o"], escalate_on: ["typecheck"]', {"text": text})
    signal = seen["routing"]["attempts"][0]["verifier_signals"][0]
    assert (signal["kind"], signal["signal"]) == ("typecheck", "accept" if reason is None else "escalate")
    assert signal["reason"] is None if reason is None else signal["reason"].startswith(reason)


def test_lint_names_everything_that_is_wrong(ask):
    lint = (
        '{kind: "lint", forbidden_patterns: "a+", required_patterns: ["zz"], max_line_length: 3, on_fail: "escalate"}'
    )
    seen = ask(f'chain: ["openai:gpt-4o"], escalate_on: [{lint}]', {"text": "ok\naaaa"})
    assert seen["routing"]["attempts"][0]["verifier_signals"][0]["reason"] == (
        "lint: forbidden pattern matched: a+; required pattern missing: zz; line 2 exceeds max_line_length=3"
    )


def test_a_catastrophic_pattern_is_harmless(ask):
    lint = '{kind: "lint", forbidden_patterns: ["(a+)+$"], on_fail: "escalate"}'
    seen = ask(f'chain: ["openai:gpt-4o"], escalate_on: [{lint}]', {"text": "a" * 100_000 + "!"})
    assert seen["routing"]["attempts"][0]["verifier_outcome"] == "accept"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit(0 if sys.stdin.read() == 'candidate' else 3)", None),
        ("import sys; print('first'); print('last line'); sys.exit(2)", "command exited with status 2: last line"),
        ("import time; time.sleep(60)", "timed out after 1s"),
    ],
)
def test_test_run(ask, code, reason):
    command = json.dumps([sys.executable, "-c", code])
    config = f'chain: ["openai:gpt-4o"], escalate_on: [{{kind: "test", command: {command}, timeout_secs: 1}}]'
    seen = ask(config, {"text": "candidate"}, allow=("process",))
    found = seen["routing"]["attempts"][0]["verifier_signals"][0]["reason"]
    assert found == (None if reason is None else f"test_run: {reason}")


def test_test_run_needs_leave_to_start_processes(ask):
    seen = ask('chain: ["openai:gpt-4o"], escalate_on: [{kind: "test_run", command: "true"}]', {"text": "x"})
    assert "harness.process.exec is not allowed" in seen["error"]["message"]
    config = 'chain: ["openai:gpt-4o"], escalate_on: [{kind: "test_run", command: "no-such-command"}]'
    seen = ask(config, {"text": "x"}, allow=("process",))
    reason = seen["routing"]["attempts"][0]["verifier_signals"][0]["reason"]
    assert reason.startswith("test_run: failed to spawn: no-such-command")


# --- schemas, options, values -----------------------------------------------------------------------

SCHEMA = 'output: {schema: {type: "object", required: ["n"]}}, schema_retries: 0'


def test_a_reply_that_breaks_the_schema_may_be_followed(ask):
    config = TWO + ', failover: {on_error_kinds: ["schema_validation"]}'
    seen = ask(config, {"text": "{}"}, {"text": '{"n": 1}'}, options=SCHEMA)
    assert (seen["data"], seen["routing"]["selected"]) == ({"n": 1}, 1)
    assert seen["routing"]["attempts"][0]["error"]["category"] == "schema_validation"
    seen = ask(config, {"text": "{}"}, {"text": "{}"}, options=SCHEMA)
    assert (seen["ok"], seen["data"]) == (True, {})
    seen = ask(TWO, {"text": "{}"}, {"text": '{"n": 1}'}, options=SCHEMA.replace("0", "1"))
    assert (seen["data"], len(seen["calls"]), seen["routing"]["selected"]) == ({"n": 1}, 2, 0)


def test_each_link_has_its_own_deadline(ask):
    config = 'chain: [{provider: "openai", model: "gpt-4o", timeout_ms: 70}, "openai:gpt-4o-mini"]'
    config += ", failover: {on_timeout_ms: 30}"
    late = {"text": "late", "delay_ms": 1000}
    seen = ask(config, late, late)
    assert (seen["clock"], seen["error"]["code"], seen["error"]["category"]) == (100, "provider_exhausted", "timeout")


def test_replay_gives_the_same(ask):
    config = f"{RACE}, {LINT}"
    entries = [{"text": "a", "delay_ms": 300}, {"text": "TODO", "delay_ms": 20}, {"text": "fine", "delay_ms": 5}]
    assert ask(config, *entries) == ask(config, *entries)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("{}", "routing_policy: `chain` is required (list of {provider, model})"),
        ("{chain: 1}", "routing_policy.chain: expected a list, got int"),
        ("{chain: []}", "routing_policy.chain: at least one {provider, model} entry is required"),
        (
            '{chain: ["x:"]}',
            'routing_policy.chain[0]: both provider and model are required (got provider="x", model="")',
        ),
        (
            '{chain: ["a:b"], failover: {on_status: [99]}}',
            "routing_policy.failover.on_status: 99 is not a valid HTTP status (100..=599)",
        ),
        ('{chain: ["a:b"], failover: {max_attempts: 0}}', "routing_policy.failover.max_attempts: must be >= 1"),
        (
            '{chain: ["a:b"], budget: {on_exceed: "x"}}',
            'routing_policy.budget.on_exceed: expected one of abort|skip|warn, got "x"',
        ),
        ('{chain: ["a:b"], failovr: {}}', "routing_policy: unknown key `failovr`"),
        (
            '{chain: ["a:b"], escalate_on: [{}]}',
            "routing_policy.escalate_on[0]: `kind` is required (one of typecheck, lint, test_run)",
        ),
        (
            '{chain: ["a:b"], escalate_on: [{kind: "x"}]}',
            'unknown kind "x" (expected typecheck, lint, or test_run)',
        ),
        (
            '{chain: ["a:b"], escalate_on: [{kind: "lint"}]}',
            "lint verifier needs at least one of forbidden_patterns, required_patterns, or max_line_length",
        ),
        ('{chain: ["a:b"], escalate_on: [{kind: "test"}]}', "test_run verifier requires a non-empty `command`"),
        (
            '{chain: ["a:b"], escalate_on: [{kind: "typecheck", on_fail: "x"}]}',
            'on_fail: expected "escalate" or "refine"',
        ),
        ('{chain: ["a:b"], escalate_on: [{kind: "lint", forbidden_patterns: "("}]}', "invalid pattern `(`"),
    ],
)
def test_bad_policies(run_harn, config, message):
    ran = run_harn(f"println(try {{ routing_policy({config}) }})")
    assert ran.out.startswith("Result.Err(routing_policy"), ran.out
    assert message in ran.out


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('{chain: ["a:b"]}', "pass the result of routing_policy({...}); the routing key does not accept a bare dict"),
        ("3", "expected a routing_policy(...) value, got int"),
        ('routing_policy({chain: ["openai:gpt-4o"]}) + {label: "x"}', "this routing_policy value was changed"),
        ('routing_policy({chain: ["nope:m"]})', 'routing_policy.chain[0]: unknown provider "nope"'),
    ],
)
def test_bad_values_of_routing(run_harn, value, message):
    ran = run_harn(
        f'llm_mock({{text: "x"}})\nconst r = llm_call_safe("p", nil, {{routing: {value}}})\n'
        "println(r.error.message)\nprintln(llm_mock_calls().count())"
    )
    assert message in ran.out, ran.err
    assert ran.out.endswith("\n0\n")


def test_no_routing_is_a_plain_call(run_harn):
    ran = run_harn(
        'for value in [nil, false] { println(llm_call("p", nil, {provider: "mock", routing: value}).routing) }'
    )
    assert ran.out == "nil\nnil\n"


# --- ladders and equivalents ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "models"),
    [
        ('models: ["gpt-4o", {model: "sonnet", options: {temperature: 0.5}}]', ["gpt-4o", "claude-sonnet-5"]),
        ('ladder: "agent_frontier"', ["claude-opus-5", "claude-sonnet-5"]),
        ('equivalent_failover: true, model: "sonnet"', ["claude-sonnet-5", "anthropic/claude-sonnet-5"]),
    ],
)
def test_ladders_advance(run_harn, options, models):
    ran = run_harn(
        'llm_mock({error: {status: 503}})\nllm_mock({text: "second"})\n'
        f'println(llm_call("p", nil, {{{options}}}).text)\nprintln(llm_mock_calls().map({{ c -> c.model }}))'
    )
    assert ran.out == f"second\n[{', '.join(models)}]\n", ran.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            'models: ["a"], ladder: "b"',
            "llm_call: `models:` and `ladder:` are mutually exclusive — pass an inline step list OR a named catalog "
            "ladder, not both",
        ),
        ("models: []", "llm_call: model ladder must list at least one step"),
        (
            'ladder: "x"',
            'llm_call: no model ladder named "x" in the catalog '
            "(known ladders: agent_cheap, agent_frontier, frugal, sitrep)",
        ),
        ('models: [{model: "gpt-4o", options: {system: "s"}}]', "step 0: unknown field `options.system`"),
    ],
)
def test_bad_ladders(run_harn, options, message):
    ran = run_harn(f'println(llm_call_safe("p", nil, {{{options}}}).error.message)')
    assert message in ran.out
