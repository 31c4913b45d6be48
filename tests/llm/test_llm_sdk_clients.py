"""The SDKs of OpenAI and Anthropic parse what our loopback servers send, and send what our wires send."""

from __future__ import annotations

import anthropic
import openai
import pytest
from stub import Stub
from wires import KEY, Anthropic, OpenAi

from harnpy.llm.providers.wires import wire_named
from harnpy.llm.request import build_request

CALLS = [("c1", "add", {"a": 1}), ("c2", "look", {})]
TEXT = ["Hé", "llo ", "🙂"]
OPENAI, ANTHROPIC = OpenAi(), Anthropic()


@pytest.fixture
def openai_client():
    def connect(stub: Stub) -> openai.OpenAI:
        return openai.OpenAI(base_url=stub.url + "/v1", api_key=KEY, max_retries=0)

    return connect


@pytest.fixture
def anthropic_client():
    def connect(stub: Stub) -> anthropic.Anthropic:
        return anthropic.Anthropic(base_url=stub.url, api_key=KEY, max_retries=0)

    return connect


MESSAGES = [{"role": "user", "content": "hi"}]


def test_openai_reads_a_whole_reply(openai_client):
    with Stub(OPENAI.whole("".join(TEXT), calls=CALLS, stop="tool_calls")) as stub, openai_client(stub) as client:
        reply = client.chat.completions.create(model="m", messages=MESSAGES)
    choice = reply.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("Héllo 🙂", "tool_calls")
    assert [(call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls] == [
        ("c1", "add", '{"a": 1}'),
        ("c2", "look", "{}"),
    ]
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens) == (3, 2, 5)


def test_openai_reads_a_stream(openai_client):
    with Stub(OPENAI.stream(*TEXT, calls=CALLS, stop="tool_calls")) as stub, openai_client(stub) as client:
        chunks = list(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == "Héllo 🙂"
    parts = [call for delta in deltas for call in delta.tool_calls or []]
    assert "".join(part.function.arguments or "" for part in parts if part.index == 0) == '{"a": 1}'
    assert [chunk.usage.total_tokens for chunk in chunks if chunk.usage] == [5]


STATUSES = [
    (400, "BadRequestError"), (401, "AuthenticationError"), (403, "PermissionDeniedError"), (404, "NotFoundError"),
    (409, "ConflictError"), (422, "UnprocessableEntityError"), (429, "RateLimitError"), (500, "InternalServerError"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "error"), STATUSES)
def test_both_read_our_error_bodies(openai_client, anthropic_client, status, error):
    with Stub(OPENAI.failing(status, "because", "some_error", "some_code")) as stub, openai_client(stub) as client:
        with pytest.raises(getattr(openai, error)) as caught:
            client.chat.completions.create(model="m", messages=MESSAGES)
        assert (caught.value.code, caught.value.type, "because" in caught.value.message) == (
            "some_code", "some_error", True
        )  # fmt: skip
    with Stub(ANTHROPIC.failing(status, "because", "some_error")) as stub, anthropic_client(stub) as client:
        with pytest.raises(getattr(anthropic, error)) as caught:
            client.messages.create(model="m", max_tokens=9, messages=MESSAGES)
        assert caught.value.body["error"] == {"type": "some_error", "message": "because"}


def test_openai_sees_an_error_inside_a_stream(openai_client):
    events = [*OPENAI.events(["Hel"])[:2], OPENAI.stream_error("busy", "overloaded_error")]
    with Stub(OPENAI.streamed(events)) as stub, openai_client(stub) as client:
        stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        with pytest.raises(openai.APIError, match="busy"):
            list(stream)


def test_anthropic_reads_a_whole_reply(anthropic_client):
    answer = ANTHROPIC.whole("".join(TEXT), calls=CALLS, stop="tool_use", thinking="hmm")
    with Stub(answer) as stub, anthropic_client(stub) as client:
        reply = client.messages.create(model="m", max_tokens=9, messages=MESSAGES)
    _check_message(reply)


def test_anthropic_reads_a_stream(anthropic_client):
    answer = ANTHROPIC.stream(*TEXT, calls=CALLS, stop="tool_use", thinking="hmm")
    with (
        Stub(answer) as stub,
        anthropic_client(stub) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        assert "".join(stream.text_stream) == "Héllo 🙂"
        _check_message(stream.get_final_message())


def _check_message(reply) -> None:
    thinking, text, first, second = reply.content
    assert (thinking.thinking, thinking.signature, text.text) == ("hmm", "sig==", "Héllo 🙂")
    assert [(call.id, call.name, call.input) for call in (first, second)] == CALLS
    assert (reply.stop_reason, reply.usage.input_tokens, reply.usage.output_tokens) == ("tool_use", 3, 2)


def test_anthropic_sees_an_error_inside_a_stream(anthropic_client):
    events = [*ANTHROPIC.events(["Hel"])[:4], ANTHROPIC.stream_error("busy", "overloaded_error")]
    with Stub(ANTHROPIC.streamed(events)) as stub, anthropic_client(stub) as client:
        stream = client.messages.create(model="m", max_tokens=9, messages=MESSAGES, stream=True)
        with pytest.raises(anthropic.APIStatusError, match="busy"):
            list(stream)


TOOL = {"name": "add", "description": "adds", "parameters": {"a": "int"}}
SCHEMA = {
    "type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False,
}  # fmt: skip
OPTIONS = {"model": "m", "max_tokens": 9, "temperature": 0.5, "top_p": 0.9, "stop": ["x"], "tools": [TOOL],
           "tool_format": "native", "tool_choice": {"name": "add"}, "cache": False}  # fmt: skip


def test_our_openai_request_is_the_one_of_the_sdk(openai_client):
    with Stub(OPENAI.whole("ok")) as stub, openai_client(stub) as client:
        client.chat.completions.create(
            model="m", max_tokens=9, temperature=0.5, top_p=0.9, stop=["x"],
            messages=[{"role": "system", "content": "s"}, *MESSAGES],
            tools=[{"type": "function", "function": {"name": "add", "description": "adds", "parameters": SCHEMA}}],
            tool_choice={"type": "function", "function": {"name": "add"}},
            stream=False,
        )  # fmt: skip
    sent = stub.requests[0]
    request = build_request("hi", "s", {**OPTIONS, "provider": "openai"}, {})
    wire = wire_named("openai_chat")
    assert {"stream": False, **wire.build_body(request, stream=False)} == {"stream": False, **sent.json}
    assert wire.url(request, stub.url + "/v1", False) == stub.url + sent.path
    assert sent.headers["authorization"] == f"Bearer {KEY}"


def test_our_anthropic_request_is_the_one_of_the_sdk(anthropic_client):
    with Stub(ANTHROPIC.whole("ok")) as stub, anthropic_client(stub) as client:
        client.messages.create(
            model="m", max_tokens=9, system="s", stop_sequences=["x"],
            messages=[{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
            tools=[{"name": "add", "description": "adds", "input_schema": SCHEMA}],
            tool_choice={"type": "tool", "name": "add"},
        )  # fmt: skip
    sent = stub.requests[0]
    # Its newest version has no arguments for these two.
    options = {key: value for key, value in OPTIONS.items() if key not in ("temperature", "top_p")}
    request = build_request("hi", "s", {**options, "provider": "anthropic"}, {})
    wire = wire_named("anthropic")
    assert wire.build_body(request, stream=False) == sent.json
    assert wire.url(request, stub.url + "/v1", False) == stub.url + sent.path
    # Which header holds the key, and which version of the API is asked for, differs between versions of the SDK.
    assert "anthropic-version" in sent.headers
    assert "anthropic-version" in wire.headers(request)
