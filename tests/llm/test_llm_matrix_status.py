"""The shared matrix, refusals: each HTTP status and each special body, for every wire (llm 9.4, provider faults)."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from stub import Answer, Stub
from wires import FORMS, KEY, MARK, WIRES, Ollama, OpenAi

pytestmark = pytest.mark.slow

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)

# status, reason, envelope status, requests of three allowed
STATUSES = [
    (400, "invalid_request", "provider_error", 1),
    (401, "auth_failure", "auth", 1),
    (402, "unknown", "provider_error", 1),
    (403, "auth_failure", "auth", 1),
    (404, "model_unavailable", "provider_error", 1),
    (408, "timeout", "timeout", 3),
    (409, "unknown", "provider_error", 1),
    (410, "model_unavailable", "provider_error", 1),
    (413, "unknown", "provider_error", 1),
    (418, "unknown", "provider_error", 1),
    (422, "unknown", "provider_error", 1),
    (429, "rate_limit", "rate_limited", 3),
    (500, "server_error", "provider_5xx", 3),
    (502, "server_error", "provider_5xx", 3),
    (503, "server_error", "provider_5xx", 3),
    (504, "timeout", "timeout", 3),
    (522, "timeout", "timeout", 3),
    (524, "timeout", "timeout", 3),
    (529, "server_error", "provider_5xx", 3),
]


def check(seen: dict, stub: Stub, reason: str, envelope: str, requests: int) -> None:
    assert (seen["error"]["reason"], seen["status"], len(stub.requests)) == (reason, envelope, requests)
    assert (seen["ok"], seen["retries"]) == (False, requests - 1)
    assert seen["retryable"] is (False if envelope == "provider_error" else None)


@wires
@pytest.mark.parametrize(("status", "reason", "envelope", "requests"), STATUSES, ids=[str(s[0]) for s in STATUSES])
def test_statuses(stacked, wire, status, reason, envelope, requests):
    with Stub(wire.failing(status, "please do not")) as stub:
        seen = stacked(wire, stub.url)
    check(seen, stub, reason, envelope, requests)
    error = seen["error"]
    assert "please do not" in error["message"]
    assert error["message"].startswith(f"{wire.name} HTTP {status}")
    assert (error["status"], error["provider"], error["model"], error["origin"]) == (status, wire.name, "m", "provider")


@wires
@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("streamed", [False, True], ids=["status", "stream"])
def test_a_refused_key_is_named_and_never_shown(asked, run_harn, wire, status, streamed):
    """The help says where the key comes from: in the error, and under an error that nobody caught."""
    refusal = wire.failing(status, f"no such key {KEY}", "authentication_error")
    if streamed:
        refusal = wire.streamed([wire.stream_error(f"no such key {KEY}", "authentication_error")])
    keys = [name for name, value in wire.env.items() if value == KEY]
    with Stub(refusal) as stub:
        error = asked(wire, stub.url)["error"]
        program = f'llm_call("hi", nil, {{provider: "{wire.name}", model: "m"}})'
        ended = run_harn(program, env=wire.environment(stub.url))
    assert (error["reason"], error["kind"], ended.code) == ("auth_failure", "terminal", 1)
    assert MARK not in str(error) + ended.out + ended.err
    if keys:
        assert keys[0] in error["help"]
        assert f"= hint: {error['help']}" in ended.err
    else:
        assert "help" not in error


@wires
@pytest.mark.parametrize("status", [500, 502, 404], ids=str)
@pytest.mark.parametrize(
    "body", ["", "<html>" + "x" * 200_000 + "</html>", b"\xff\xfe\x00"], ids=["empty", "html", "bytes"]
)
def test_failures_without_json(stacked, wire, status, body):
    with Stub(Answer(status, body, {"content-type": "text/html"})) as stub:
        seen = stacked(wire, stub.url, "llm_caller({retry: {max_attempts: 1}})")
    assert seen["error"]["reason"] == ("model_unavailable" if status == 404 else "server_error")
    assert len(seen["error"]["message"]) < 2048 + 200


@wires
@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip"])
def test_failures_that_do_not_decode(stacked, wire, encoding):
    """What counts is the status: a proxy that breaks the body of a 503 is a server that is not there."""
    headers = {"content-encoding": encoding, "retry-after": "2"}
    with Stub(Answer(503, b"not gzip", headers), wire.whole("all-ok")) as stub:
        seen = stacked(wire, stub.url)
    assert (seen["text"], seen["retries"], seen["slept"] // 1000) == ("all-ok", 1, 2)


LISTS = [
    {"detail": [{"loc": ["body", "n"], "msg": "must be 1"}, {"loc": ["body"], "msg": "must be short"}]},
    {"errors": [{"message": "must be 1"}, "must be short"]},
    {"error": [{"detail": "must be 1"}, None, 3, {"message": "must be short"}]},
]


@wires
@pytest.mark.parametrize("body", LISTS, ids=lambda body: next(iter(body)))
def test_a_list_of_faults_is_kept(stacked, wire, body):
    with Stub(Answer(422, body)) as stub:
        seen = stacked(wire, stub.url)
    check(seen, stub, "unknown", "provider_error", 1)
    assert seen["error"]["message"].endswith(": must be 1; must be short")


OVERFLOWS = [
    (400, "", "context_length_exceeded"),
    (400, "maximum context length is 8192 tokens, got 9001", ""),
    (400, "prompt is too long: 210000 tokens > 200000", ""),
    (400, "input token count (70000) exceeds the maximum number of tokens allowed", ""),
    (413, "input is too long for this model", ""),
    (429, "", "context_length_exceeded"),
    (500, "model context exceeded", ""),
    (400, "longer than the model's context length (4096 tokens)", ""),
]


@wires
@pytest.mark.parametrize(("status", "message", "code"), OVERFLOWS)
def test_context_overflow_in_many_phrasings(stacked, wire, status, message, code):
    with Stub(wire.failing(status, message, code=code)) as stub:
        check(seen := stacked(wire, stub.url), stub, "context_overflow", "context_window_exceeded", 1)
    numbers = [int(digits) for digits in "".join(c if c.isdigit() else " " for c in message).split()]
    assert f"(offending_tokens: {max(numbers)})" in seen["error"]["message"] if numbers else True


NO_OVERFLOWS = [
    (429, "request too large for tokens per minute: limit 6000, requested 9000", "", "rate_limit"),
    (400, "max_tokens must be positive", "", "invalid_request"),
]


@wires
@pytest.mark.parametrize(("status", "message", "code", "reason"), NO_OVERFLOWS)
def test_what_is_no_overflow(stacked, wire, status, message, code, reason):
    with Stub(wire.failing(status, message, code=code)) as stub:
        assert stacked(wire, stub.url, "llm_caller({retry: {max_attempts: 1}})")["error"]["reason"] == reason


@pytest.mark.parametrize("wire", [wire for wire in WIRES if isinstance(wire, OpenAi)], ids=lambda wire: wire.name)
def test_a_specific_code_beats_an_echoed_prompt(stacked, wire):
    echo = "cannot read image; prompt was: explain the context window"
    with Stub(wire.failing(400, echo, code="invalid_image")) as stub:
        check(stacked(wire, stub.url), stub, "invalid_request", "provider_error", 1)


@wires
@pytest.mark.parametrize("words", ["refused: content_policy", "flagged by moderation", "blocked by policy"])
@pytest.mark.parametrize("status", [400, 403])
def test_content_policy(stacked, wire, status, words):
    with Stub(wire.failing(status, words)) as stub:
        check(stacked(wire, stub.url), stub, "content_policy", "policy_blocked", 1)


@wires
@pytest.mark.parametrize("code", ["insufficient_quota", "billing_hard_limit_reached"])
def test_quota_is_never_hammered(stacked, wire, code):
    """Ollama has no code: its text only mentions quota, and so stays a rate limit."""
    with Stub(wire.failing(429, "You are out of money", code=code)) as stub:
        seen = stacked(wire, stub.url)
    structured = not isinstance(wire, Ollama) and wire.name != "gemini"
    expected = ("insufficient_quota", "provider_error", 1) if structured else ("rate_limit", "rate_limited", 3)
    check(seen, stub, *expected)


@wires
def test_prose_about_quota_stays_a_rate_limit(stacked, wire):
    with Stub(wire.failing(429, "quota of requests per minute used up")) as stub:
        check(stacked(wire, stub.url), stub, "rate_limit", "rate_limited", 3)


RETRY_AFTER = [
    ({"retry-after": "7"}, 7000),
    ({"Retry-After": "1.5"}, 1500),
    ({"RETRY-AFTER": " 2 "}, 2000),
    ({"retry-after": "0"}, 0),
    ({"retry-after": "Tue, 01 Jan 2030 00:00:09 GMT"}, 9000),
    ({"retry-after": "Mon, 31 Dec 2029 23:59:50 GMT"}, 0),
    ({"retry-after": "Tuesday, 01-Jan-30 00:00:09 GMT"}, 9000),
    ({"retry-after": "Tue Jan  1 00:00:09 2030"}, 9000),
    ({"retry-after": "3600"}, 3_600_000),
    ({"retry-after-ms": "250", "retry-after": "9"}, 250),
    ({"retry-after": "-3"}, None),
    ({"retry-after": "soon"}, None),
    ({"retry-after": ""}, None),
    ({"retry-after": "nan"}, None),
    ({"rEtRy-AfTeR": "4"}, 4000),
    ({"ReTrY-aFtEr": "TUE, 01 JAN 2030 00:00:09 gmt"}, 9000),
    ({"Retry-After-Ms": "750"}, 750),
    ({"retry-after-ms": "soon", "retry-after": "2"}, 2000),
    ({"retry-after-ms": "-1"}, None),
    ({"retry-after": "31 Dec 2030"}, None),
    ({"retry-after": "Tue, 99 Jan 2030 00:00:09 GMT"}, None),
    ({"retry-after": "1e3"}, None),
    ({"retry-after": "inf"}, None),
    ({}, None),
]


@wires
@pytest.mark.parametrize(("headers", "hint"), RETRY_AFTER, ids=str)
def test_retry_after(stacked, wire, headers, hint):
    """The wait is the hint where there is one, however long; what is none leaves the backoff (250 ms, half drawn)."""
    refusal = wire.failing(429)
    refusal.headers.update(headers)
    with Stub(refusal) as stub:
        seen = stacked(wire, stub.url, "llm_caller({retry: {max_attempts: 2}})", draw=0.5)
        assert (seen["status"], len(stub.requests), seen["slept"]) == ("rate_limited", 2, max(125, hint or 0))
    error = seen["error"]
    # A date has come when the second refusal arrives.
    assert error.get("retry_after_ms") == (0 if hint and "00:00:09" in str(headers) else hint)
    assert "retry_after_ms" in error or hint is None
    shown = {name.lower(): value.strip() for name, value in headers.items()}.get("retry-after")
    assert ("(retry-after:" in error["message"]) == bool(shown)


@wires
@pytest.mark.parametrize(("most", "requests"), [(3_600_000, 3), (3_599_999, 1), (0, 1)])
def test_a_hint_longer_than_the_program_will_wait(stacked, wire, most, requests):
    caller = f"llm_caller({{retry: {{max_retry_after_ms: {most}}}}})"
    with Stub(wire.failing(429, retry_after="3600")) as stub:
        seen = stacked(wire, stub.url, caller)
    check(seen, stub, "rate_limit", "rate_limited", requests)
    assert (seen["exceeded"], seen["slept"]) == ((None, 2 * 3_600_000) if requests == 3 else (True, 0))


@wires
def test_retry_after_counts_under_other_statuses_too(stacked, wire):
    with Stub(wire.failing(503, retry_after="7"), wire.whole("all-ok")) as stub:
        assert stacked(wire, stub.url)["slept"] == 7000


BROKEN = [
    Answer(200, '{"half": ', {"content-type": "application/json"}),
    Answer(200, "<html>login</html>", {"content-type": "text/html"}),
    Answer(200, "[1, 2]", {"content-type": "application/json"}),
    Answer(200, '"text"', {"content-type": "application/json"}),
    Answer(200, '{"unexpected": 1}', {"content-type": "application/json; charset=utf-8"}),
    Answer(200, b"\x1f\x8bnot gzip", {"content-encoding": "gzip", "content-type": "application/json"}),
    Answer(200, "\0" * 3000, {"content-type": "application/octet-stream"}),
    Answer(200, b"\xff\xfe{\0}\0", {"content-type": "application/json; charset=utf-16"}),
]
BROKEN_NAMES = ["cut", "html", "list", "string", "other", "undecodable", "zeros", "utf-16"]


@wires
@pytest.mark.parametrize("answer", BROKEN, ids=BROKEN_NAMES)
def test_a_200_that_is_no_reply(stacked, wire, answer):
    if isinstance(wire, Ollama) and answer is BROKEN[4]:
        return  # an object without a message is a line of its stream: the end without `done` is in the stream tests
    with Stub(answer) as stub:
        check(stacked(wire, stub.url), stub, "invalid_response", "provider_error", 1)


VOID = {
    "anthropic": ["{}", "null", "", '{"content": [], "usage": {"input_tokens": 3, "output_tokens": 0}}'],
    "gemini": ["{}", "null", "", '{"candidates": []}', '{"candidates": [{"content": {}}]}'],
    "ollama": ['{"done": true}', '{"done": true, "message": {"content": ""}}', '{"done": true, "message": null}'],
    "": ["{}", "null", "", '{"choices": []}', '{"choices": [{"message": null}]}', '{"choices": [null]}'],
}  # fmt: skip


@wires
@pytest.mark.parametrize("index", range(6))
def test_nothing_is_asked_once_more_and_then_transient(stacked, wire, index):
    bodies = VOID.get(wire.name, VOID[""])
    if index >= len(bodies):
        return
    body = bodies[index]
    void = Answer(200, body, {"content-type": "application/json"})
    with Stub(void, wire.whole("all-ok")) as stub:
        seen = stacked(wire, stub.url, "default_llm_caller()")
    assert (seen["text"], len(stub.requests), seen["slept"]) == ("all-ok", 2, 0)
    with Stub(void) as stub:
        seen = stacked(wire, stub.url)
    assert (seen["status"], seen["error"]["reason"], len(stub.requests)) == ("transient", "empty_generation", 6)
    assert (seen["retryable"], seen["retries"], seen["error"]["kind"]) == (True, 2, "transient")


@wires
def test_more_forms_of_nothing(asked, wire):
    for body in VOID.get(wire.name, VOID[""]):
        with Stub(Answer(200, body, {"content-type": "application/json"}), wire.whole("ok")) as stub:
            response = asked(wire, stub.url, "{stream: false}")["response"]
        assert response["usage"]["provider_attempts"]["empty_completion"] == 1


@wires
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_billed_empty_is_dispatched_again(stacked, wire, streamed):
    empty = wire.stream(outgoing=1) if streamed else wire.whole("", outgoing=1)
    with Stub(empty, wire.whole("all-ok")) as stub:
        seen = stacked(wire, stub.url)
    assert (seen["text"], seen["retries"], len(stub.requests)) == ("all-ok", 1, 2)
    with Stub(empty) as stub:
        seen = stacked(wire, stub.url, "default_llm_caller()")
    assert (seen["ok"], seen["text"], len(stub.requests)) == (True, "", 1)


REFUSALS_OF_GEMINI = [
    '{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}}',
    '{"candidates": [{"finishReason": "PROHIBITED_CONTENT"}], "usageMetadata": {"promptTokenCount": 3}}',
    '{"candidates": [{"finishReason": "IMAGE_SAFETY", "content": {"parts": [], "role": "model"}}]}',
]


@wires
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("outgoing", [0, 1])
def test_a_refusal_under_200(stacked, wire, streamed, outgoing):
    fields = {"stop": REFUSAL_WORDS.get(wire.name, "content_filter"), "outgoing": outgoing}
    with Stub(wire.stream(**fields) if streamed else wire.whole("", **fields)) as stub:
        check(stacked(wire, stub.url), stub, "content_policy", "policy_blocked", 1)


@pytest.mark.parametrize("body", REFUSALS_OF_GEMINI)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_forms_of_a_refusal_of_gemini(stacked, body, streamed):
    wire = next(wire for wire in FORMS if wire.name == "gemini")
    answer = wire.streamed([b"data: " + body.encode() + b"\n\n"]) if streamed else Answer(200, body)
    answer.headers.setdefault("content-type", "application/json")
    with Stub(answer) as stub:
        check(stacked(wire, stub.url), stub, "content_policy", "policy_blocked", 1)


@wires
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_an_error_object_about_the_policy_under_200(stacked, wire, streamed):
    body = wire.error_body(400, "the prompt was flagged by moderation", "invalid_request_error", "content_filter")
    raw = Answer(200, body)
    if streamed:
        frame = raw.body + b"\n" if isinstance(wire, Ollama) else b"data: " + raw.body + b"\n\n"
        raw = wire.streamed([frame])
    with Stub(raw) as stub:
        check(stacked(wire, stub.url), stub, "content_policy", "policy_blocked", 1)


LIMIT_WORDS = {"anthropic": "max_tokens", "gemini": "MAX_TOKENS"}
REFUSAL_WORDS = {"anthropic": "refusal", "gemini": "SAFETY"}


@wires
def test_empty_with_a_reason(stacked, wire):
    with Stub(wire.whole("", stop=LIMIT_WORDS.get(wire.name, "length"))) as stub:
        check(stacked(wire, stub.url), stub, "output_budget_exhausted", "provider_error", 1)
    with Stub(wire.whole("", stop=REFUSAL_WORDS.get(wire.name, "content_filter"), outgoing=0)) as stub:
        check(stacked(wire, stub.url), stub, "content_policy", "policy_blocked", 1)


@wires
def test_an_error_object_under_200(stacked, wire):
    body = wire.error_body(429, "slow down", "rate_limit_error", "rate_limit_exceeded")
    with Stub(Answer(200, body)) as stub:
        check(stacked(wire, stub.url), stub, "rate_limit", "rate_limited", 3)


@wires
@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(stacked, wire, status):
    """Neither to another host, nor to another port, nor to another path of the same server."""
    with Stub(wire.whole("stolen")) as other, Stub(wire.whole("stolen")) as stub:
        places = [other.url + wire.path, other.url.replace("127.0.0.1", "localhost"), "//" + other.url[7:], "/else"]
        stub.answers = [Answer(status, "", {"location": place}) for place in places]
        for count, _ in enumerate(places, 1):
            seen = stacked(wire, stub.url)
            error = seen["error"]
            assert (seen["status"], error["status"], len(stub.requests)) == ("provider_error", status, count)
            assert "redirects are not followed" in error["message"]
        assert (other.requests, other.connections) == ([], 0)
        assert {request.path for request in stub.requests} == {wire.path}


ECHOES = [
    lambda wire: wire.failing(401, f"bad header Authorization: Bearer {KEY}"),
    lambda wire: wire.failing(404, f"no such thing: https://host/v1?key={KEY}&alt=sse"),
    lambda wire: Answer(500, f"POST /v1 x-api-key: {KEY}\r\nx-goog-api-key: {KEY}\r\n{{}}"),
    lambda wire: Answer(200, f"<html>{KEY}</html>", {"content-type": "text/html"}),
    lambda wire: wire.failing(429, "slow", retry_after=KEY),
]


@wires
@pytest.mark.parametrize("echo", ECHOES, ids=["401", "404", "500", "200", "header"])
def test_a_key_that_comes_back_is_removed(asked, wire, echo):
    with Stub(echo(wire)) as stub:
        error = asked(wire, stub.url)["error"]
    assert MARK not in str(error)


ODD_KEY = "Zq9+canary/odd-key=77"
SENT_BACK = {
    "quoted": lambda wire: Answer(401, f"bad key {quote(ODD_KEY, safe='')}"),
    "escaped": lambda wire: Answer(401, 'cut off {"key": "' + ODD_KEY.replace("/", "\\/")),
    "at the cut of an excerpt": lambda wire: Answer(200, "x" * 190 + ODD_KEY, {"content-type": "text/html"}),
    "at the cut of a message": lambda wire: Answer(500, "y" * 2040 + ODD_KEY),
    "in the details": lambda wire: wire.failing(400, "y" * 2040, kind="z" * 250 + ODD_KEY),
    "in a header": lambda wire: Answer(200, "x", {"content-type": f"text/{ODD_KEY}"}),
}


@wires
@pytest.mark.parametrize("answer", SENT_BACK.values(), ids=SENT_BACK)
def test_no_part_of_an_odd_key_comes_back(asked, wire, answer):
    keys = [name for name, value in wire.env.items() if "URL" not in value]
    with Stub(answer(wire)) as stub:
        error = str(asked(wire, stub.url, **dict.fromkeys(keys, ODD_KEY))["error"])
    assert not keys or not any(part in error for part in ("Zq9", "canary", "odd-key"))
