"""``tool_search`` on the wires: the provider's own search in front, tools that are found later marked (llm 5.1)."""

from __future__ import annotations

import json

import pytest
from stub import Answer, Stub
from wires import Anthropic, OpenAi, _event

_TOOLS = """[
  {name: "look", description: "Looks.", parameters: {path: "string"}},
  {name: "fetch_page", description: "Fetches.", parameters: {url: "string"}, defer_loading: true},
]"""


@pytest.fixture
def sent(run_harn):
    """Give ``sent(wire, model, answer, options) -> (result, body)``."""

    def run(wire, model: str, answer: Answer, options: str):
        call = f'llm_call("hi", nil, {{provider: "{wire.name}", model: "{model}", tools: {_TOOLS}}} + {options})'
        with Stub(answer) as server:
            ran = run_harn(f"println(json_stringify({call}))", env=wire.environment(server.url))
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out), server.requests[0].json

    return run


@pytest.mark.parametrize(
    ("option", "variant"), [("true", "bm25"), ('"regex"', "regex"), ('{mode: "native", variant: "regex"}', "regex")]
)
def test_anthropic_searches_itself(sent, option, variant):
    _, body = sent(Anthropic(), "claude-sonnet-5", Anthropic().stream("x"), f"{{tool_search: {option}}}")
    search, look, page = body["tools"]
    assert search == {"type": f"tool_search_tool_{variant}_20251119", "name": f"tool_search_tool_{variant}"}
    assert (look["name"], "defer_loading" in look) == ("look", False)
    assert (page["name"], page["defer_loading"]) == ("fetch_page", True)
    # The mark for the cache stands on the last tool that is shown at once.
    assert ["cache_control" in tool for tool in body["tools"]] == [False, True, False]


def test_openai_searches_itself(sent):
    _, body = sent(OpenAi(), "gpt-5.5", OpenAi().stream("x"), "{tool_search: true}")
    assert body["tools"][0] == {"type": "tool_search", "mode": "hosted"}
    assert [tool.get("defer_loading") for tool in body["tools"]] == [None, None, True]


def test_others_get_a_tool_that_the_script_answers(sent):
    _, body = sent(OpenAi(), "gpt-4o", OpenAi().stream("x"), "{tool_search: true}")
    assert [tool["function"]["name"] for tool in body["tools"]] == ["__harn_tool_search", "look"]
    assert body["tools"][0]["function"]["parameters"]["required"] == ["query"]


def test_without_tools_that_wait_nothing_changes(sent):
    options = '{tool_search: {mode: "native", always_loaded: ["fetch_page"]}}'
    _, body = sent(Anthropic(), "claude-sonnet-5", Anthropic().stream("x"), options)
    assert [tool["name"] for tool in body["tools"]] == ["look", "fetch_page"]
    assert "defer_loading" not in body["tools"][1]


_QUERY = {"type": "server_tool_use", "id": "srv_1", "name": "tool_search_tool_bm25", "input": {"query": "page"}}
_FOUND = {
    "type": "tool_search_tool_result", "tool_use_id": "srv_1",
    "content": {
        "type": "tool_search_tool_search_result",
        "tool_references": [{"type": "tool_reference", "tool_name": "fetch_page"}],
    },
}  # fmt: skip
_BLOCKS = [
    {"type": "tool_search_query", "id": "srv_1", "name": "tool_search_tool_bm25", "query": {"query": "page"}},
    {"type": "tool_search_result", "id": "srv_1", "tools": ["fetch_page"], "error": None},
]


def _streamed() -> Answer:
    wire = Anthropic()
    message = {**wire.whole_body("", 3, 1), "stop_reason": None}
    begun = {**_QUERY, "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": part} for part in ('{"qu', 'ery": "page"}')]
    use = {"type": "tool_use", "id": "c1", "name": "fetch_page", "input": {}}
    given = {"type": "input_json_delta", "partial_json": '{"url": "u"}'}
    end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}}
    events = [_event({"type": "message_start", "message": message})]
    events += [*wire._block(0, begun, *deltas), *wire._block(1, _FOUND), *wire._block(2, use, given)]
    return wire.streamed([*events, _event(end), _event({"type": "message_stop"})])


def _whole() -> Answer:
    body = Anthropic().whole_body("", stop="tool_use", calls=[("c1", "fetch_page", {"url": "u"})])
    return Answer(200, {**body, "content": [_QUERY, _FOUND, *body["content"]]})


@pytest.mark.parametrize("answer", [_streamed, _whole])
def test_what_the_provider_searched_stands_in_the_blocks_and_goes_back(run_harn, answer):
    wire = Anthropic()
    program = f"""
const options = {{model: "claude-sonnet-5", tools: {_TOOLS}, tool_search: true}}
const first = llm_call("Fetch u.", nil, options)
println(json_stringify({{blocks: first.blocks, calls: first.tool_calls}}))
const history = first.transcript.messages + [{{role: "tool_result", tool_call_id: "c1", content: "page"}}]
println(llm_call("", nil, options + {{messages: history}}).text)
"""
    with Stub(answer(), wire.stream("done")) as server:
        ran = run_harn(program, env=wire.environment(server.url))
    assert ran.err == ""
    shown = json.loads(ran.out.splitlines()[0])
    assert [{k: v for k, v in block.items() if k != "visibility"} for block in shown["blocks"][:2]] == _BLOCKS
    assert {block["visibility"] for block in shown["blocks"]} == {"internal"}
    assert [call["name"] for call in shown["calls"]] == ["fetch_page"]
    turn = server.requests[1].json["messages"][1]["content"]
    assert turn[:2] == [_QUERY, _FOUND]
    assert turn[2] == {"type": "tool_use", "id": "c1", "name": "fetch_page", "input": {"url": "u"}}


@pytest.mark.parametrize(
    ("model", "option", "names"),
    [
        ("claude-sonnet-5", "true", ["tool_search_tool_bm25", "look", "fetch_page"]),
        ("claude-sonnet-5", '{mode: "client"}', ["look", "fetch_page"]),
        ("claude-3-opus", "true", ["look", "fetch_page"]),
    ],
)
def test_a_loop_leaves_the_search_to_the_provider(run_harn, model, option, names):
    wire = Anthropic()
    program = f"""
fn main(harness: Harness) {{
  const tools = {_TOOLS}.map({{ it -> it + {{handler: {{ args -> "ok" }}}} }})
  const opts = {{provider: "anthropic", model: "{model}", tools: tools, tool_format: "native", tool_search: {option}}}
  println(agent_loop(harness, "go", nil, opts + {{max_iterations: 1, final_wrapup: false}}).text)
}}
"""
    with Stub(wire.stream("done")) as server:
        ran = run_harn(program, env=wire.environment(server.url))
    assert (ran.out, ran.err) == ("done\n", "")
    assert [tool["name"] for tool in server.requests[0].json["tools"]] == names
