"""The shared matrix, refusals in the words of each provider: its own bodies for every status (llm 9.4, 15)."""

from __future__ import annotations

import json

import pytest
from error_bodies import BODIES, as_json, message_of
from stub import Answer, Stub
from wires import FORMS, KEY, MARK

pytestmark = pytest.mark.slow

RETRIED = ("rate_limited", "provider_5xx", "timeout")
CASES = [(wire, *case) for wire in FORMS for case in BODIES[wire.name]]
NAMES = [f"{case[0].name}-{case[1]}-{index}" for index, case in enumerate(CASES)]


@pytest.mark.parametrize(("wire", "status", "body", "reason", "envelope"), CASES, ids=NAMES)
def test_the_words_of_the_provider(stacked, wire, status, body, reason, envelope):
    kind = "text/html" if isinstance(body, str) else "application/json"
    with Stub(Answer(status, as_json(body), {"content-type": kind})) as stub:
        seen = stacked(wire, stub.url)
    error = seen["error"]
    assert (error["reason"], seen["status"], error["status"]) == (reason, envelope, status)
    assert message_of(body) in error["message"]
    assert len(stub.requests) == (3 if envelope in RETRIED else 1)
    assert seen["retryable"] is (False if envelope == "provider_error" else None)
    assert error["kind"] == ("transient" if envelope in RETRIED else "terminal")


@pytest.mark.parametrize(("wire", "status", "body", "reason", "envelope"), CASES, ids=NAMES)
def test_the_same_words_without_a_stream_and_with_the_key_in_them(asked, wire, status, body, reason, envelope):
    sentence = as_json(message_of(body)) if isinstance(body, str) else json.dumps(message_of(body))[1:-1]
    text = as_json(body).replace(sentence, f"{KEY} {sentence}", 1)
    assert KEY in text or not text
    with Stub(Answer(status, text, {"content-type": "application/json"})) as stub:
        error = asked(wire, stub.url, "{stream: false}")["error"]
    assert (error["reason"], len(stub.requests)) == (reason, 1)
    assert MARK not in str(error)


@pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
@pytest.mark.parametrize("status", [400, 404, 422])
def test_the_message_is_kept_without_the_key(stacked, wire, status):
    message = f"the field `n` of your request is odd (you sent {KEY}), see page 7"
    with Stub(wire.failing(status, message)) as stub:
        seen = stacked(wire, stub.url)
    shown = seen["error"]["message"]
    assert "the field `n` of your request is odd (you sent" in shown
    assert "see page 7" in shown
    assert MARK not in shown
    assert (seen["status"], seen["retryable"], len(stub.requests)) == ("provider_error", False, 1)
