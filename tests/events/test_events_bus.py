"""The event bus: shapes, registration, delivery, redaction; the topic log and the JSONL sink."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.events.bus import EventBus
from harnpy.events.log import JsonlWriter, plain
from harnpy.events.redact import redact, redact_start, redact_text, register_secret
from harnpy.events.topics import TopicLog


@pytest.fixture
def bus():
    warnings: list[str] = []
    made = EventBus(warnings.append)
    made.warnings = warnings
    return made


def test_event_is_flat_and_keeps_its_own_type_and_session(bus):
    bus.emit("s", "iteration_start", {"iteration": 1, "type": "forged", "session_id": "forged"})
    assert bus.log == [{"type": "iteration_start", "session_id": "s", "iteration": 1}]


def test_middleware_events_carry_a_copy_of_their_payload(bus):
    payload = {"model": "m", "status": "ok"}
    bus.emit("s", "llm_call_log", payload)
    assert bus.log[0]["payload"] == payload
    assert bus.log[0]["payload"] is not payload


def test_fixed_shape_drops_unknown_keys_and_fills_missing_ones(bus):
    bus.emit("s", "scope_classifier_verdict", {"label": "in_scope", "extra": 1, "model": "m"})
    event = bus.log[0]
    assert "extra" not in event
    assert (event["label"], event["model"], event["confidence_threshold"]) == ("in_scope", "m", 0.65)


def test_unknown_type_is_dropped_with_one_warning_per_session(bus):
    for session in ("a", "a", "b"):
        bus.emit(session, "nonsense", {})
    assert bus.log == []
    assert bus.warnings == ["unsupported event type `nonsense`"] * 2


@pytest.mark.parametrize("name", ["billing.routing_decision.decision", "llm.routing.race_won"])
def test_routing_events_count_as_registered(bus, name):
    bus.emit("s", name, {"policy": "p"})
    assert bus.log[0]["type"] == name


def test_stance_events_are_phases(bus):
    bus.emit("s", "stance_armed", {"escape_tool": "t"})
    assert bus.log == [{"type": "stance_transition", "phase": "armed", "escape_tool": "t", "session_id": "s"}]


def test_empty_session_is_a_no_op(bus):
    bus.emit("", "llm_call_log", {})
    assert bus.log == []


def test_listeners_run_in_order_and_their_failures_do_not_matter(bus):
    heard: list[str] = []

    def broken(_event):
        raise ValueError("no")

    bus.subscribe("s", lambda _event: heard.append("first"))
    bus.subscribe("s", broken)
    end = bus.subscribe("s", lambda _event: heard.append("third"))
    bus.subscribe("other", lambda _event: heard.append("never"))
    bus.emit("s", "llm_call_log", {})
    end()
    bus.emit("s", "llm_call_log", {})
    assert heard == ["first", "third", "first"]
    assert len(bus.warnings) == 2


def test_secrets_reach_no_sink(bus, tmp_path):
    register_secret("plain-secret-value")
    writer = JsonlWriter(str(tmp_path / "e.jsonl"))
    bus.add_sink(writer.write)
    bus.emit("s", "llm_call_log", {"prompt": ["my key is sk-0123456789 and plain-secret-value"], "n": float("nan")})
    writer.close()
    written = (tmp_path / "e.jsonl").read_text()
    assert "0123456789" not in written + str(bus.log)
    assert "plain-secret-value" not in written + str(bus.log)
    assert json.loads(written)["n"] is None


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer {}",
        '"authorization": "Bearer {}"',
        "{{'x-api-key': '{}'}}",
        "x-goog-api-key={}",
        "https://h/v1?key={}&a=1",
        "https://h/v1?a=1&api_key={}",
        "bearer {}",
        "token sk-{}",
        "AIza{}",
        "hf_{}",
    ],
)
def test_every_form_of_a_secret(text):
    assert "ABCdef0123456789" not in redact_text(text.format("ABCdef0123456789"))


@pytest.mark.parametrize(
    "text", ["the monkey=yes", "task-force", "ask-me-anything", "Bear with me", "a risk-free offer"]
)
def test_ordinary_text_stays(text):
    assert redact_text(text) == text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(alphabet="abc xyz"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet="abc"), inner),
)


@given(json_values)
def test_redaction_leaves_harmless_values_alone(value):
    assert redact(value) is value


@given(json_values)
def test_every_event_can_be_written_as_json(value):
    json.dumps(plain(value), allow_nan=False)


def test_topic_ids_rise_per_topic():
    log = TopicLog()
    assert [log.emit("a", "k", 1, {}, 5), log.emit("a", "k", 2, {}, 6), log.emit("b", "k", 3, {}, 7)] == [1, 2, 1]
    assert (log.latest("a"), log.latest("none"), log.topics()) == (2, None, ["a", "b"])
    assert [record["payload"] for record in log.read("a", 1)] == [2]


def test_a_topic_forgets_its_oldest_records(monkeypatch):
    monkeypatch.setattr("harnpy.events.topics.MOST_RECORDS", 20)
    log = TopicLog()
    assert [log.emit("a", "k", number, {}, 5) for number in range(1, 26)] == list(range(1, 26))
    assert log.latest("a") == 25
    assert [record["id"] for record in log.read("a")] == list(range(7, 26))
    assert [record["id"] for record in log.read("a", 3)] == list(range(7, 26))
    assert [record["id"] for record in log.read("a", 23)] == [24, 25]
    assert log.read("a", 25) == log.read("a", 99) == []


def test_a_secret_that_begins_with_another_leaves_no_rest():
    """Whichever key came first."""
    for first, second in (("ka3-base", "ka3-base-REST"), ("kb3-base-REST", "kb3-base")):
        register_secret(first)
        register_secret(second)
        shown = redact_text(f"{first} {second}")
        assert shown == "[redacted] [redacted]"


def test_a_cut_leaves_no_beginning_of_a_secret():
    register_secret("plain-secret-value")
    for limit in range(40):
        shown = redact_start("at 10: .. plain-secret-value and more", limit)
        assert len(shown) <= limit
        assert "pl" not in shown
