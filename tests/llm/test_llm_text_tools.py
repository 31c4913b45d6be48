"""Tool calls in the text of a reply, and how a one-shot call uses them (llm 5.2, 5.3)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.llm.text_tools import contract, parse_text_calls
from harnpy.llm.tool_literals import LiteralFault, read_object

TOOLS = [
    {
        "name": "read",
        "description": "Reads.",
        "parameters": {"path": "string", "n": {"type": "integer", "required": False}},
    },
    {"name": "run", "description": "Runs.", "parameters": {"cmd": "the command"}, "compact": True},
]


def parse(text: str, tool_format: str = "text") -> dict:
    return parse_text_calls(text, TOOLS, tool_format)


def calls(text: str, tool_format: str = "text") -> list:
    return [(call["name"], call["arguments"]) for call in parse(text, tool_format)["calls"]]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("{}", {}),
        ("{a: 1, 'b': \"x\", `c`: 2}" .replace("`c`", '"c"'), {"a": 1, "b": "x", "c": 2}),
        ("{a: [1, 2.5, -3e2, 0x10,], /* c */ b: true, // d\n c: null, d: undefined}", {
            "a": [1, 2.5, -300.0, 16], "b": True, "c": None, "d": None}),
        (r"{s: 'a\n\t\\\'\u0041\u{1F600}\x42\ud83d\ude00'}", {"s": "a\n\t\\'A😀B😀"}),
        ("{s: `line\n${x} \\` end`}", {"s": "line\n${x} ` end"}),
        ("{s: <<END\nline 1\n  }) </tool_call>\n  END, n: 1}", {"s": "line 1\n  }) </tool_call>", "n": 1}),
        ('{s: <<"T"\n\nT\n}', {"s": ""}),
        ("{a: {b: {c: []}}}", {"a": {"b": {"c": []}}}),
    ],
)  # fmt: skip
def test_literals(literal, value):
    assert read_object(literal, 0) == (value, len(literal))


@pytest.mark.parametrize(
    ("literal", "detail"),
    [
        ("{k 1}", "expected `:` after key `k` inside object literal"),
        ("{a: 1 b: 2}", "expected `,` or `}` inside object literal"),
        ("{a: [1 2]}", "expected `,` or `]` inside array literal"),
        ("{a: 'x\n'}", "unterminated string"),
        ("{a: foo}", "expected a value, got `foo`"),
        ("{a: 1e999}", "`1e999` is not a number"),
        ("{a: <<T\nx", "the heredoc `<<T` has no line that begins with `T`"),
        ("{a", "expected `:` after key `a` inside object literal"),
        ("{" + "a: {" * 200, "the literal is nested too deeply"),
        ("{a: '\\u{110000}'}", "bad escape"),
    ],
)
def test_broken_literals(literal, detail):
    with pytest.raises(LiteralFault) as caught:
        read_object(literal, 0)
    assert detail in str(caught.value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=4), st.booleans())
def test_json_is_a_literal(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_object(text, 0)[0] == value
    assert calls(f"<tool_call>read({text})</tool_call>") == [("read", value)]


@given(st.text(alphabet="<>(){}[]/`'\":,\\\n readtoolcallusrponsdi_1"))
def test_any_text_is_read_without_a_fault(text):
    for tool_format in ("text", "json"):
        found = parse(text, tool_format)
        assert len({call["id"] for call in found["calls"]}) == len(found["calls"])


def test_well_formed_blocks():
    found = parse(
        "<think>plan</think><assistant_prose>Looking.</assistant_prose>\n"
        '<tool_call>\nread({ path: "a" })\n</tool_call>\n'
        "<tool_call>run({cmd: 'ls'})</tool_call>\n<done>ALL</done>"
    )
    assert [(c["id"], c["name"]) for c in found["calls"]] == [("tc_0", "read"), ("tc_1", "run")]
    assert (found["prose"], found["done_marker"], found["protocol_violations"]) == ("Looking.", "ALL", [])
    assert found["canonical_text"].startswith("<assistant_prose>Looking.</assistant_prose>\n<tool_call>read(")


@pytest.mark.parametrize(
    "text",
    [
        "read({path: 'a'})",
        "Sure:\n```python\nread({path: 'a'})\n```",
        "tool_code: read({path: 'a'})",
        "CALL: read({\n  path: 'a',\n})",
        "<read({path: 'a'})>",
    ],
)
def test_recovered_calls(text):
    found = parse(text)
    assert calls(text) == [("read", {"path": "a"})]
    assert found["recovered_from_stray_count"] == 1
    assert len(found["protocol_violations"]) >= 1


@pytest.mark.parametrize(
    "text",
    [
        "Use `read({path: 'a'})` for that.",
        "read(the manual)",
        "I will read({path: 'a'}) now",
        "<tool_call>run({cmd: 'x'})</tool_call>\nread({path: 'a'})",
        "other({path: 'a'})",
    ],
)
def test_prose_that_only_looks_like_a_call(text):
    assert ("read", {"path": "a"}) not in calls(text)


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        ("zap({a: 1})", "Unknown tool 'zap'. Available tools: [read, run]"),
        ("read('a')", "Tool 'read' must be called with an object literal argument like read({ ... })."),
        (
            "read({path 'a'})",
            "TOOL CALL PARSE ERROR: `read(...)` — expected `:` after key `path` inside object literal. Tool arguments "
            "must be a TypeScript object literal: `{ key: value, key: value }`.",
        ),
        (
            "read({path: 'a'}",
            "TOOL CALL PARSE ERROR: `read(...)` — missing closing `)`. Every tool call must be a complete TypeScript "
            "expression.",
        ),
        ("read({}) run({})", "contained 2 calls; emit one call per <tool_call> block."),
        ("hello", "did not contain a bare `name({ ... })` expression"),
    ],
)
def test_errors(inside, error):
    found = parse(f"<tool_call>{inside}</tool_call>")
    assert found["calls"] == []
    assert len(found["tool_parse_errors"]) == 1
    assert found["tool_parse_errors"][0].endswith(error)


def test_violations():
    found = parse("stray\n<user_response>A</user_response><foo><done></done><tool_call>read({path: 'a'})")
    assert [v["kind"] for v in found["protocol_violations"]] == [
        "stray_text", "unknown_tag", "stray_text", "empty_done", "unclosed_call",
    ]  # fmt: skip
    assert (found["calls"], found["user_response"]) == ([], "A")


def test_wire_calls_as_text():
    text = json.dumps([{"id": "call_9", "function": {"name": "read", "arguments": '{"path": "a"}'}}])
    assert parse(text)["calls"] == [{"id": "call_9", "type": "tool_call", "name": "read", "arguments": {"path": "a"}}]


def test_json_format():
    blocks = ['{"name": "read", "args": {"path": "a"}}', '{"name": "zap"}', "{bad"]
    text = "Look.\n" + "\n".join(f"```tool\n{block}\n```" for block in blocks)
    found = parse(text, "json")
    assert calls(text, "json") == [("read", {"path": "a"})]
    assert found["prose"] == "Look."
    assert found["tool_parse_errors"][0] == "Unknown tool 'zap'. Available tools: [read, run]"
    assert found["tool_parse_errors"][1].startswith("TOOL CALL PARSE ERROR: a ```tool block is not valid JSON")


def test_contract():
    text = contract(TOOLS, "text")
    assert "declare function read(args: { path: string, n?: number }): string;" in text
    assert "declare function run(args: { cmd: string }): string; // Runs." in text
    assert "```tool" in contract(TOOLS, "json")


def test_a_reply_with_thousands_of_broken_calls_is_read_quickly():
    parse("<tool_call>read({a: `</tool_call>" * 20_000)
    parse("read({a: `\n" * 20_000)


PROGRAM = """
fn main(harness: Harness) {
  harness.llm.mock_enqueue({text: "<assistant_prose>Look.</assistant_prose><tool_call>read({path: 'a'})</tool_call>"})
  const r = harness.llm.call("x", "sys", OPTIONS)
  const asked = harness.llm.mock_calls()[0]
  println(json_stringify({text: r.text, raw: r.raw_text, calls: r.tool_calls, native: r.native_tool_calls,
    kind: r.outcome.kind, system: asked.system, tools: asked.tools, canonical: r.canonical_text}))
}
"""
OWN = '{name: "read", description: "d", parameters: {path: "string"}}'


@pytest.mark.parametrize(
    ("route", "spoken"),
    [
        ('provider: "ollama", model: "llama3.2"', True),
        ('provider: "mock", tool_format: "text"', True),
        ('provider: "mock"', False),
        ('provider: "openai", model: "gpt-4o"', False),
        ('provider: "openai", model: "gpt-4o", tool_format: " TEXT "', True),
    ],
)
def test_one_shot_calls(run_harn, route, spoken):
    ran = run_harn(PROGRAM.replace("OPTIONS", "{" + route + ", tools: [" + OWN + "]}"), env={})
    seen = json.loads(ran.out)
    if spoken:
        assert (seen["text"], seen["kind"], seen["native"], seen["tools"]) == ("Look.", "tool_use", [], None)
        assert seen["calls"][0]["arguments"] == {"path": "a"}
        assert seen["system"].startswith("sys\n\n")
        assert "declare function read" in seen["system"]
        assert seen["canonical"].endswith('<tool_call>read({"path": "a"})</tool_call>')
    else:
        assert (seen["calls"], seen["text"], seen["system"]) == ([], seen["raw"], "sys")
        assert seen["tools"][0]["function"]["name"] == "read"


def test_stop_at_the_first_call(run_harn):
    text = "<tool_call>read({path: 'a'})</tool_call><tool_call>read({path: 'b'})</tool_call>"
    options = f'{{provider: "mock", tool_format: "text", stop_at_tool_call: true, tools: [{OWN}]}}'
    ran = run_harn(
        f'llm_mock({{text: {json.dumps(text)}}})\nconst r = llm_call("x", nil, {options})\n'
        "println([r.tool_calls.count(), r.raw_text])"
    )
    assert ran.out == "[1, <tool_call>read({path: 'a'})</tool_call>]\n", ran.err
