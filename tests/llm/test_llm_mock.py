"""The mock provider: matching, defaults, error entries, scopes, documents (llm 10)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.errors import HarnError
from harnpy.llm.glob import fits
from harnpy.llm.mock import Mock
from harnpy.llm.mock_entries import read_document
from harnpy.llm.request import build_request


def ask(mock: Mock, prompt: str = "p", **options: object):
    return mock.answer(build_request(prompt, None, {"provider": "mock", **options}, {}))


def text(mock: Mock, prompt: str = "p", **options: object) -> str:
    return ask(mock, prompt, **options).reply.text


def test_fifo_beats_glob_wherever_it_stands():
    mock = Mock()
    mock.enqueue({"match": "*p*", "text": "glob"})
    mock.enqueue({"text": "first"})
    mock.enqueue({"text": "second"})
    assert [text(mock) for _ in range(4)] == ["first", "second", "glob", "glob"]


def test_glob_may_be_used_up():
    mock = Mock()
    mock.enqueue({"match": "a*c", "text": "hit", "consume_match": True})
    assert text(mock, "b") == "Mock response to 1-word prompt: b"
    assert [text(mock, "abc"), text(mock, "abc")] == ["hit", "Mock response to 1-word prompt: abc"]


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
def test_globs_agree_with_the_definition(glob, value):
    import re

    assert fits(glob, value) == bool(re.fullmatch(".*".join(map(re.escape, glob.split("*"))), value))


def test_default_reply_and_its_tokens():
    reply = ask(Mock(), "héllo there").reply
    assert reply.text == "Mock response to 2-word prompt: héllo there"
    assert (reply.tokens.input, reply.tokens.output) == (12, 30)
    assert text(Mock(), "") == "Mock LLM response"


def test_default_reply_calls_the_first_tool():
    tool = {
        "name": "find",
        "description": "d",
        "parameters": {"q": "string", "n": "int", "o": {"type": "bool", "default": True}},
    }
    reply = ask(Mock(), tools=[tool]).reply
    assert reply.tool_calls == [
        {"id": "mock_call_1", "type": "tool_call", "name": "find", "arguments": {"n": 0, "q": ""}}
    ]
    assert (reply.text, reply.tokens.output) == ("", 20)


ERRORS = [
    ({"category": "rate_limit", "retry_after_ms": 2500}, ("transient", "rate_limit", "rate_limit")),
    ({"status": 429}, ("transient", "rate_limit", "rate_limit")),
    ({"status": 529}, ("transient", "server_error", "overloaded")),
    ({"status": 503}, ("transient", "server_error", "overloaded")),
    ({"status": 401}, ("terminal", "auth_failure", "auth")),
    ({"status": 418}, ("terminal", "unknown", "generic")),
    ({"reason": "network_error"}, ("transient", "network_error", "transient_network")),
    ({"reason": "empty_generation"}, ("transient", "empty_generation", "generic")),
    ({"reason": "insufficient_quota"}, ("terminal", "insufficient_quota", "rate_limit")),
    ({"kind": "transient"}, ("transient", "server_error", "server_error")),
    ({"reason": "provider_5xx"}, ("transient", "provider_5xx", "server_error")),
    ({"status": 503, "reason": "upstream_unavailable"}, ("transient", "upstream_unavailable", "overloaded")),
    ({"category": "rate_limit", "reason": "house_rule"}, ("transient", "house_rule", "rate_limit")),
    ({"status": 503, "reason": "unknown"}, ("terminal", "unknown", "overloaded")),
    ({"kind": "terminal"}, ("terminal", "unknown", "generic")),
    ({"category": "budget_exceeded"}, ("terminal", "budget_exceeded", "budget_exceeded")),
]


@pytest.mark.parametrize(("error", "expected"), ERRORS)
def test_error_entries(error, expected):
    mock = Mock()
    mock.enqueue({"error": error})
    value = ask(mock, model="m").error.value
    assert (value["kind"], value["reason"], value["category"]) == expected
    assert (value["provider"], value["model"]) == ("mock", "m")
    assert value.get("retry_after_ms") == error.get("retry_after_ms")


BAD = [
    ("x", "llm_mock: expected a dict argument"),
    ({"txt": 1}, "llm_mock: unknown fixture entry field `txt`; did you mean `text`?"),
    ({"scope": "x"}, "it is a v1 field and this document has no `schemaVersion` header, so it would be dropped"),
    ({"error": {}}, "error.category is required unless error.status, error.kind, or error.reason is set"),
    ({"error": {"category": "x"}}, "unknown error category `x`"),
    ({"error": {"kind": "x"}}, "unknown error kind `x`"),
    ({"error": {"status": 9}}, "error.status must be an HTTP status code"),
    ({"usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 4}}, "usage.total_tokens is 4"),
    ({"delay_ms": -1}, "`delay_ms` must be a non-negative int"),
]


@pytest.mark.parametrize(("entry", "expected"), BAD)
def test_bad_entries(entry, expected):
    with pytest.raises(HarnError) as caught:
        Mock().enqueue(entry)
    assert expected in caught.value.value


def test_scopes_nest_and_stay_mocked():
    mock = Mock()
    assert not mock.active()
    mock.enqueue({"text": "outer"})
    mock.push()
    assert mock.active()
    mock.enqueue({"text": "inner"})
    assert [text(mock), len(mock.calls())] == ["inner", 1]
    mock.pop()
    assert [text(mock), len(mock.calls()), mock.active()] == ["outer", 1, True]
    mock.clear()
    assert not mock.active()
    with pytest.raises(HarnError, match="no scope to pop"):
        mock.pop()


def document(*lines: object) -> str:
    return "\n".join(json.dumps(line) for line in lines)


HEADER = {"schemaVersion": 1, "strictScopes": True}


def test_v1_documents_and_their_scopes():
    mock = Mock()
    entries = [
        {"id": "a", "scope": "agent.main", "consume": "once", "text": "main"},
        {"id": "b", "scope": "shared", "consume": "sticky", "text": "shared"},
        {"id": "c", "scope": "default", "consume": "once", "text": "default"},
    ]
    assert mock.load(document(HEADER, *entries)) == 3
    seen = [text(mock, call_role=role) for role in ("agent.main", "agent.main", "compaction")] + [text(mock)]
    assert seen == ["main", "shared", "shared", "default"]
    assert [receipt["id"] for receipt in mock.receipts()] == ["a", "b", "b", "c"]
    assert mock.snapshot()["queue_remaining"] == 1


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([{"text": "a"}, {"txt": "b"}], "line 2: unknown fixture entry field `txt`"),
        ([HEADER, {"id": "a", "scope": "default", "text": "x"}], "line 2: a v1 entry needs `consume`"),
        ([HEADER] + [{"id": "a", "scope": "default", "consume": "once"}] * 2, "line 3: duplicate entry id `a`"),
        ([HEADER, {"id": "a", "scope": "x", "consume": "once"}], "line 2: unknown scope `x`"),
        ([{"schemaVersion": 2}], "line 1: unsupported schemaVersion 2"),
        ([[1]], "line 1: expected a JSON object"),
    ],
)
def test_bad_documents_name_the_line_and_load_nothing(lines, fault):
    mock = Mock()
    with pytest.raises(ValueError, match=fault.replace("[", "\\[")):
        mock.load(document(*lines))
    assert not mock.active()


@given(st.text(max_size=60))
def test_any_text_is_a_document_or_a_value_error(value):
    faults: list[str] = []
    try:
        read_document(value)
    except ValueError as fault:
        faults.append(str(fault))
    assert all(fault.startswith("line ") for fault in faults)


def test_file_without_a_match_is_an_error(run_harn, tmp_path):
    path = tmp_path / "fixtures.jsonl"
    path.write_text('{"match": "known*", "text": "found"}\n')
    program = """
    println(llm_call("known prompt", nil, {model: "gpt-4o"}).text)
    println(try { llm_call("other", nil, {}) } catch (e) { e })
    """
    ran = run_harn(program, llm_mock=str(path), env={})
    assert ran.out == 'found\nNo --llm-mock fixture matched prompt: "other"\n'
    path.write_text('{"txt": 1}\n')
    broken = run_harn(program, llm_mock=str(path), env={})
    assert broken.code != 0
    assert "fixtures.jsonl: line 1: unknown fixture entry field `txt`" in broken.err


def test_delay_passes_on_the_clock_and_meets_the_deadline(run_harn):
    program = """
    llm_mock({text: "slow", delay_ms: 400})
    println([llm_call("p", nil, {timeout_ms: 500}).text, monotonic_ms()])
    llm_mock({text: "too slow", delay_ms: 900})
    const e = llm_call_safe("p", nil, {timeout_ms: 500}).error
    println([e.reason, e.kind, e.deadline, monotonic_ms()])
    """
    assert run_harn(program, virtual_time=0, env={}).out == "[slow, 400]\n[timeout, transient, total, 900]\n"


def test_parallel_branches_take_entries_in_list_order(run_harn):
    program = """
    for n in 1 to 5 { llm_mock({text: "${n}", delay_ms: 100 - n}) }
    println(parallel each ["a", "b", "c", "d", "e"] { p -> llm_call(p, nil, {}).text })
    println(llm_mock_calls().map({ c -> c.messages[0].content }))
    """
    assert run_harn(program, virtual_time=0, env={}).out == "[1, 2, 3, 4, 5]\n[a, b, c, d, e]\n"


def test_a_recorded_run_can_be_replayed(tmp_path):
    from stub import Answer, Stub, oa

    from harnpy.capabilities.llm_mocks import load_mock_file, record_mock_file
    from harnpy.options import Options
    from harnpy.session import Session
    from harnpy.source import Source
    from harnpy.streams import memory_streams

    path = str(tmp_path / "recorded.jsonl")
    program = """
    for p in ["a*", "b", "my key is sk-0123456789abc"] {
      const r = llm_call_safe(p, nil, {provider: "local", model: "m"})
      println(r.response?.text ?? [r.error.reason, r.error.retry_after_ms])
    }
    """

    def run(prepare, url: str) -> str:
        streams, out, _err = memory_streams("")
        session = Session(Options(env={"LOCAL_LLM_BASE_URL": url}), streams)
        prepare(session.context, path)
        assert session.run(lambda: Source("t.harn", program)) == 0
        return "".join(out)

    with Stub(oa("one"), Answer(429, "slow", {"retry-after": "3"}), oa("two")) as stub:
        live = run(record_mock_file, stub.url)
    assert live == "one\n[rate_limit, 3000]\ntwo\n"
    assert run(load_mock_file, "http://127.0.0.1:9").splitlines()[:2] == live.splitlines()[:2]
    written = (tmp_path / "recorded.jsonl").read_text()
    assert "0123456789" not in written
    assert [json.loads(line).get("id") for line in written.splitlines()] == [None, "record-0", "record-1", "record-2"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            {"text": "x", "usage": {"total_tokens": 3, "input_tokens": "2", "output_tokens": 2}},
            "usage.total_tokens is 3, but input and output tokens sum to 4",
        ),
        ({"error": {"category": ["timeout"]}}, "error.category must be a string, got list"),
        ({"error": {"reason": {}}}, "error.reason must be a string, got dict"),
        ({"text": "x", "simulated_cost_usd": "1"}, "`simulated_cost_usd` must be a finite, non-negative number"),
        (
            {"text": "x", "simulated_cost_usd": float("nan")},
            "`simulated_cost_usd` must be a finite, non-negative number",
        ),
    ],
)
def test_fields_of_the_wrong_kind_are_refused_when_they_are_queued(entry, said):
    with pytest.raises(HarnError) as refused:
        Mock().enqueue(entry)
    assert refused.value.value == f"llm_mock: {said}"


def test_default_arguments_of_properties_that_say_no_type_are_texts():
    parameters = {"type": "object", "properties": {"a": "string", "b": {"type": "integer"}}, "required": ["a", "b"]}
    reply = ask(Mock(), tools=[{"name": "t", "parameters": parameters}]).reply
    assert reply.tool_calls[0]["arguments"] == {"a": "", "b": 0}
