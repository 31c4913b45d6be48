"""The rows of the fault matrix and of the loopback cases: which tests hold each, and that none is without."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
M = "test_llm_matrix_"

# The first cell of each row of the fault matrix, and the tests that hold its status, its retries and what it asserts.
FAULTS = {
    "refused connection, DNS failure, TLS failure, reset before headers": f"""
        {M}network: test_refused test_an_unknown_host test_a_name_that_does_not_resolve
        test_reset_before_the_headers test_closed_before_the_headers_were_whole test_rubbish_instead_of_http
        {M}tls: test_a_bad_certificate test_an_authority_that_nobody_knows test_a_handshake_that_breaks
        test_a_good_certificate test_tls_before_version_1_2_is_refused test_a_reply_over_tls_that_breaks_off""",
    "connect, read or total timeout": f"""
        {M}deadlines: test_a_server_that_says_nothing test_silence_at_every_point test_a_connection_that_never_comes
        test_no_first_chunk test_no_further_chunk test_an_answer_just_in_time
        test_the_deadline_is_that_of_the_whole_call test_a_proxy_that_says_nothing
        {M}streams: test_at_its_deadline_a_request_has_no_socket_any_more""",
    "400 invalid request, 404 or retired model, 422": f"""
        {M}status: test_statuses test_a_list_of_faults_is_kept test_failures_without_json
        {M}bodies: test_the_words_of_the_provider test_the_message_is_kept_without_the_key""",
    "400/413 naming context length": f"""
        {M}status: test_context_overflow_in_many_phrasings test_what_is_no_overflow
        test_a_specific_code_beats_an_echoed_prompt
        {M}callers: test_the_other_name_of_an_overflow test_fallback_goes_on_past_an_overflow
        {M}bodies: test_the_words_of_the_provider""",
    "401, 403": f"""
        {M}status: test_statuses test_a_refused_key_is_named_and_never_shown test_a_key_that_comes_back_is_removed
        test_no_part_of_an_odd_key_comes_back
        {M}network: test_a_missing_key_stops_before_any_connection""",
    "403/200 with content-policy refusal": f"""
        {M}status: test_content_policy test_a_refusal_under_200 test_forms_of_a_refusal_of_gemini
        test_an_error_object_about_the_policy_under_200 test_empty_with_a_reason""",
    "408": f"{M}status: test_statuses",
    "409": f"{M}status: test_statuses",
    "429 without header; with `Retry-After` seconds, HTTP date, past date, garbage, mixed case, millisecond header, "
    "1-hour value": f"""
        {M}status: test_retry_after test_a_hint_longer_than_the_program_will_wait
        test_retry_after_counts_under_other_statuses_too
        {M}storm: test_a_hint_holds_for_every_call_of_a_storm""",
    "500, 502, 503, 504, 529": f"""
        {M}status: test_statuses test_failures_without_json test_failures_that_do_not_decode
        {M}bodies: test_the_words_of_the_provider""",
    "stream cut: before first byte, in mid event, in mid UTF-8 character, without final event": f"""
        {M}streams: test_a_cut_before_the_first_byte test_a_cut_in_the_middle_of_an_event test_a_cut_inside_a_character
        test_a_clean_end_without_the_final_event test_an_end_after_the_stop_reason_is_complete
        test_a_reset_or_a_cut_in_every_framing""",
    "SSE oddities: CRLF, comments, several data lines, BOM, empty data, unknown event, 1 MB event": f"""
        {M}replies: test_all_forms_of_a_reply_agree
        {M}sizes: test_a_large_event_arrives_whole
        {M}streams: test_odd_shapes_inside_the_stream_do_no_harm""",
    "200 with broken JSON, wrong content type, HTML error page": f"""
        {M}status: test_a_200_that_is_no_reply
        {M}streams: test_rubbish_inside_the_stream""",
    "200 with missing fields (`{}`, `choices: []`)": f"""
        {M}status: test_nothing_is_asked_once_more_and_then_transient test_more_forms_of_nothing""",
    "200 with null, missing or odd usage numbers": f"""
        {M}replies: test_missing_usage_is_unknown test_odd_usage_numbers_do_no_harm test_a_count_that_is_missing""",
    "429 whose body says insufficient_quota / billing limit": f"""
        {M}status: test_quota_is_never_hammered test_prose_about_quota_stays_a_rate_limit
        {M}bodies: test_the_words_of_the_provider""",
    "200, billed, empty text": f"""
        {M}status: test_billed_empty_is_dispatched_again
        {M}callers: test_both_answers_of_a_billed_empty_call_are_counted
        test_the_silent_second_ask_is_on_the_bill""",
    "schema mismatch": f"""
        {M}callers: test_a_schema_mismatch test_a_repair_is_asked_for_once test_a_repair_that_helps
        test_a_repair_that_fails_for_another_reason""",
    "answer slower than `with_timeout`": f"""
        {M}deadlines: test_with_timeout_over_a_silent_server test_a_success_that_came_late
        test_a_failure_that_came_late""",
    "budget used up before or during": f"""
        {M}guards: test_a_budget_that_is_used_up_before test_a_budget_of_the_session_that_is_used_up_during_a_call
        test_with_budget test_with_budget_between_the_tries_of_one_call test_with_budget_under_parallel_calls""",
    "breaker open": f"""
        {M}guards: test_an_open_breaker_sends_nothing test_an_open_breaker_seen_from_outside
        test_retries_inside_a_breaker_stop_when_it_opens test_half_open_lets_exactly_one_through
        test_a_failed_probe_opens_for_the_whole_time_again test_a_probe_that_times_out_opens_it_again
        test_what_the_caller_caused_does_not_count""",
    "cancel at every await point": f"""
        {M}cancel: test_a_call test_the_default_stack_does_not_try_again test_a_stream test_between_two_tries
        test_through_a_proxy
        test_while_the_name_is_looked_up test_a_connection_that_never_comes
        test_llm_connections: test_cancelled_at_any_moment test_a_dropped_stream_is_closed""",
    "redirect to another host, proxy variables, gzip bomb (1 GiB), 50 MB body, slow drip (1 byte/s)": f"""
        {M}status: test_a_redirect_is_not_followed
        {M}network: test_a_proxy_is_used_unless_it_is_excepted test_a_proxy_for_https_sees_no_key
        test_a_proxy_that_cannot_be_used test_a_key_stays_with_its_provider
        {M}sizes: test_a_bomb_of_a_gibibyte test_a_bomb_in_a_refusal test_a_bomb_behind_the_start_of_a_stream
        test_bombs_of_other_encodings test_a_body_of_50_mb test_a_refusal_of_50_mb test_a_stream_of_50_mb
        test_a_line_of_50_mb
        {M}deadlines: test_a_slow_drip""",
    "rate: 1,000 concurrent 429s": f"""
        {M}storm: test_a_thousand_calls_are_refused_at_once test_a_hundred_calls_are_refused_at_once""",
}  # fmt: skip

# The words of each check behind the table.
CHECKS = {
    "delay k lies in [0, min(8000, 250·2^(k−1))] for 1,000 seeds": f"{M}storm: test_delays_of_a_thousand_seeds",
    "`max_attempts: 1` never waits": f"{M}storm: test_a_single_attempt_never_waits test_how_many_delays_there_are",
    "`call.turn.attempt` unchanged across attempts": f"{M}storm: test_a_thousand_calls_are_refused_at_once",
    "clock paused, no real sleep": f"""
        {M}storm: test_delays_of_a_thousand_seeds
        {M}deadlines: test_a_server_that_says_nothing""",
    "a shared breaker name under 1,000 parallel failures opens once and counts exactly": f"""
        {M}storm: test_a_shared_breaker_opens_once test_a_shared_breaker_counts_exactly""",
}

# The first cell of each row of llm 15.
CASES = {
    "golden request": """
        test_llm_golden_requests: test_anthropic test_gemini test_ollama
        test_llm_openai_wire: test_golden_request""",
    "plain, streamed, and one-byte-chunk streamed reply": f"{M}replies: test_all_forms_of_a_reply_agree",
    "multi-byte character split across chunks; `\\r\\n`; comments; unknown events":
        f"{M}replies: test_all_forms_of_a_reply_agree",
    'tool call in several deltas; two interleaved calls; arguments `""` and broken JSON': f"""
        {M}replies: test_tool_calls_and_reasoning test_broken_arguments_of_a_call_reach_the_model
        test_llm_openai_wire: test_tool_calls_in_pieces""",
    "tool result round trip": f"{M}replies: test_tool_results_go_back",
    "400, 401, 403, 404, 408, 413, 429 (seconds, date, garbage `Retry-After`), 500, 502, 503, 504, 529, 402 with that "
    "provider's body; HTML body; empty body": f"""
        {M}bodies: test_the_words_of_the_provider test_the_same_words_without_a_stream_and_with_the_key_in_them
        {M}status: test_statuses test_retry_after test_failures_without_json""",
    "connection refused; reset before headers; reset mid-stream; end without terminal event; silent server": f"""
        {M}network: test_refused test_reset_before_the_headers
        {M}streams: test_a_reset_or_a_cut_in_every_framing test_a_clean_end_without_the_final_event
        {M}deadlines: test_a_server_that_says_nothing""",
    "missing usage; cached usage": f"""
        {M}replies: test_missing_usage_is_unknown test_cached_tokens_are_counted""",
    "redirect to another host; key in the error body": f"""
        {M}status: test_a_redirect_is_not_followed test_a_key_that_comes_back_is_removed""",
    "schema in the request; 400 about `response_format`": f"""
        {M}callers: test_a_schema_in_the_request_reaches_the_server
        test_llm_openai_wire: test_a_server_without_schemas_gets_the_schema_as_text""",
}  # fmt: skip


def first_cells(text: str, head: str) -> list[str]:
    """The first cell of each row of the table whose head line begins so."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(head))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append(line.split("|")[1].strip())
    return rows


@cache
def functions_of(module: str) -> set[str]:
    tree = ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def named_in(entry: str) -> list[tuple[str, str]]:
    named = []
    module = ""
    for word in entry.split():
        if word.endswith(":"):
            module = word[:-1]
        else:
            named.append((module, word))
    return named


@pytest.mark.parametrize("entries", [FAULTS, CHECKS, CASES], ids=["faults", "checks", "cases"])
def test_every_entry_names_tests_that_are_there(entries):
    missing = []
    for entry in entries.values():
        named = named_in(entry)
        assert named
        for module, name in named:
            if name not in functions_of(module):
                missing.append(f"{module}: {name}")
    assert missing == []


def test_every_row_of_the_fault_matrix_has_its_tests(shared):
    page = (shared / "cases" / "provider-faults.md").read_text(encoding="utf-8")
    assert first_cells(page, "| fault injected ") == list(FAULTS)
    follow = page.partition("Checks that follow: ")[2].strip().rstrip(".")
    assert [check.strip() for check in follow.split(";")] == list(CHECKS)


def test_every_loopback_case_has_its_tests(shared):
    page = (shared / "spec" / "llm.md").read_text(encoding="utf-8")
    section = page.partition("## 15. ")[2]
    assert first_cells(section, "| Case ") == list(CASES)
