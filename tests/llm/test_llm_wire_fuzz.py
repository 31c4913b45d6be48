"""Whatever JSON a server sends, a wire reads it or refuses it; it never fails in Python (provider faults)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stub import Stub
from wires import FORMS

from harnpy.errors import HarnError
from harnpy.llm.classify import classify, error_body
from harnpy.llm.ndjson import NdjsonReader
from harnpy.llm.providers.wires import wire_named
from harnpy.llm.request import build_request
from harnpy.llm.response import Reply, build_response
from harnpy.llm.streaming import ReplyStreamReader
from harnpy.llm.transport import Incoming

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
CALLS = [("c1", "add", {"a": 1}), ("c2", "look", {})]
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.just([]), st.just({}),
    st.just([None]), st.just([[1]]), st.just({"text": 1}), st.just("\ud800"),
)  # fmt: skip


def places(value: object, path: tuple = ()) -> list[tuple]:
    """The paths of everything inside ``value``."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*path, key))
    return found


def changed(value: object, path: tuple, odd: object) -> object:
    copy = json.loads(json.dumps(value))
    target = copy
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = odd
    return copy


def request_of(wire):
    return build_request("p", None, {"provider": wire.name, "model": "m"}, {}, gated=False)


def dialect(wire) -> str:
    return request_of(wire).route.provider.dialect


@wires
@settings(max_examples=40)
@given(data=st.data())
def test_whole_replies(wire, data):
    body = wire.whole_body("text", calls=CALLS, thinking="hmm")
    for _ in range(data.draw(st.integers(1, 3))):
        body = changed(body, data.draw(st.sampled_from(places(body))), data.draw(ODD))
    reply = wire_named(dialect(wire)).read_reply(request_of(wire), body)
    check(wire, reply)


def check(wire, reply: Reply | None) -> None:
    if reply is None:
        return
    assert type(reply.text) is str
    assert reply.stop_reason is None or type(reply.stop_reason) is str
    assert reply.thinking is None or type(reply.thinking) is str
    assert all(type(call["name"]) is str and type(call["arguments"]) is dict for call in reply.tool_calls)
    assert all(type(call["id"]) is str for call in reply.tool_calls)
    assert all(type(count) is int and count >= 0 for count in (reply.tokens.input, reply.tokens.output))
    assert type(reply.model) is str
    usage = {"input_tokens": reply.tokens.input, "output_tokens": reply.tokens.output}
    build_response(request_of(wire), reply, usage)


def parsed(event: bytes) -> dict | None:
    line = event.decode().strip().rpartition("data: ")[2]
    return None if line == "[DONE]" else json.loads(line)


@wires
@settings(max_examples=40)
@given(data=st.data())
def test_streams(wire, data):
    events = [parsed(event) for event in wire.events(["a", "b"], calls=CALLS, thinking="hmm")]
    at = data.draw(st.sampled_from([n for n, event in enumerate(events) if event]))
    events[at] = changed(events[at], data.draw(st.sampled_from(places(events[at]))), data.draw(ODD))
    text = [json.dumps(event) for event in events if event is not None]
    frames = "".join(f"{line}\n" if wire.name == "ollama" else f"data: {line}\n\n" for line in text)
    reader = ReplyStreamReader(request_of(wire), wire_named(dialect(wire)), lambda text: None)
    take = reader.accept(Incoming(200, {"content-type": wire.stream_type}))
    try:
        take(frames.encode("utf-8", "surrogatepass"))
        check(wire, reader.finished())
    except HarnError as error:
        assert error.value["reason"] in {  # noqa: PT017
            "network_error", "invalid_response", "server_error", "unknown", "invalid_request"
        }  # fmt: skip


@given(st.lists(st.text(alphabet="aé🙂 \r", max_size=6), max_size=5), st.integers(1, 7))
def test_lines_do_not_depend_on_how_bytes_are_cut(lines, size):
    raw = ("\ufeff" + "".join(line + "\n" for line in lines)).encode()

    def read(step: int) -> list[str]:
        reader = NdjsonReader()
        found = [line for at in range(0, len(raw), step) for line in reader.feed(raw[at : at + step])]
        return found + list(reader.finish())

    assert read(size) == read(len(raw)) == [line.strip() for line in lines if line.strip()]


@wires
def test_deep_nesting_is_refused(asked, wire):
    deep = "[" * 100_000
    with Stub(wire.whole("x")) as stub:
        stub.answers[0].body = deep.encode()
        assert asked(wire, stub.url)["error"]["reason"] == "invalid_response"


@pytest.mark.parametrize("code", [["a"], {"b": 1}, True, 1.5])
@pytest.mark.parametrize("body", [{"error": "no"}, {"message": "no"}, {"error": {"message": "no"}}], ids=str)
def test_a_code_that_is_none_is_not_shown(body, code):
    text = json.dumps({**body, "code": code})
    assert error_body(text).details() == ""
    assert classify(400, error_body(text)) == "invalid_request"
