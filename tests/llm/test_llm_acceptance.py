"""The page's minimal stack against a real server: S22, S19, S18, and the acceptance scenario."""

from __future__ import annotations

import time

import pytest
from stub import Answer, Stub, oa

START = 1_893_456_000_000  # 2030-01-01T00:00:00Z

STACK = """
import {default_llm_caller, llm_caller} from "std/llm/caller"
import {with_retry, with_logging, compose} from "std/llm/handlers"

const caller = CALLER
const call = {
  prompt: "hello", system: nil, opts: {provider: "local", model: "m"},
  turn: {iteration: 0, session_id: "s", attempt: 1},
}

fn main(harness: Harness) {
  const captured = harness.agent.capture_events("s", { -> caller(call) })
  const r = captured.result
  println(json_stringify({
    ok: r.ok, status: r.status, retries: r.retries_attempted, text: r.value?.text, error: r.error,
    retryable: r.retryable, exceeded: r.retry_after_exceeded, slept: monotonic_ms(),
    events: captured.events.map({ e -> [e.type, e.status] }),
  }))
}
"""

PAGE = """
compose([with_logging({level: "info"}), with_retry({max_attempts: 4, backoff: "exponential"})])(default_llm_caller())
"""


@pytest.fixture
def ask(run_harn):
    """Give ``ask(stub, caller) -> dict``: what the program saw, on a virtual clock."""
    import json

    def run(stub: Stub | str, caller: str, *, zero_jitter: bool = False, **env: str) -> dict:
        url = stub if isinstance(stub, str) else stub.url
        program = STACK.replace("CALLER", caller)
        if zero_jitter:
            program = program.replace(
                "  const captured", '  harness.testing.respond("random", "f64", 0.0, nil, true)\n  const captured'
            )
        ran = run_harn(program, virtual_time=START, env={"LOCAL_LLM_BASE_URL": url, **env})
        assert ran.code == 0, ran.err
        assert ran.err == ""
        return json.loads(ran.out)

    return run


def test_page_stack_survives_two_outages(ask):
    with Stub(Answer(503, "busy"), Answer(503, "busy", {"Retry-After": "20"}), oa("all-ok")) as stub:
        began = time.monotonic()
        seen = ask(stub, PAGE)
        assert time.monotonic() - began < 5
    assert (seen["ok"], seen["text"], seen["retries"]) == (True, "all-ok", 2)
    assert seen["events"] == [["llm_call_log", "ok"]]
    assert 20_000 <= seen["slept"] < 21_000
    assert len(stub.requests) == 3
    assert stub.requests[0].json["messages"] == [{"role": "user", "content": "hello"}]


def test_bad_key_fails_at_once(ask):
    with Stub(Answer(401, {"error": {"message": "no"}})) as stub:
        seen = ask(stub, PAGE)
    assert (seen["status"], seen["retries"], seen["slept"]) == ("auth", 0, pytest.approx(0, abs=500))
    assert seen["events"] == [["llm_call_log", "auth"]]


def test_server_down_is_network_after_three_attempts(ask):
    seen = ask("http://127.0.0.1:9", "llm_caller()")
    assert (seen["status"], seen["retries"], seen["error"]["reason"]) == ("network", 2, "network_error")


RETRY_AFTER = [
    ("7", 7000, 7000),
    ("1.5", 1500, 1500),
    (" 2 ", 2000, 2000),
    ("0", 0, 0),
    ("Tue, 01 Jan 2030 00:00:09 GMT", 9000, 9000),
    ("Mon, 31 Dec 2029 23:59:50 GMT", 0, 0),
    ("Tuesday, 01-Jan-30 00:00:09 GMT", 9000, 9000),
    ("Tue Jan  1 00:00:09 2030", 9000, 9000),
    ("600", 600_000, 600_000),
    ("Sat, 01 Jan 2039 00:00:00 GMT", 283_996_800_000, 283_996_800_000),
    ("-3", None, 0),
    ("soon", None, 0),
    ("", None, 0),
    ("nan", None, 0),
]

# The wall clock stands at START only until the first request is under way: dates move with it.
DRIFT_MS = 3000


@pytest.mark.parametrize(("value", "hint", "slept"), RETRY_AFTER)
def test_retry_after_of_a_provider(ask, value, hint, slept):
    with Stub(Answer(429, {"error": {"message": "slow"}}, {"rEtRy-AfTeR": value}), oa("all-ok")) as stub:
        once = ask(stub, "default_llm_caller()", zero_jitter=True)
        stub.requests.clear()
        again = ask(stub, "with_retry(default_llm_caller(), {max_attempts: 2})", zero_jitter=True)
    found = once["error"].get("retry_after_ms")
    assert found == (hint if hint is None else pytest.approx(hint, abs=DRIFT_MS))
    assert (again["text"], again["retries"]) == ("all-ok", 1)
    assert again["slept"] == pytest.approx(slept, abs=DRIFT_MS)


@pytest.mark.parametrize(("value", "hint", "slept"), RETRY_AFTER)
def test_retry_after_of_a_custom_caller(ask, value, hint, slept):
    custom = '{ _c -> {ok: false, status: "rate_limited", error: {headers: {"RETRY-AFTER": "' + value + '"}}} }'
    seen = ask("http://127.0.0.1:9", f"with_retry({custom}, {{max_attempts: 2}})", zero_jitter=True)
    assert (seen["retries"], seen["slept"]) == (1, pytest.approx(slept, abs=DRIFT_MS))
    unheeded = f"with_retry({custom}, {{max_attempts: 2, honor_retry_after: false}})"
    assert ask("http://127.0.0.1:9", unheeded, zero_jitter=True)["slept"] == pytest.approx(0, abs=DRIFT_MS)


@pytest.mark.parametrize("value", ["600", "Sat, 01 Jan 2039 00:00:00 GMT"])
def test_a_longer_hint_than_allowed_ends_the_retrying(ask, value):
    with Stub(Answer(429, "", {"Retry-After": value}), oa("all-ok")) as stub:
        seen = ask(stub, "llm_caller({retry: {max_attempts: 2, max_retry_after_ms: 60000}})", zero_jitter=True)
    assert (seen["retries"], seen["exceeded"], len(stub.requests)) == (0, True, 1)
    assert seen["slept"] < 1000


STATUSES = [
    (401, "", "auth_failure", "auth", 1),
    (403, "", "auth_failure", "auth", 1),
    (404, "", "model_unavailable", "provider_error", 1),
    (410, "", "model_unavailable", "provider_error", 1),
    (400, {"error": {"message": "bad field"}}, "invalid_request", "provider_error", 1),
    (408, "", "timeout", "timeout", 3),
    (504, "", "timeout", "timeout", 3),
    (522, "", "timeout", "timeout", 3),
    (524, "", "timeout", "timeout", 3),
    (429, "", "rate_limit", "rate_limited", 3),
    (500, "", "server_error", "provider_5xx", 3),
    (502, "<html>" + "x" * 200_000, "server_error", "provider_5xx", 3),
    (503, "", "server_error", "provider_5xx", 3),
    (529, "", "server_error", "provider_5xx", 3),
    (400, {"error": {"message": "blocked", "code": "content_policy_violation"}}, "content_policy", "policy_blocked", 1),
    (418, "", "unknown", "provider_error", 1),
    (409, "", "unknown", "provider_error", 1),
    (422, "", "unknown", "provider_error", 1),
    (402, "", "unknown", "provider_error", 1),
    (429, {"error": {"code": "insufficient_quota", "message": "q"}}, "insufficient_quota", "provider_error", 1),
    (429, {"error": {"type": "billing_hard_limit_reached"}}, "insufficient_quota", "provider_error", 1),
    (429, {"error": {"message": "quota nearly used"}}, "rate_limit", "rate_limited", 3),
    (400, {"error": {"code": "context_length_exceeded"}}, "context_overflow", "context_window_exceeded", 1),
    (413, {"error": {"message": "input is too long for this model"}}, "context_overflow", "context_window_exceeded", 1),
    (429, {"error": {"code": "context_length_exceeded"}}, "context_overflow", "context_window_exceeded", 1),
    (500, "model context exceeded", "context_overflow", "context_window_exceeded", 1),
    (429, {"error": {"message": "request too large for tokens per minute: 6000"}}, "rate_limit", "rate_limited", 3),
    (400, {"error": {"message": "max_tokens must be positive"}}, "invalid_request", "provider_error", 1),
    (302, "", "unknown", "provider_error", 1),
    (200, "<html>", "invalid_response", "provider_error", 1),
    (200, "{", "invalid_response", "provider_error", 1),
]


@pytest.mark.parametrize(("status", "body", "reason", "envelope", "requests"), STATUSES)
def test_status_table(ask, status, body, reason, envelope, requests):
    headers = {"location": "http://example.invalid/"} if status == 302 else {}
    with Stub(Answer(status, body, headers)) as stub:
        seen = ask(stub, "llm_caller()")
    assert (seen["error"]["reason"], seen["status"], len(stub.requests)) == (reason, envelope, requests)
    assert len(seen["error"]["message"]) < 2048 + 300
    if envelope == "provider_error":
        assert seen["retryable"] is False


COUNTS = [
    ("default_llm_caller()", 1, None),
    ("llm_caller()", 3, 2),
    ("llm_caller({retry: {max_attempts: 1}})", 1, 0),
    ("with_retry(default_llm_caller(), {max_attempts: 4})", 4, 3),
    ("with_retry(with_retry(default_llm_caller(), {max_attempts: 2}), {max_attempts: 3})", 6, 2),
    ("llm_caller({retry: {max_attempts: 0}})", 1, 0),
    ("llm_caller({retry: {max_attempts: -1}})", 1, 0),
]


@pytest.mark.parametrize(("caller", "requests", "retries"), COUNTS)
def test_exactly_n_requests(ask, caller, requests, retries):
    with Stub(Answer(503, "")) as stub:
        seen = ask(stub, caller)
    assert (len(stub.requests), seen["retries"], seen["status"]) == (requests, retries, "provider_5xx")


def test_billed_empty_is_asked_again(ask):
    with Stub(oa("", 5, 1), oa("all-ok")) as stub:
        seen = ask(stub, "llm_caller()")
    assert (seen["text"], seen["retries"], len(stub.requests)) == ("all-ok", 1, 2)


@pytest.mark.parametrize("body", ["{}", "null", '{"choices": []}', ""])
def test_nothing_at_all_is_asked_once_more_silently(ask, body):
    with Stub(Answer(200, body, {"content-type": "application/json"}), oa("all-ok")) as stub:
        seen = ask(stub, "default_llm_caller()")
    assert (seen["text"], len(stub.requests)) == ("all-ok", 2)
    with Stub(Answer(200, body, {"content-type": "application/json"})) as stub:
        seen = ask(stub, "llm_caller()")
    assert (seen["status"], seen["error"]["reason"], len(stub.requests)) == ("transient", "empty_generation", 6)


def test_key_goes_out_once_and_never_comes_back(run_harn, tmp_path):
    key = "sk-test-0123456789abcdef"
    events = tmp_path / "events.jsonl"
    program = STACK.replace("CALLER", PAGE.replace('level: "info"', "include_prompt: true, sink: { r -> println(r) }"))
    program = program.replace('"local"', '"openai"')
    echo = Answer(401, {"error": {"message": f"bad header Authorization: Bearer {key} at /v1?key={key}"}})
    with Stub(echo, Answer(500, key)) as stub:
        env = {"OPENAI_BASE_URL": stub.url + "/v1", "OPENAI_API_KEY": key}
        ran = run_harn(program, virtual_time=START, env=env, events=str(events))
    assert stub.requests[0].headers["authorization"] == f"Bearer {key}"
    assert stub.requests[0].path == "/v1/chat/completions"
    assert "0123456789abcdef" not in ran.out + ran.err + events.read_text()
    assert '"status":"auth"' in ran.out
