"""The shared matrix, characters: what a server sends is text of the language, wherever it stands (llm 15)."""

from __future__ import annotations

import json

import pytest
from stub import Answer, Stub
from wires import FORMS, Gemini, Ollama

from harnpy.llm.response import read_arguments

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
# Where JSON names one half of a pair, the program sees the character for what is none.
MARK, HALF, MENDED = "@@", "\ud800", "\ufffd"
CALLS = [(f"i{MARK}", f"f{MARK}", {f"k{MARK}": [f"v{MARK}", "\U0001f600"]})]


def strings(value: object) -> list[str]:
    """Every text inside."""
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in strings(part)]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


@wires
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_half_characters_in_every_part_of_a_reply(asked, wire, streamed):
    fields = {"calls": CALLS, "thinking": f"t{MARK}", "stop": f"s{MARK}"}
    answer = wire.stream(f"x{MARK}", **fields) if streamed else Answer(200, wire.whole_body(f"x{MARK}", **fields))
    answer.body = answer.body.replace(MARK.encode(), b"\\ud800")
    with Stub(answer) as stub:
        response = asked(wire, stub.url)["response"]
    (call,) = response["tool_calls"]
    assert (call["name"], call["arguments"]) == (f"f{MENDED}", {f"k{MENDED}": [f"v{MENDED}", "\U0001f600"]})
    assert (response["text"], response["stop_reason"]) == (f"x{MENDED}", f"s{MENDED}")
    assert not [text for text in strings(response) if HALF in text]


@pytest.mark.parametrize("wire", [Gemini(), Ollama()], ids=lambda wire: wire.name)
@pytest.mark.parametrize("arguments", [[1, 2], 5, "text", True])
def test_arguments_that_are_no_object_are_told_to_the_model(asked, wire, arguments):
    body = json.loads(json.dumps(wire.whole_body("", calls=[("c1", "add", {"mark": 1})])).replace('{"mark": 1}', "7"))
    odd = json.loads(json.dumps(body).replace(": 7", f": {json.dumps(arguments)}"))
    with Stub(Answer(200, odd)) as stub:
        (call,) = asked(wire, stub.url)["response"]["tool_calls"]
    assert call["arguments"].keys() == {"__parse_error"}


@pytest.mark.parametrize("value", [[], [1], 5, 1.5, True])
def test_the_message_about_arguments_of_another_type(value):
    said = "Could not parse tool arguments as JSON: expected an object"
    assert read_arguments(value) == {"__parse_error": said}


@wires
def test_half_characters_in_an_error(asked, wire):
    for status, stream in ((400, "true"), (200, "true"), (200, "false")):
        answer = wire.failing(status, f"no {MARK}", f"t{MARK}")
        answer.body = answer.body.replace(MARK.encode(), b"\\ud800")
        with Stub(answer) as stub:
            error = asked(wire, stub.url, f"{{stream: {stream}}}")["error"]
        assert f"no {MENDED}" in error["message"]
        assert not [text for text in strings(error) if HALF in text]
