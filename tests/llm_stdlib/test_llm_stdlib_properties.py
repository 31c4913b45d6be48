"""Properties of the middleware: random histories against small models (issue 6)."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from middleware_models import NEVER, NOT_COUNTED, RETRIED, attempts_made, breaker_log

pytestmark = pytest.mark.slow

HEAD = """
const C = {
  prompt: "p",
  system: nil,
  opts: {model: "m", provider: "mock"},
  turn: {iteration: 2, session_id: "", attempt: 7},
}
const case = json_parse(harness.stdio.read_stdin())
fn play(step) {
  if type_of(step) == "dict" && step.has("throw") { throw step.throw }
  return step
}
"""


@pytest.fixture(scope="module")
def play():
    """Give ``play(program, case) -> value``: the program reads the case and prints its answer as JSON."""
    from harnpy.cli.program import run as run_source
    from harnpy.options import Options
    from harnpy.source import Source
    from harnpy.streams import memory_streams

    def run(program: str, case: Any) -> Any:
        streams, out, err = memory_streams(json.dumps(case))
        code = run_source(lambda: Source("property.harn", HEAD + program), Options(virtual_time=0), streams)
        assert code == 0, "".join(err)
        return json.loads("".join(out))

    return run


def examples(count: int):
    return settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


FAILURES = st.sampled_from((*RETRIED, *NEVER, "odd")).map(lambda status: {"ok": False, "status": status})
HINTS = st.integers(0, 3000).map(lambda ms: {"ok": False, "status": "rate_limited", "error": {"retry_after_ms": ms}})
ENVELOPES = st.one_of(
    FAILURES,
    HINTS,
    st.sampled_from(
        [
            {"ok": True, "value": {"text": "a"}},
            {"ok": True, "value": {"text": "", "outcome": {"kind": "empty", "billed": True}}},
            {"ok": False, "status": "odd", "retryable": True},
            {"throw": "boom"},
            {"throw": {"kind": "transient"}},
            42,
        ]
    ),
)

RETRY = """
import {with_retry} from "std/llm/handlers"
let seen = []
const next = { call ->
  seen = seen + [call]
  play(case.envelopes[min(len(seen), len(case.envelopes)) - 1])
}
const result = with_retry(next, case.opts)(C)
println(json_stringify({
  calls: len(seen),
  waited: monotonic_ms(),
  same: seen.all({ call -> call == C }),
  attempts: result.retries_attempted,
}))
"""


@examples(150)
@given(
    envelopes=st.lists(ENVELOPES, min_size=1, max_size=6),
    max_attempts=st.integers(-2, 7),
    base=st.integers(0, 700),
    most=st.integers(0, 3000),
    backoff=st.sampled_from(["exponential", "linear", "jittered", "odd"]),
    jitter=st.sampled_from(["full", "equal", "none"]),
)
def test_retry_makes_the_calls_it_must_and_waits_within_bounds(
    play, envelopes, max_attempts, base, most, backoff, jitter
) -> None:
    opts = {"max_attempts": max_attempts, "base_ms": base, "max_ms": most, "backoff": backoff, "jitter": jitter}
    got = play(RETRY, {"envelopes": envelopes, "opts": opts})
    calls = attempts_made(envelopes, max_attempts)
    assert (got["calls"], got["attempts"], got["same"]) == (calls, calls - 1, True)
    low = high = 0
    for attempt in range(1, calls):
        envelope = envelopes[min(attempt, len(envelopes)) - 1]
        hint = envelope.get("error", {}).get("retry_after_ms", 0) if isinstance(envelope, dict) else 0
        delay = min(base * attempt if backoff == "linear" else base * 2 ** (attempt - 1), most)
        low += max(hint, delay if (jitter, backoff) == ("none", backoff) and backoff != "jittered" else 0)
        high += max(hint, delay)
    assert low <= got["waited"] <= high


BUDGET = """
import {with_budget} from "std/llm/handlers"
const running = atomic(0)
const next = { call ->
  atomic_add(running, 1)
  harness.clock.sleep_ms(5)
  {ok: case.ok, status: "network", value: {usage: {input_tokens: 3, output_tokens: 1}}}
}
const limited = with_budget(next, {max_calls: case.most})
const results = parallel case.calls with { max_concurrent: case.width } { index -> limited(C) }
println(json_stringify({
  ran: atomic_get(running),
  refused: results.filter({ r -> r.status == "budget_exhausted" }).count(),
}))
"""


@examples(60)
@given(most=st.integers(0, 12), calls=st.integers(1, 30), width=st.integers(1, 30), ok=st.booleans())
def test_budget_never_admits_more_than_its_limit(play, most, calls, width, ok) -> None:
    got = play(BUDGET, {"most": most, "calls": calls, "width": width, "ok": ok})
    assert got == {"ran": min(most, calls), "refused": calls - min(most, calls)}


BREAKER = """
import {with_circuit_breaker} from "std/llm/handlers"
fn answer(run) {
  harness.clock.sleep_ms(run[0])
  if run[1] == "throw" { throw "boom" }
  return if run[1] == "ok" { {ok: true, value: {}} } else { {ok: false, status: run[1]} }
}
const guarded = with_circuit_breaker(
  { call -> answer(call.opts.run) },
  {name: "p", threshold: case.threshold, reset_ms: case.reset},
)
fn outcome(run) {
  try {
    const envelope = guarded(C + {opts: {run: run}})
    return if envelope.ok { "ok" } else { envelope.status }
  } catch (e) {
    return if type_of(e) == "dict" { "refused" } else { "throw" }
  }
}
let log = []
for step in case.history {
  harness.clock.sleep_ms(step[0])
  const batch = step[1]
  log = log + [parallel each batch { run -> outcome(run) }]
}
println(json_stringify(log))
"""
OUTCOMES = st.sampled_from(["ok", "network", "timeout", "throw", *NOT_COUNTED])
# Durations of one batch differ, so that no two outcomes come at one moment.
BATCHES = st.lists(st.tuples(st.integers(1, 60), OUTCOMES), min_size=1, max_size=6, unique_by=lambda run: run[0])
HISTORIES = st.lists(st.tuples(st.integers(0, 80), BATCHES), min_size=1, max_size=10)


@examples(500)
@given(history=HISTORIES, threshold=st.integers(1, 4), reset=st.integers(1, 60))
def test_the_breaker_agrees_with_its_model(play, history, threshold, reset) -> None:
    got = play(BREAKER, {"history": history, "threshold": threshold, "reset": reset})
    assert got == breaker_log(history, threshold, reset)


COMPOSE = """
import {compose} from "std/llm/handlers"
fn tagging(tag) { return { next -> { call -> next(call + {prompt: call.prompt + tag}) } } }
const echo = { call -> {ok: true, value: {text: call.prompt}} }
const flat = compose(case.groups.flatten().map(tagging))(echo)(C)
const nested = compose(case.groups.map({ tags -> compose(tags.map(tagging)) }))(echo)(C)
println(json_stringify([flat.value.text, nested.value.text]))
"""


@examples(40)
@given(groups=st.lists(st.lists(st.sampled_from("abcdef"), max_size=4), max_size=4))
def test_compose_is_associative(play, groups) -> None:
    text = "p" + "".join(tag for group in groups for tag in group)
    assert play(COMPOSE, {"groups": groups}) == [text, text]


CACHE = """
import {mem_cache} from "std/cache"
import {with_cache} from "std/llm/handlers"
let ran = 0
const next = { call ->
  ran += 1
  if call.turn.fails { return {ok: false, status: "network"} }
  return {ok: true, value: {text: json_stringify([call.prompt, call.system, call.opts])}}
}
const cached = with_cache(next, {store: mem_cache({namespace: "p", max_entries: case.entries})})
let log = []
for ask in case.asked {
  const before = ran
  const opts = C.opts + ask.opts
  const result = cached({prompt: ask.prompt, system: ask.system, opts: opts, turn: {fails: ask.fails}})
  const question = json_stringify([ask.prompt, ask.system, opts])
  log = log + [{ran: ran - before, ok: result.ok, right: !result.ok || result.value.text == question}]
}
println(json_stringify(log))
"""
ASKED = st.fixed_dictionaries(
    {
        "prompt": st.sampled_from(["p", "q", "é", "e\u0301"]),
        "system": st.sampled_from([None, "", "s"]),
        "opts": st.sampled_from([{}, {"temperature": 0.0}, {"seed": 1}, {"stop": ["x"]}, {"model": "n"}]),
        "fails": st.booleans(),
    }
)


@examples(80)
@given(asked=st.lists(ASKED, min_size=1, max_size=25), entries=st.integers(1, 30))
def test_the_cache_answers_only_the_same_question_and_keeps_no_failure(play, asked, entries) -> None:
    known: set[str] = set()
    for ask, got in zip(asked, play(CACHE, {"asked": asked, "entries": entries}), strict=True):
        question = json.dumps([ask["prompt"], ask["system"], ask["opts"]])
        assert got["right"], "an answer to another question"
        if question not in known:
            assert (got["ran"], got["ok"]) == (1, not ask["fails"]), (
                "nothing may be known of a question that never succeeded"
            )
        if got["ran"] == 1 and got["ok"]:
            known.add(question)


FALLBACK = """
import {with_fallback} from "std/llm/handlers"
let order = []
const callers = case.envelopes.enumerate().map({ entry -> { call ->
  order = order + [entry.index]
  play(entry.value)
} })
const result = with_fallback(callers)(C)
println(json_stringify({order: order, ok: result.ok, index: result.fallback_index}))
"""


@examples(60)
@given(envelopes=st.lists(ENVELOPES, min_size=1, max_size=6))
def test_fallback_calls_each_at_most_once_in_order(play, envelopes) -> None:
    got = play(FALLBACK, {"envelopes": envelopes})
    first = next((i for i, e in enumerate(envelopes) if isinstance(e, dict) and e.get("ok")), None)
    count = len(envelopes) if first is None else first + 1
    assert got["order"] == list(range(count))
    assert (got["ok"], got["index"]) == (first is not None, first)
    assert all(a < b for a, b in pairwise(got["order"]))
