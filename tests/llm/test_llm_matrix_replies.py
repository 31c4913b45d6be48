"""The shared matrix, replies: whole, streamed and dripped forms agree, for every wire (llm 15)."""

from __future__ import annotations

import json

import pytest
from stub import Answer, Stub
from wires import MARK, WIRES, Anthropic, Ollama

wires = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
TEXT = ["Hé", "llo ", "🙂"]
SAME = ("text", "raw_text", "visible_text", "usage", "stop_reason", "outcome", "tool_calls", "thinking", "model")
CALLS = [("c1", "add", {"a": 1}), ("c2", "look", {})]


def shown(response: dict) -> dict:
    return {key: response.get(key) for key in SAME}


def noisy(wire) -> list[bytes]:
    """The events of a stream, with everything between them that a reader must not mind."""
    events = wire.events(TEXT)
    if isinstance(wire, Ollama):
        return [b"\n", *events]
    noise = b": keep-alive\n\n", b"event: unknown_thing\nid: 7\nretry: 5\ndata:\n\n", b"data: {}\n\n"
    # Where JSON allows a blank, an event may go on in another line of data.
    parted = [event.replace(b": {", b":\ndata: {").replace(b', "', b',\ndata:"') for event in events]
    assert any(event.count(b"data:") > 2 for event in parted)
    return [*noise, *parted]


@wires
def test_all_forms_of_a_reply_agree(asked, wire):
    whole = wire.whole("".join(TEXT))
    crlf = [event.replace(b"\n", b"\r\n") for event in wire.events(TEXT)]
    bom = [b"\xef\xbb\xbf", *wire.events(TEXT)]
    # A lone carriage return ends a line of events, but none of a list of JSON.
    cr = crlf if isinstance(wire, Ollama) else [event.replace(b"\n", b"\r") for event in wire.events(TEXT)]
    answers = [
        wire.stream(*TEXT), wire.streamed(crlf), wire.streamed(bom), wire.streamed(noisy(wire)),
        wire.streamed(cr), wire.streamed(crlf, drip=(1, 0)), wire.streamed(noisy(wire), chunked=3),
        wire.streamed(wire.events(TEXT), drip=(1, 0)),
    ]  # fmt: skip
    seen = []
    for answer in [whole, *answers]:
        with Stub(answer) as stub:
            seen.append(shown(asked(wire, stub.url)["response"]))
        assert len(stub.requests) == 1
    assert seen[0]["text"] == "".join(TEXT)
    assert seen[0]["outcome"] == {"kind": "complete", "billed": True}
    assert (seen[0]["usage"]["input_tokens"], seen[0]["usage"]["output_tokens"]) == (3, 2)
    assert all(reply == seen[0] for reply in seen)


@wires
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_tool_calls_and_reasoning(asked, wire, streamed):
    stop = "tool_use" if isinstance(wire, Anthropic) else "tool_calls"
    fields = {"calls": CALLS, "thinking": "hmm", "stop": stop}
    with Stub(wire.stream("ok", **fields) if streamed else wire.whole("ok", **fields)) as stub:
        response = asked(wire, stub.url, f"{{stream: {str(streamed).lower()}}}")["response"]
    assert [(call["name"], call["arguments"]) for call in response["tool_calls"]] == [("add", {"a": 1}), ("look", {})]
    assert (response["text"], response["thinking"], response["outcome"]["kind"]) == ("ok", "hmm", "tool_use")
    ids = [call["id"] for call in response["tool_calls"]]
    assert len(set(ids)) == 2
    if wire.name not in ("gemini", "ollama"):
        assert ids == ["c1", "c2"]


@wires
def test_the_key_goes_out_in_one_header_and_never_in_the_url(asked, wire):
    with Stub(wire.whole("ok")) as stub:
        asked(wire, stub.url)
    request = stub.requests[0]
    name, value = wire.key_header
    assert (request.method, request.path) == ("POST", wire.path)
    assert request.headers["content-type"] == "application/json"
    assert [key for key, text in request.headers.items() if MARK in text] == ([name] if name else [])
    if name:
        assert request.headers[name] == value


def is_unknown(used: dict) -> None:
    assert (used["cost_usd"], used["usage_unknown_calls"], used["unpriced_calls"]) == (None, 1, 1)
    assert (used["accounting_status"], used["known_cost_usd"]) == ("unknown", 0.0)


@wires
@pytest.mark.parametrize("usage", [None, {}, "x", 7, [], [1]], ids=["null", "empty", "text", "number", "list", "one"])
def test_missing_usage_is_unknown(asked, priced, wire, usage):
    with Stub(wire.whole("ok", usage=usage)) as stub:
        response = asked(wire, stub.url, "{stream: false}", **priced(wire))["response"]
    used = response["usage"]
    assert (used["input_tokens"], used["output_tokens"], response["text"]) == (0, 0, "ok")
    is_unknown(used)


INPUTS = ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_eval_count")
OUTPUTS = ("completion_tokens", "output_tokens", "candidatesTokenCount", "eval_count")
ODD = [None, -3, "many", "", 1e400, [], {}, True]
RIGHT = {"7": 7, 7.0: 7, "7.0": 7, 0: 0}


def with_count(wire, names: tuple[str, ...], number: object, streamed: bool) -> Answer:
    """A reply in which one of the counts 3333 and 2222 is something else; ``...`` leaves it out."""
    counts = {"incoming": 3333, "outgoing": 2222}
    answer = wire.stream("ok", **counts) if streamed else wire.whole("ok", **counts)
    text, usual = answer.body.decode(), 3333 if names is INPUTS else 2222
    for name in names:
        old = f'"{name}": {usual}'
        if number is ...:
            text = text.replace(f"{old}, ", "").replace(f", {old}", "").replace(old, "")
        else:
            text = text.replace(old, f'"{name}": {json.dumps(number)}')
    assert str(usual) not in text.replace("5555", "")
    return Answer(200, text, answer.headers)


@wires
@pytest.mark.parametrize("number", [*ODD, *RIGHT], ids=repr)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_odd_usage_numbers_do_no_harm(asked, priced, wire, number, streamed):
    """They count as 0, and then nobody knows the cost: half a bill is not shown as a whole one."""
    env = priced(wire)
    for names, field, other in ((INPUTS, "input_tokens", "output_tokens"), (OUTPUTS, "output_tokens", "input_tokens")):
        with Stub(with_count(wire, names, number, streamed)) as stub:
            response = asked(wire, stub.url, **env)["response"]
        used = response["usage"]
        right = type(number) is not bool and type(number) not in (list, dict) and number in RIGHT
        assert (response["text"], used[field]) == ("ok", RIGHT[number] if right else 0)
        assert used[other] == (2222 if names is INPUTS else 3333)
        if right:
            assert used["accounting_status"] == "reported"
            assert used["cost_usd"] == (used["input_tokens"] * 3 + used["output_tokens"] * 15) / 1_000_000
        else:
            is_unknown(used)


@wires
@pytest.mark.parametrize("names", [INPUTS, OUTPUTS], ids=["input", "output"])
def test_a_count_that_is_missing(asked, priced, wire, names):
    """Gemini and Ollama leave a count of 0 out; from the others it is missing, and the cost is unknown."""
    with Stub(with_count(wire, names, ..., False)) as stub:
        used = asked(wire, stub.url, "{stream: false}", **priced(wire))["response"]["usage"]
    assert used["input_tokens" if names is INPUTS else "output_tokens"] == 0
    if wire.name in ("gemini", "ollama"):
        assert (used["accounting_status"], used["cost_usd"] is None) == ("reported", False)
    else:
        is_unknown(used)


CACHED = {
    "anthropic": ({"cache_read_input_tokens": 600, "cache_creation_input_tokens": 200}, 1000 + 600 + 200),
    "gemini": ({"cachedContentTokenCount": 600}, 1000),
    "responder": ({"input_tokens_details": {"cached_tokens": 600}}, 1000),
    "": ({"prompt_tokens_details": {"cached_tokens": 600}}, 1000),
}


@wires
def test_cached_tokens_are_counted(asked, priced, wire):
    """Anthropic counts them beside the input, the others inside it; without a price of their own they cost as input."""
    if wire.name == "ollama":
        return  # it has no such count
    fields, paid = CACHED.get(wire.name, CACHED[""])
    body = wire.whole_body("ok", incoming=1000, outgoing=10)
    body["usageMetadata" if wire.name == "gemini" else "usage"].update(fields)
    with Stub(Answer(200, body)) as stub:
        used = asked(wire, stub.url, "{stream: false}", **priced(wire))["response"]["usage"]
    written = 200 if wire.name == "anthropic" else 0
    assert (used["input_tokens"], used["cache_read_tokens"], used["cache_write_tokens"]) == (1000, 600, written)
    assert used["cost_usd"] == (paid * 3 + 10 * 15) / 1_000_000


@wires
def test_broken_arguments_of_a_call_reach_the_model(asked, wire):
    """Wires whose arguments are text: what is not JSON becomes an error for the model, empty text is no arguments."""
    if wire.name in ("gemini", "ollama"):
        return  # arguments are objects there
    events = b"".join(wire.events([], calls=[("c1", "add", {"a": 1})], stop="stop"))
    broken = events.replace(b'\\": 1}', b'\\": ')
    assert broken != events
    with Stub(wire.streamed([broken])) as stub:
        call = asked(wire, stub.url)["response"]["tool_calls"][0]
    assert call["arguments"]["__parse_error"].startswith("Could not parse tool arguments as JSON:")


@wires
def test_tool_results_go_back(asked, wire):
    messages = """{messages: [
      {role: "user", content: "add"},
      {role: "assistant", content: "", tool_calls: [
        {id: "c1", type: "tool_call", name: "add", arguments: {a: 1}},
        {id: "c2", type: "tool_call", name: "look", arguments: {}},
      ]},
      {role: "tool_result", tool_call_id: "c1", content: "2"},
      {role: "tool_result", tool_call_id: "c2", content: "gone", is_error: true},
    ]}"""
    with Stub(wire.whole("ok")) as stub:
        asked(wire, stub.url, messages, "nil")
    assert _turns(wire, stub.requests[0].json) == RESULTS.get(wire.name, RESULTS["openai"])


def _turns(wire, body: dict) -> list:
    return body["contents"] if wire.name == "gemini" else body["messages"]


def _function(call_id: str, name: str, arguments: str) -> dict:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


RESULTS = {
    "openai": [
        {"role": "user", "content": "add"},
        {"role": "assistant", "content": "",
         "tool_calls": [_function("c1", "add", '{"a": 1}'), _function("c2", "look", "{}")]},
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
        {"role": "tool", "tool_call_id": "c2", "content": "gone"},
    ],
    "anthropic": [
        {"role": "user", "content": [{"type": "text", "text": "add"}]},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}},
            {"type": "tool_use", "id": "c2", "name": "look", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "2"},
            {"type": "tool_result", "tool_use_id": "c2", "content": "gone", "is_error": True}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "add"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "add", "args": {"a": 1}}}, {"functionCall": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "add", "response": {"result": "2"}}},
            {"functionResponse": {"name": "look", "response": {"error": "gone"}}}]},
    ],
    "ollama": [
        {"role": "user", "content": "add"},
        {"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": "add", "arguments": {"a": 1}}}, {"function": {"name": "look", "arguments": {}}}]},
        {"role": "tool", "tool_name": "add", "content": "2"},
        {"role": "tool", "tool_name": "look", "content": "gone"},
    ],
}  # fmt: skip


@wires
def test_an_error_that_is_null_is_none(asked, wire):
    """Some servers name all fields of their types in each object that they send."""
    events = [event.replace(b"{", b'{"error": null, ', 1) for event in wire.events(TEXT)]
    for answer in (Answer(200, {**wire.whole_body("".join(TEXT)), "error": None}), wire.streamed(events)):
        with Stub(answer) as stub:
            assert asked(wire, stub.url)["response"]["text"] == "".join(TEXT)
