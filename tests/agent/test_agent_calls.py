"""Calls of a reply in any shape become well-formed ones; any value becomes a result."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from harnpy.builtins.agent_calls import read_reply, unquoted
from harnpy.builtins.agent_compaction import compact_for_loop, cut_point
from harnpy.builtins.agent_session_table import AgentSession, tool_message
from harnpy.builtins.agent_tool_checks import check_arguments
from harnpy.builtins.agent_tool_results import MAX_CHARACTERS, cut, failed, returned

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)
CALLS = st.dictionaries(
    st.sampled_from("id tool_call_id name tool_name arguments tool_args args function".split()), JSON, max_size=5
)


@given(st.lists(CALLS | JSON, max_size=6), st.sampled_from(["native", "text", "json"]), st.text(max_size=60))
def test_any_list_of_calls_becomes_well_formed_ones(listed, tool_format, text):
    turn = read_reply({"text": text, "tool_calls": listed}, [{"name": "look"}], tool_format)
    ids = [call["id"] for call in turn["calls"]]
    assert len(set(ids)) == len(ids)
    assert all(ids)
    for call in turn["calls"]:
        assert call["name"].strip()
        assert type(call["arguments"]) is dict


@given(JSON)
def test_any_value_gives_a_result(value):
    call = {"id": "c", "name": "t", "arguments": {}}
    result = returned(call, value, 1, "mutation")
    assert type(result["ok"]) is bool
    assert result["observation"].startswith("[")
    assert failed(call, value)["ok"] is False


@given(JSON, JSON)
def test_any_arguments_meet_any_schema(parameters, arguments):
    entry = {"name": "t", "parameters": parameters, "handler": 1}
    given_arguments = arguments if type(arguments) is dict else {}
    refusal = check_arguments({"id": "c", "name": "t", "arguments": given_arguments}, entry, given_arguments)
    assert refusal is None or refusal["error_category"] == "schema_validation"


@given(st.lists(st.sampled_from(["user", "assistant", "tool_result"]), max_size=30), st.integers(0, 30))
def test_history_is_never_cut_inside_the_results_of_a_reply(roles, keep):
    messages = [{"role": role} for role in roles]
    index = cut_point(messages, keep)
    assert index == 0 or index == len(messages) or messages[index]["role"] != "tool_result"


def test_a_long_text_is_cut_with_a_note():
    assert cut("x" * MAX_CHARACTERS) == "x" * MAX_CHARACTERS
    assert cut("é" * (MAX_CHARACTERS + 5)).endswith("é\n[... 5 characters cut]")


def test_quoted_markers_do_not_count():
    assert "DONE" not in unquoted("a\n```\n##DONE##\n```\nb<think>##DONE##</think>")
    assert "DONE" in unquoted("``##DONE##``")


def test_a_session_answers_calls_that_were_left_open():
    session = AgentSession("s")
    session.append(
        {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "name": "x"}, {"id": "b", "name": "y"}]}
    )
    session.append({"role": "tool_result", "tool_call_id": "a", "content": "done"})
    assert [call["id"] for call in session.unanswered()] == ["b"]


def test_a_result_takes_the_place_of_what_stood_in_for_it_also_when_ids_come_again():
    call = {"id": "c", "name": "x"}
    session = AgentSession("s")
    reply = {"role": "assistant", "content": "", "tool_calls": [call]}
    session.append(reply)
    session.settle("still running")
    session.append({"role": "user", "content": "inner"})
    session.append(dict(reply))
    session.answer(tool_message("x", "c", "inner result", False))
    session.answer(tool_message("x", "c", "outer result", False))
    shown = [message["content"] for message in session.messages]
    assert shown == ["", "outer result", "inner", "", "inner result"]
    settled = AgentSession("t")
    settled.append(reply)
    settled.settle("the run ended")
    settled.append(dict(reply))
    settled.answer(tool_message("x", "c", "new", False))
    assert [message["content"] for message in settled.messages] == ["", "the run ended", "", "new"]


_STEPS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(["user", "assistant", "system"])),
    st.tuples(st.just("call"), st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)),
    st.tuples(st.just("answer"), st.sampled_from("abc")),
    st.tuples(st.just("trim"), st.integers(0, 4)),
    st.tuples(st.just("compact"), st.integers(0, 4)),
    st.tuples(st.just("fork"), st.integers(0, 6)),
)


@given(st.lists(_STEPS, max_size=25))
def test_whatever_happens_to_a_session_each_call_keeps_exactly_one_result(steps):
    from harnpy.builtins.agent_session_table import SessionTable
    from harnpy.builtins.agent_sessions import _forked, agent_session_trim

    sessions = SessionTable()
    ctx = SimpleNamespace(services={"agent_sessions": sessions})
    session = sessions.open("s")
    for count, (kind, value) in enumerate(steps):
        if kind == "say":
            session.append({"role": value, "content": "x"})
        elif kind == "call":
            calls = [{"id": f"{name}{count}", "name": name} for name in value]
            session.append({"role": "assistant", "content": "", "tool_calls": calls})
        elif kind == "answer":
            for call in [each for each in session.unanswered() if each["name"] == value]:
                session.answer(tool_message(value, call["id"], "ok", False))
            session.answer(tool_message(value, "gone", "late", False))
        elif kind == "trim":
            agent_session_trim(ctx, "s", value)
        elif kind == "compact":
            compact_for_loop(ctx, "s", value)
        else:
            session = sessions.find(_forked(ctx, "fork", session, value, None))
            sessions.close("s")
            session.id = "s"
            sessions._sessions["s"] = session
    session.settle("never ran")
    open_ids: list = []
    for message in session.messages:
        if message["role"] == "tool_result":
            assert message["tool_call_id"] in open_ids
            open_ids.remove(message["tool_call_id"])
        else:
            assert open_ids == []
            open_ids = [call["id"] for call in message.get("tool_calls", [])]
    assert open_ids == []
