"""How the catalog says that a model is served: its id on the wire, its form, its fast tier, and what it costs then."""

from __future__ import annotations

import json

import pytest
from stub import Answer, Stub
from wires import Anthropic, OpenAi

_ROWS = """
[models."acme-l"]
provider = "openai"
wire_model = "acme-large-2026"
pricing = { input_per_mtok = 1, output_per_mtok = 2 }
serving_tiers = [
    { name = "fast", body = { service_tier = "priority" }, pricing = { input_per_mtok = 10, output_per_mtok = 20 } },
]

[models."acme-c"]
provider = "anthropic"
pricing = { input_per_mtok = 1, output_per_mtok = 2 }

[[models."acme-c".serving_tiers]]
name = "fast"
wire_model = "acme-c-fast"
body = { speed = "fast" }
beta = "fast-2026"
pricing = { input_per_mtok = 5, output_per_mtok = 5 }

[models."acme-m"]
provider = "openai"
api_dialect = "anthropic"
pricing = { input_per_mtok = 1, output_per_mtok = 2 }
"""


@pytest.fixture
def asked_of(run_harn, tmp_path):
    """Give ``asked_of(wire, model, answer, options) -> (result, request)`` under a catalog with the rows above."""
    rows = tmp_path / "rows.toml"
    rows.write_text(_ROWS)

    def run(wire, model: str, answer: Answer, options: str = "{}"):
        program = (
            f'println(json_stringify(llm_call("hi", nil, {{provider: "{wire.name}", model: "{model}"}} + {options})))'
        )
        with Stub(answer) as server:
            env = {**wire.environment(server.url), "HARN_PROVIDERS_CONFIG": str(rows)}
            ran = run_harn(program, env=env)
        assert (ran.code, ran.err) == (0, ""), ran.err
        return json.loads(ran.out), server.requests[0]

    return run


def _served(tier: str | None, streamed: bool) -> Answer:
    wire = OpenAi()
    wire.model = "acme-large-2026-03"
    if not streamed:
        return Answer(200, {**wire.whole_body("x", 1_000_000, 1_000_000), "service_tier": tier})
    events = [
        e.replace(b'"created": 1', b'"service_tier": "%s"' % (tier or "").encode())
        for e in wire.events(["x"], 1_000_000, 1_000_000)
    ]
    return wire.streamed(events)


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(("tier", "fast", "cost"), [("priority", True, 30.0), ("default", False, 3.0)])
def test_the_fast_tier_of_openai(asked_of, streamed, tier, fast, cost):
    options = f'{{speed: "fast", stream: {json.dumps(streamed)}}}'
    result, request = asked_of(OpenAi(), "acme-l", _served(tier, streamed), options)
    assert (request.json["service_tier"], request.json["model"]) == ("priority", "acme-large-2026")
    assert (result["usage"]["served_fast"], result["usage"]["cost_usd"]) == (fast, cost)


def test_a_reply_that_names_no_tier_was_served_in_it(asked_of):
    result, _ = asked_of(OpenAi(), "acme-l", _served(None, False), '{speed: "fast", stream: false}')
    assert (result["usage"]["served_fast"], result["usage"]["cost_usd"]) == (True, 30.0)


def test_the_usual_tier_asks_for_nothing(asked_of):
    result, request = asked_of(OpenAi(), "acme-l", _served("default", True), '{speed: "standard"}')
    assert "service_tier" not in request.json
    assert (result["usage"]["served_fast"], result["usage"]["cost_usd"]) == (False, 3.0)


@pytest.mark.parametrize("speed", ["fast", "standard"])
def test_the_fast_tier_of_anthropic(asked_of, speed):
    wire = Anthropic()
    usage = {"input_tokens": 1_000_000, "output_tokens": 1_000_000, "speed": speed}
    answer = Answer(200, wire.whole_body("x", usage=usage))
    options = '{speed: "fast", stream: false, anthropic_beta_features: ["own-1"]}'
    result, request = asked_of(wire, "acme-c", answer, options)
    assert (request.json["speed"], request.json["model"]) == ("fast", "acme-c-fast")
    assert request.headers["anthropic-beta"] == "own-1,fast-2026"
    assert result["usage"]["served_fast"] is (speed == "fast")
    assert result["usage"]["cost_usd"] == (10.0 if speed == "fast" else 3.0)


def test_own_options_win_over_the_tier(asked_of):
    options = '{speed: "fast", provider_options: {openai: {service_tier: "flex"}}}'
    _, request = asked_of(OpenAi(), "acme-l", _served("flex", True), options)
    assert request.json["service_tier"] == "flex"


def test_without_a_fast_tier_the_option_is_dropped_with_a_warning(run_harn):
    wire = OpenAi()
    with Stub(wire.stream("x")) as server:
        ran = run_harn(
            'println(llm_call("hi", nil, {model: "gpt-4o", speed: "fast"}).usage.served_fast)',
            env=wire.environment(server.url),
        )
    assert (ran.code, ran.out) == (0, "false\n")
    assert ran.err == "warning: `gpt-4o` (provider `openai`) has no fast tier in the catalog: `speed` dropped\n"
    assert "service_tier" not in server.requests[0].json


def test_a_model_in_another_form_than_its_provider(asked_of):
    answer = Answer(200, Anthropic().whole_body("x"))
    result, request = asked_of(OpenAi(), "acme-m", answer, "{stream: false}")
    assert (request.path, result["text"], result["provider"]) == ("/v1/messages", "x", "openai")
    assert request.json["messages"] == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


def test_a_dated_id_costs_what_the_model_asked_for_costs(run_harn):
    wire = OpenAi()
    wire.model = "gpt-4o-mini-2024-07-18"
    with Stub(wire.stream("x", incoming=1_000_000, outgoing=0)) as server:
        program = 'const r = llm_call("hi", nil, {model: "gpt-4o-mini"})\nprintln([r.model, r.usage.cost_usd])'
        ran = run_harn(program, env=wire.environment(server.url))
    assert ran.out == "[gpt-4o-mini-2024-07-18, 0.15]\n"


_ONE = "input_per_mtok = 1"
_BOTH = f"{_ONE}, output_per_mtok = 1"
_WRONG_ROWS = [
    (f'price_changes = [{{ from = "2026-13-01", {_BOTH} }}]', '`from`: expected a date like "2026-09-01"'),
    (f"price_changes = [{{ {_BOTH} }}]", "`from` is required"),
    (f'price_changes = [{{ from = "2026-12-01", {_ONE} }}]', "`output_per_mtok` is required"),
    (f'price_changes = [{{ from = "2026-12-01", {_BOTH}, inptu = 1 }}]', "`inptu`: unknown key"),
    ("price_changes = 3", "expected an array of tables, got int"),
    ('serving_tiers = [{ name = "fast" }]', "`pricing` is required"),
    (f'serving_tiers = [{{ name = "fast", pricing = {{ {_ONE} }} }}]', "`output_per_mtok` is required"),
    ('serving_tiers = [{ nam = "fast" }]', "`name` is required"),
    ("rate_limits = { rpm = 0 }", "expected a positive integer"),
    ("rate_limits = { rps = 1 }", "unknown key"),
]


@pytest.mark.parametrize(("row", "detail"), _WRONG_ROWS)
def test_wrong_rows_are_refused_with_their_line(run_harn, tmp_path, row, detail):
    rows = tmp_path / "rows.toml"
    rows.write_text(f"[models.m]\nprovider = 'openai'\n{row}\n")
    ran = run_harn(
        'println(llm_call_safe("x", nil, {model: "gpt-4o"}).error.message)', env={"HARN_PROVIDERS_CONFIG": str(rows)}
    )
    assert f"{rows}:3: catalog key `models.m." in ran.out + ran.err
    assert detail in ran.out + ran.err
