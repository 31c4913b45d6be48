"""The OpenAI-compatible wire: golden requests, whole and streamed replies, faults (llm 8.3, 8.4, 15)."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stub import Answer, Stub, delta, oa, sse

from harnpy.llm.providers.openai_chat import StreamReader, build_body
from harnpy.llm.proxies import proxy_for
from harnpy.llm.request import build_request
from harnpy.llm.sse import SseReader
from harnpy.llm.visible import split_thinking, visible_text


def body(options: dict, prompt: str = "p", system: str | None = None, stream: bool = False) -> dict:
    return build_body(
        build_request(prompt, system, {"provider": "openai", "model": "gpt-4o", **options}, {}, gated=False),
        stream=stream,
    )


def test_golden_request():
    tool = {"name": "t", "description": "d", "parameters": {"a": "int"}}
    options = {
        "temperature": 0.5, "top_p": 1, "stop": ["x"], "seed": 7, "max_tokens": 9, "tools": [tool],
        "tool_choice": {"name": "t"}, "logprobs": {"top": 2}, "output": {"type": "object"}, "model": "in-house",
        "tool_format": "native",
        "effort": "low", "provider_options": {"openai": {"user": "u"}, "groq": {"user": "not me"}},
    }  # fmt: skip
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert body(options, system="s", stream=True) == {
        "model": "in-house",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "p"}],
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 1,
        "stop": ["x"],
        "seed": 7,
        "logprobs": True,
        "top_logprobs": 2,
        "reasoning_effort": "low",
        "tools": [{"type": "function", "function": {"name": "t", "description": "d", "parameters": schema}}],
        "tool_choice": {"type": "function", "function": {"name": "t"}},
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "response", "schema": {"type": "object"}, "strict": True},
        },
        "stream": True,
        "stream_options": {"include_usage": True},
        "user": "u",
    }


def test_newer_models_get_completion_tokens():
    assert "max_completion_tokens" in body({"model": "gpt-5.4-mini"})
    assert "max_tokens" in body({"model": "gpt-4o"})


def test_tool_round_trip_and_images():
    call = {"id": "c1", "type": "tool_call", "name": "t", "arguments": {"b": 1, "a": "é"}}
    messages = [
        {"role": "user", "content": [{"type": "image", "data": "QUJD", "mime_type": "image/png", "detail": "low"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "done"}]},
    ]
    assert body({"messages": messages})["messages"] == [
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD", "detail": "low"}}],
        },
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "t", "arguments": '{"a": "é", "b": 1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]


def feed(*chunks: dict):
    reader = StreamReader(build_request("p", None, {"provider": "local"}, {}))
    for chunk in chunks:
        reader.feed(chunk)
    return reader.reply()


def part(**fields: object) -> dict:
    return delta(tool_calls=[fields])


def calls(*chunks: dict) -> list[tuple[str, str, object]]:
    return [(call["id"], call["name"], call["arguments"]) for call in feed(*chunks).tool_calls]


def test_of_several_answers_the_first_is_read():
    """With ``n`` in ``provider_options`` a server sends several, in one chunk or in turns."""

    def said(index: int, text: str) -> dict:
        return {"index": index, "delta": {"content": text}, "finish_reason": "stop" if text == "." else None}

    chunks = [
        [said(0, "a"), said(1, "x")],
        [said(1, "y")],
        [said(1, "z"), said(0, "b")],
        [said(1, ".")],
        [said(0, ".")],
    ]
    reader = StreamReader(build_request("p", None, {"provider": "openai", "model": "m"}, {}, gated=False))
    assert [reader.feed({"choices": choices}) for choices in chunks] == ["a", "", "b", "", "."]
    assert reader.reply().text == "ab."


def test_tool_calls_in_pieces():
    first = {"name": "a", "arguments": ""}
    assert calls(
        part(index=0, id="x", function=first),
        part(index=1, id="y", function={"name": "b"}),
        part(index=0, function={"arguments": '{"k":'}),
        part(index=1, function={"arguments": ""}),
        part(index=0, function={"arguments": " 1}"}),
    ) == [("x", "a", {"k": 1}), ("y", "b", {})]
    assert calls(part(index=0, id="x", function=first), part(index=0, id="z", function={"name": "c"})) == [
        ("x", "a", {}),
        ("z", "c", {}),
    ]
    assert calls(
        part(id="x", function=first), part(function={"arguments": "{}"}), part(id="y", function={"name": "b"})
    ) == [("x", "a", {}), ("y", "b", {})]
    assert calls(part(index=0, function=first), part(index=0, id="late", function={"arguments": "{"}))[0][0] == "late"
    assert "__parse_error" in calls(part(index=0, function=first), part(index=0, function={"arguments": "{"}))[0][2]
    assert calls(part(index=0, function={"name": "a"})) == [("call_1", "a", {})]


@pytest.fixture
def call(run_harn):
    """Give ``call(stub, options, **env) -> dict``: what ``call_safe`` gave."""

    def run(stub: Stub, options: str = "{}", **env: str) -> dict:
        program = f'println(json_stringify(llm_call_safe("hi", nil, {{provider: "local"}} + {options})))'
        ran = run_harn(program, env={"LOCAL_LLM_BASE_URL": stub.url, **env})
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out)

    return run


USAGE = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}
PIECES = [delta("Hé"), ": keep-alive\n\n", "event: x\nid: 1\ndata:\n\n", delta("llo 🙂"), delta(finish="stop"), USAGE]


def test_whole_streamed_and_dripped_replies_agree(call):
    crlf = sse(*PIECES)
    crlf.body = crlf.body.replace(b"\n", b"\r\n")
    bom = sse(*PIECES)
    bom.body = b"\xef\xbb\xbf" + bom.body
    dripped = sse(*PIECES, drip=(1, 0))
    replies = []
    for answer in (oa("Héllo 🙂"), sse(*PIECES), crlf, bom, dripped, sse(*PIECES, done=False)):
        with Stub(answer) as stub:
            response = call(stub)["response"]
        replies.append({key: response[key] for key in ("text", "visible_text", "usage", "stop_reason", "outcome")})
    assert all(reply == replies[0] for reply in replies)
    assert replies[0]["text"] == "Héllo 🙂"


def test_reasoning_and_refusal_fields(call):
    with Stub(sse(delta(reasoning_content="think"), delta("a"), delta(finish="stop"))) as stub:
        response = call(stub)["response"]
    assert (response["thinking"], response["text"]) == ("think", "a")
    with Stub(oa(None, refusal="I will not", finish="content_filter")) as stub:
        response = call(stub)["response"]
    assert (response["text"], response["outcome"]["kind"]) == ("I will not", "refused")


def test_stream_options_are_dropped_when_the_server_does_not_know_them(call):
    with Stub(Answer(400, {"error": {"message": "unknown field stream_options"}}), oa("ok")) as stub:
        assert call(stub)["response"]["text"] == "ok"
    assert ["stream_options" in request.json for request in stub.requests] == [True, False]


def test_streaming_can_be_switched_off(call):
    with Stub(oa("ok")) as stub:
        call(stub, "{stream: false}")
        call(stub, HARN_LLM_STREAM="0")
    assert ["stream" in request.json for request in stub.requests] == [False, False]


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": "7"}, {"prompt_tokens": -3}, "x"]
)
def test_odd_usage_counts_as_nothing(call, usage):
    answer = Answer(200, {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}], "usage": usage})
    with Stub(answer) as stub:
        response = call(stub)["response"]
    assert response["usage"]["input_tokens"] == (7 if usage == {"prompt_tokens": "7"} else 0)
    if not usage or usage == "x":
        assert response["usage"]["accounting_status"] == "unknown"


FAULTS = [
    (Answer(reset=True), "network_error", None),
    (sse(delta("Hel"), delta("lo"), cut_after=130), "network_error", "Hel"),
    (sse(delta("Hello"), done=False), "network_error", "Hello"),
    (sse(delta("Hel"), {"error": {"type": "overloaded_error", "message": "busy"}}), "server_error", "Hel"),
    (sse({"error": {"message": "slow", "code": 429}}), "rate_limit", None),
    (sse({"error": {"type": "authentication_error", "message": "no"}}), "auth_failure", None),
    (sse("data: {broken\n\n"), "invalid_response", None),
    (Answer(200, b"\x1f\x8bnot gzip", {"content-encoding": "gzip"}), "invalid_response", None),
    (Answer(200, {"error": {"message": "blocked by policy"}}), "content_policy", None),
    (Answer(200, {"unexpected": 1}), "invalid_response", None),
    (oa("", 3, 5, finish="length"), "output_budget_exhausted", None),
    (oa("", 3, 0, finish="content_filter"), "content_policy", None),
]


@pytest.mark.parametrize(("answer", "reason", "partial"), FAULTS)
def test_faults(call, answer, reason, partial):
    with Stub(answer) as stub:
        error = call(stub)["error"]
    assert (error["reason"], error.get("partial")) == (reason, partial)


@pytest.mark.parametrize(
    ("answer", "options", "env", "deadline"),
    [
        (Answer(silent=True), "{timeout_ms: 60}", {}, "total"),
        (sse(delta("a"), delta("b"), drip=(1, 20)), "{timeout_ms: 60}", {}, "total"),
        (Answer(silent=True), "{}", {"HARN_LLM_FIRST_TOKEN_TIMEOUT": "0.06"}, "first_chunk"),
        (sse(delta("abc"), drip=(60, 300)), "{idle_timeout_ms: 60}", {}, "idle"),
    ],
)
def test_deadlines(call, answer, options, env, deadline):
    with Stub(answer) as stub:
        error = call(stub, options, **env)["error"]
    assert (error["reason"], error["kind"], error["deadline"]) == ("timeout", "transient", deadline)


def test_a_bomb_is_cut(call):
    with Stub(Answer(200, gzip.compress(b" " * (40 * 1024 * 1024)), {"content-encoding": "gzip"})) as stub:
        error = call(stub)["error"]
    assert (error["reason"], "32 MiB" in error["message"]) == ("invalid_response", True)


def test_a_redirect_is_not_followed(call):
    with Stub(oa("stolen")) as other, Stub(Answer(307, "", {"location": other.url})) as stub:
        error = call(stub, OPENAI_API_KEY="sk-0123456789")["error"]
        assert other.requests == []
    assert error["status"] == 307


def test_connections_are_kept_and_stale_ones_reopened(run_harn):
    program = 'for n in 1 to 3 { println(llm_call("hi", nil, {provider: "local"}).text) }'
    with Stub(oa("a"), oa("b"), oa("c")) as stub:
        assert run_harn(program, env={"LOCAL_LLM_BASE_URL": stub.url}).out == "a\nb\nc\n"
        assert (len(stub.requests), stub.connections) == (3, 1)
    closing = oa("x")
    closing.headers["connection"] = "close"
    with Stub(closing) as stub:
        assert run_harn(program, env={"LOCAL_LLM_BASE_URL": stub.url}).out == "x\nx\nx\n"
        assert (len(stub.requests), stub.connections) == (3, 3)


def test_a_cancelled_call_closes_its_socket(run_harn):
    program = """
    println(try { deadline 80ms { llm_call("hi", nil, {provider: "local"}) } } catch (e) { e })
    """
    with Stub(Answer(silent=True)) as stub:
        assert run_harn(program, env={"LOCAL_LLM_BASE_URL": stub.url}).out == "Deadline exceeded\n"
        assert stub.all_closed()


@pytest.mark.parametrize(
    ("host", "env", "proxy"),
    [
        ("api.x.ai", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ("api.x.ai", {"https_proxy": "p:1"}, "http://p:1"),
        ("api.x.ai", {"ALL_PROXY": "http://p:1", "NO_PROXY": "other, [junk, x.ai"}, None),
        ("api.x.ai", {"ALL_PROXY": "http://p:1", "NO_PROXY": "ai.x,a b,/x"}, "http://p:1"),
        ("api.x.ai", {"ALL_PROXY": "http://p:1", "NO_PROXY": "api.x.ai:8443"}, "http://p:1"),
        ("api.x.ai", {"ALL_PROXY": "http://p:1", "NO_PROXY": "*"}, None),
        ("127.0.0.1", {"HTTPS_PROXY": "http://p:1"}, None),
        ("localhost", {"HTTPS_PROXY": "http://p:1"}, None),
        ("api.x.ai", {}, None),
    ],
)
def test_proxies(host, env, proxy):
    assert proxy_for("https", host, 443, env) == proxy


@given(st.lists(st.text(alphabet="ab\n\r: é", max_size=6), max_size=4), st.integers(1, 5))
def test_sse_does_not_depend_on_how_bytes_are_cut(lines, size):
    raw = "".join(f"data: {line}\r\n\n" for line in lines).encode()

    def read(step: int) -> list[str]:
        reader = SseReader()
        found = [data for at in range(0, len(raw), step) for data in reader.feed(raw[at : at + step])]
        return found + list(reader.finish())

    assert read(size) == read(max(1, len(raw)))


@pytest.mark.parametrize(
    ("raw", "visible"),
    [
        ("DONE", ""),
        ("all-ok", "all-ok"),
        ("a\nDONE\nb", "a\n\nb"),
        ("<think>x</think>a", "a"),
        ("a<think>never closed", "a"),
        ("<assistant_prose>a</assistant_prose><done>X</done>", "a"),
        ("x<user_response> a </user_response><user_response>b</user_response>", "a\n\nb"),
        ("a\n\n\n\nb", "a\n\nb"),
        ("  a  ", "a"),
        ("UNDONE", "UNDONE"),
    ],
)
def test_visible_text(raw, visible):
    assert visible_text(raw) == visible


def test_visible_text_is_linear():
    import time

    began = time.monotonic()
    for opening in ("<tool_call>", "<think>", "<tool_result x>", "[result of x]", "<user_response>", "\n"):
        visible_text(opening * 100_000)
    assert time.monotonic() - began < 5


def test_http_proxy_is_used_and_loopback_is_not(run_harn):
    program = 'println(llm_call_safe("hi", nil, {provider: "local"}).response?.text)'
    with Stub(oa("through the proxy")) as proxy, Stub(oa("direct")) as server:
        env = {"HTTP_PROXY": proxy.url, "LOCAL_LLM_BASE_URL": "http://models.invalid:8000"}
        assert run_harn(program, env=env).out == "through the proxy\n"
        assert proxy.requests[0].path == "http://models.invalid:8000/v1/chat/completions"
        assert run_harn(program, env={**env, "LOCAL_LLM_BASE_URL": server.url}).out == "direct\n"


@pytest.mark.parametrize(
    "env",
    [
        {"LOCAL_LLM_BASE_URL": "ftp://h"},
        {"LOCAL_LLM_BASE_URL": "http://"},
        {"HARN_LLM_PROVIDER": "openai", "OPENAI_BASE_URL": "STUB", "OPENAI_API_KEY": "se\ncret-value"},
    ],
)
def test_a_request_that_cannot_be_sent_is_terminal_and_keeps_its_key(run_harn, env):
    options = "{}" if "HARN_LLM_PROVIDER" in env else '{provider: "local"}'
    with Stub(oa("never")) as stub:
        known = {name: stub.url if value == "STUB" else value for name, value in env.items()}
        ran = run_harn(f'println(llm_call_safe("hi", nil, {options}).error)', env=known)
    assert "kind: terminal" in ran.out
    assert "reason: invalid_request" in ran.out
    assert "cret-value" not in ran.out + ran.err


def test_numbers_and_characters_of_a_reply_fit_the_language(run_harn):
    content = '{"big": 123456789012345678901234567890, "smile": "\\ud83d\\ude42", "half": "\\ud83d"}'
    program = 'println(llm_call("hi", nil, {provider: "local", output: "json"}).data)'
    with Stub(oa(content)) as stub:
        out = run_harn(program, env={"LOCAL_LLM_BASE_URL": stub.url}).out
    assert out == "{big: 123456789012345680000000000000, half: \ufffd, smile: 🙂}\n"
    halves = sse(
        'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n',
        'data: {"choices":[{"delta":{"content":"\\ude42"},"finish_reason":"stop"}]}\n\n',
    )
    with Stub(halves) as stub:
        out = run_harn(
            'println(llm_call("hi", nil, {provider: "local"}).text)', env={"LOCAL_LLM_BASE_URL": stub.url}
        ).out
    assert out == "🙂\n"


def test_a_server_without_schemas_gets_the_schema_as_text(run_harn):
    program = """
    const schema = {type: "object", required: ["a"], properties: {a: {type: "integer"}}}
    println(llm_call_structured_result("hi", schema, {provider: "local", system: "S"}).data)
    """
    refusal = Answer(400, {"error": {"message": "response_format is not supported"}})
    with Stub(refusal, oa('{"a": 1}')) as stub:
        assert run_harn(program, env={"LOCAL_LLM_BASE_URL": stub.url}).out == "{a: 1}\n"
    first, second = (request.json for request in stub.requests)
    assert first["response_format"]["type"] == "json_schema"
    assert "response_format" not in second
    assert second["messages"][0]["content"].startswith("S\n\nAnswer with ONLY valid JSON")


@pytest.mark.parametrize(
    ("raw", "text", "thinking"),
    [
        ("<think>a</think>\n\nb", "b", "a"),
        ("x<think>a</think>y<think>b", "xy", "a\nb"),
        ("<think>never closed", "", "never closed"),
        ("plain", "plain", None),
    ],
)
def test_reasoning_inside_the_text(raw, text, thinking):
    assert split_thinking(raw) == (text, thinking)


def test_only_routes_that_say_so_have_reasoning_inside_the_text(call):
    with Stub(oa("<think>a</think>b")) as stub:
        told = call(stub, "{capabilities: {emits_inline_reasoning: true}}")["response"]
        other = call(stub)["response"]
    assert (told["text"], told["thinking"], told["raw_text"]) == ("b", "a", "<think>a</think>b")
    assert (other["text"], other.get("thinking"), other["visible_text"]) == ("<think>a</think>b", None, "b")
