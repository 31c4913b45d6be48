"""Structured answers: retries and their trace, routes that take no schema, recovery (llm 3)."""

from __future__ import annotations

import json

import pytest
from stub import Stub, oa

SCHEMA = '{type: "object", required: ["n"], properties: {n: {type: "integer"}}, additionalProperties: false}'


@pytest.fixture
def show(run_harn):
    """Give ``show(statements, expression, **options)``: the value of the expression as JSON."""

    def run(before: str, expression: str, **options) -> object:
        body = f"const SCHEMA = {SCHEMA}\n{before}\nprintln(json_stringify({expression}))"
        ran = run_harn(body, virtual_time=0, **{"env": {}, **options})
        assert ran.code == 0, ran.err
        return json.loads(ran.out)

    return run


def mocked(*texts: str) -> str:
    return "\n".join(f"llm_mock({json.dumps({'text': text})})" for text in texts)


def test_each_retry_is_traced(show):
    seen = show(
        mocked("no", '{"n": "x"}', '{"n": 1}') + '\nllm_call_structured("p", SCHEMA, {provider: "mock"})',
        '[harness.obs.agent_trace().filter({ e -> e.type == "schema_retry" }), harness.obs.agent_trace_summary()]',
    )
    first, second = seen[0]
    assert (first["attempt"], first["nudge_used"], first["errors"]) == (
        1,
        True,
        ["response did not contain parseable JSON"],
    )
    assert second["attempt"] == 2
    assert "Validation errors: " in second["correction_prompt"]
    assert seen[1] == {"total": 5, "by_type": {"llm_call": 3, "schema_retry": 2}}


@pytest.mark.parametrize(
    ("options", "calls"), [("{retries: 1}", 2), ("{retries: 5, schema_retries: 0}", 1), ("nil", 4)]
)
def test_names_of_the_retry_option(show, options, calls):
    before = f'llm_mock({{match: "*", text: "no"}})\nllm_call_structured_safe("p", SCHEMA, {options})'
    assert show(before, "llm_mock_calls().count()") == calls


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ('"xml"', 'output: expected "text", "json", a schema, or {schema, ...}, got "xml"'),
        ("3", 'output: expected "text", "json", a schema, or {schema, ...}, got int'),
        ("{schema: nil}", "output: the {schema, ...} form requires a non-nil `schema`"),
        ("{schema: 1}", "output.schema: expected a JSON Schema object"),
        ('{schema: {properties: {a: {pattern: "a("}}}}', "output.schema: `pattern` at a: missing ): a("),
        ('{schema: {pattern: "(?=x)"}}', "output.schema: `pattern`: invalid perl operator: (?="),
        ("{schema: {pattern: 5}}", "output.schema: `pattern` must be a string"),
        ('{schema: {items: {minLength: "1"}}}', "output.schema: `minLength` must be a number at []"),
        ("{schema: {}, strict: 1}", "output.strict: expected a bool, got int"),
        ("{schema: {}, validation: 1}", "output.validation: expected a string, got int"),
        ('{schema: {}, validation: "x"}', 'output.validation: expected "error", "warn", or "off", got "x"'),
        ("{schema: {}, stream_abort: 1}", "output.stream_abort: expected a bool, got int"),
    ],
)
def test_bad_outputs_send_nothing(show, output, message):
    seen = show(
        f'llm_mock({{text: "x"}})\nconst r = llm_call_safe("p", nil, {{output: {output}}})',
        "[r.error.message, llm_mock_calls().count()]",
    )
    assert seen == [message, 0]


def test_a_route_without_schemas_gets_it_in_the_prompt(run_harn):
    program = f"""
provider_capabilities_install("[[provider.local]]\\nmodel_match = \\"plain*\\"\\nstructured_output = \\"\\"\\n")
const r = llm_call_structured_result("p", {SCHEMA}, {{provider: "local", model: "plain"}})
println([r.ok, r.data])
println(llm_call_safe("p", nil, {{provider: "local", model: "plain", output: {SCHEMA}}}).error.message)
"""
    with Stub(oa('{"n": 4}')) as stub:
        ran = run_harn(program, env={"LOCAL_LLM_BASE_URL": stub.url})
        (asked,) = stub.requests
    assert ran.out.splitlines() == [
        "[true, {n: 4}]",
        "option `output` is not supported by `plain` (provider `local`). "
        "See `harn provider catalog matrix` for compatibility.",
    ], ran.err
    assert "response_format" not in asked.json
    assert "additionalProperties" in asked.json["messages"][0]["content"]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ('{"n": 1}', "{repair: false}", [True, {"n": 1}, "parsed", None, 0]),
        ('x {"n": 2} y', "{repair: false}", [True, {"n": 2}, "extracted", None, 0]),
        ("{n: 3,", "{repair: false}", [True, {"n": 3}, "regex", None, 0]),
        ("nothing", "{repair: false}", [False, None, "regex", "missing_json", 0]),
        ('{"m": 1}', "{repair: false}", [False, None, "regex", "schema_validation", 0]),
        ("nothing", "{provider: 'mock'}".replace("'", '"'), [True, {"n": 7}, "llm_repair", None, 1]),
    ],
)
def test_recovery(show, text, options, expected):
    before = mocked('{"n": 7}') + f"\nconst r = schema_recover({json.dumps(text)}, SCHEMA, {options})"
    assert show(before, "[r.ok, r.data, r.stage, r.error_category, r.attempts]") == expected


def test_a_failed_repair_is_told(show):
    before = mocked("still no") + '\nconst r = schema_recover("nothing", SCHEMA, {provider: "mock"})'
    assert show(before, "[r.ok, r.error_category, r.stage, r.repaired]") == [
        False, "repair_failed", "llm_repair", False,
    ]  # fmt: skip


def test_capabilities_of_a_call(show):
    seen = show(
        mocked("x"),
        '[llm_call_safe("p", nil, {provider: "openai", model: "gpt-4o", capabilities: {visoin: true}}).error.message, '
        'llm_call_safe("p", nil, {provider: "openai", model: "gpt-4o", capabilities: {vision_supported: true}}).ok]',
    )
    assert seen == ["llm_call: invalid `capabilities`: `visoin`: unknown capability", True]


# --- streams under a policy -------------------------------------------------------------------------

STREAM = """
const policy = routing_policy({chain: ["openai:gpt-4o", "anthropic:claude-sonnet-5"], failover: {on_status: [503]}})
fn chunks() {
  let seen = []
  const failed = try {
    for chunk in harness.llm.stream_call("x", nil, {routing: policy}) { seen = seen + [chunk.delta] }
    nil
  } catch (e) { e }
  return {seen: seen, error: failed, events: event_log.read("llm.routing").map({ e -> e.payload.event })}
}
"""


def test_a_stream_changes_its_route_before_the_first_text(show):
    seen = show(f'llm_mock({{error: {{status: 503}}}})\nllm_mock({{stream_chunks: ["a", "b"]}})\n{STREAM}', "chunks()")
    assert (seen["seen"], seen["error"], seen["events"]) == (["a", "b", ""], None, ["decision", "attempt", "attempt"])


def test_the_end_of_the_chain_of_a_stream(show):
    seen = show(f"llm_mock({{error: {{status: 503}}}})\nllm_mock({{error: {{status: 503}}}})\n{STREAM}", "chunks()")
    assert (seen["error"]["code"], seen["events"][-1]) == ("provider_exhausted", "exhausted")


def test_no_failover_once_text_was_handed_out(show):
    from wires import OpenAi

    wire = OpenAi()
    cut = wire.streamed([*wire.events(["one", "two"])[:2], wire.stream_error("overloaded", "server_error")])
    with Stub(cut) as stub:
        policy = STREAM.replace(
            "on_status: [503]", 'on_error_kinds: ["server_error", "transient_network", "overloaded"]'
        )
        env = {**wire.environment(stub.url), "ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": stub.url}
        seen = show(policy, "chunks()", env=env)
        assert len(stub.requests) == 1
    assert seen["seen"][0] == "one"
    assert seen["events"] == ["decision", "attempt", "failover_suppressed"]
    assert "attempts" not in seen["error"]


def test_a_type_as_schema_reaches_the_provider_as_json_schema(run_harn):
    program = """
type Rated = {stars: int, tags?: list<string>, how: float | nil}
println(llm_call("p", nil, {provider: "local", model: "m", output: Rated}).data)
println(llm_call("p", nil, {provider: "local", model: "m", output: {schema: Rated, validation: "error"}}).data)
"""
    with Stub(oa('{"stars": 4, "how": null}')) as stub:
        ran = run_harn(program, env={"LOCAL_LLM_BASE_URL": stub.url})
        schemas = [asked.json["response_format"]["json_schema"]["schema"] for asked in stub.requests]
    assert ran.out == "{how: nil, stars: 4}\n" * 2, ran.err
    assert schemas[0] == schemas[1]
    assert schemas[0]["type"] == "object"
    assert schemas[0]["required"] == ["stars", "how"]
    assert schemas[0]["properties"]["stars"] == {"type": "integer"}
    assert schemas[0]["properties"]["tags"] == {"type": "array", "items": {"type": "string"}}
    assert "nil" not in str(schemas[0])
