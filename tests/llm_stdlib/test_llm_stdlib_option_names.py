"""Middleware warns of options that it does not know: a limit that is misspelt is no limit."""

from __future__ import annotations

import pytest

HEAD = """
import {
  with_budget, with_circuit_breaker, with_coerce, with_logging, with_repair, with_retry, with_timeout,
} from "std/llm/handlers"
const next = { _call -> {ok: true, value: {text: "all-ok"}} }
const call = {prompt: "hi", system: nil, opts: {}}
"""


@pytest.mark.parametrize(
    ("wrapper", "warning"),
    [
        ("with_budget(next, {max_call: 5})", "with_budget: unknown option `max_call` (did you mean `max_calls`?)"),
        ("with_budget({max_call: 5})(next)", "with_budget: unknown option `max_call` (did you mean `max_calls`?)"),
        (
            "with_retry({max_atempts: 9})(next)",
            "with_retry: unknown option `max_atempts` (did you mean `max_attempts`?)",
        ),
        ("with_circuit_breaker(next, {nothing_like_it: 1})", "with_circuit_breaker: unknown option `nothing_like_it`"),
        ("with_logging(next, {sinc: nil})", "with_logging: unknown option `sinc` (did you mean `sink`?)"),
        ("with_repair(next, {max_token: 9})", "with_repair: unknown option `max_token` (did you mean `max_tokens`?)"),
        ("with_coerce({lower_key: 1})(next)", "with_coerce: unknown option `lower_key` (did you mean `lower_keys`?)"),
        ("with_timeout(next, {second: 5})", "with_timeout: unknown option `second` (did you mean `seconds`?)"),
    ],
)
def test_a_misspelt_option_is_told_and_changes_nothing(run_harn, wrapper: str, warning: str) -> None:
    ran = run_harn(HEAD + f"println({wrapper}(call).value.text)")
    assert (ran.code, ran.out) == (0, "all-ok\n")
    first, place, *_ = ran.err.splitlines()
    assert first.startswith(f"warning: {warning}")
    assert place == f"  --> test.harn:7:{len('println(') + wrapper.index('{') + 2}"
    assert ran.err.count("warning") == 1


def test_it_is_told_once(run_harn) -> None:
    ran = run_harn(HEAD + "for i in 1 to 3 { with_budget(next, {max_call: 5})(call) }")
    assert ran.err.count("warning") == 1


def test_options_that_there_are_need_no_warning(run_harn) -> None:
    ran = run_harn(
        HEAD
        + """
with_retry(next, {
  max_attempts: 1, base_ms: 1, max_ms: 1, max_retry_after_ms: 1, backoff: "linear", jitter: "none",
  honor_retry_after: true, predicate: nil,
})
with_logging(next, {level: "info", include_prompt: false, sink: nil})
with_budget(next, {
  max_calls: 1, max_input_tokens: 1, max_output_tokens: 1, max_total_tokens: 1, max_cost_usd: 1.0, on_exceed: "throw",
})
with_circuit_breaker(next, {name: "a", threshold: 1, reset_ms: 1})
with_repair(next, {enabled: true, strategy: nil, max_tokens: 1, temperature: 0.0})
with_coerce(next, {lower_keys: true, on_text_json: true})
for limit in [nil, 5, 5.0, {ms: 5}, {seconds: 5}, {duration_ms: 5, relabel_failures: true}] {
  with_timeout(next, limit)
}
"""
    )
    assert (ran.err, ran.code) == ("", 0)


def test_a_duration_is_no_deadline(run_harn) -> None:
    ran = run_harn(HEAD + "println(with_timeout(next, 50ms)(call).ok)")
    assert ran.out == "true\n"
    assert ran.err == "warning: with_timeout: a deadline is a number of ms or a dict, got duration: there is none\n"
