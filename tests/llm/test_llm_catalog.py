"""The catalog: its rows, overlays by file and project, look-ups, reviewers, prices, gates (llm 11, 13.4, 2.5)."""

from __future__ import annotations

import json

import pytest

from harnpy.errors import HarnError
from harnpy.llm.catalog import Catalog, built_in, built_in_layer
from harnpy.llm.catalog_files import line_of, overlays
from harnpy.llm.models import execution_contract, family_of, lineage_of, model_info, resolved_options
from harnpy.llm.prices import per_1k
from harnpy.llm.request import build_request
from harnpy.llm.reviewer import complementary_reviewer

ACME = """
# an overlay
[providers.acme]
base_url = "http://127.0.0.1:9001/v1"
auth_style = "bearer"
auth_env = "ACME_KEY"
chat_endpoint = "/chat/completions"
extra_headers = { "x-team" = "a" }
cost_per_1k_in = 0.001
cost_per_1k_out = 0.002

[providers.anthropic]
base_url = "http://127.0.0.1:9002"

[aliases]
quick = { id = "acme-s", provider = "acme" }
quicker = { id = "quick", provider = "acme" }

[models."acme-s"]
name = "Acme S"
provider = "acme"
context_window = 64000
tier = "small"
pricing = { input_per_mtok = 1.0, output_per_mtok = 2.0, cache_read_per_mtok = 0.1 }

[patch.models."gpt-4o"]
context_window = 1000
pricing = { input_per_mtok = 9 }

[suppress]
models = ["o3"]

[[inference_rules]]
pattern = "acme-*"
provider = "acme"

[model_ladders.cheap_first]
label = "cheap, then strong"
steps = [{ model = "acme-s" }, { model = "claude-sonnet-5", provider = "anthropic" }]

[model_defaults."acme-*"]
temperature = 0.3
bogus = 1
reasoning_effort = "low"

[model_roles.planner]
model = "acme-s"
"""


@pytest.fixture
def acme(tmp_path) -> Catalog:
    file = tmp_path / "providers.toml"
    file.write_text(ACME)
    return Catalog([built_in_layer(), *overlays({"HARN_PROVIDERS_CONFIG": str(file)}, None)])


def test_every_shipped_row_is_sound():
    catalog = built_in()
    assert len(catalog.models) >= 54
    for row in catalog.models.values():
        assert row["provider"] in catalog.providers, row
        assert row["tier"] in ("small", "mid", "frontier")
        assert row["context_window"] > 0
        assert row["name"]
        assert row["availability"] in ("serverless", "dedicated")
    assert {alias["provider"] for alias in catalog.aliases.values()} <= set(catalog.providers)
    assert sorted(catalog.keyed["model_ladders"]) == ["agent_cheap", "agent_frontier", "frugal", "sitrep"]
    for model in catalog.keyed["qc_defaults"].values():
        assert model in catalog.models


def test_an_overlay_adds_patches_and_hides(acme):
    assert acme.model("acme-s")["context_window"] == 64000
    assert acme.model("gpt-4o")["context_window"] == 1000
    assert acme.model("gpt-4o")["pricing"]["input_per_mtok"] == 9
    assert acme.model("gpt-4o")["pricing"]["output_per_mtok"] == 10
    assert acme.model("o3") is None
    assert built_in().model("o3") is not None
    assert acme.ladder("cheap_first")["label"] == "cheap, then strong"
    assert per_1k("acme", "acme-x", acme) == {"input": 0.001, "output": 0.002}
    assert per_1k("acme", "acme-s", acme) == {"input": 0.001, "output": 0.002}
    assert acme.providers["acme"].key({"ACME_KEY": "k"}) == "k"
    assert acme.providers["acme"].extra_headers == {"x-team": "a"}
    # the overlay wins over the variable, and what it leaves out stays
    anthropic = acme.providers["anthropic"]
    assert anthropic.base({"ANTHROPIC_BASE_URL": "http://other"}) == "http://127.0.0.1:9002"
    assert (anthropic.auth, anthropic.dialect) == ("x-api-key", "anthropic")


def test_look_ups_under_an_overlay(acme):
    info = model_info("quicker", {}, acme)
    assert (info["id"], info["provider"], info["alias"], info["tier"]) == ("acme-s", "acme", "quicker", "small")
    assert model_info("acme-unknown", {}, acme)["provider"] == "acme"
    contract = execution_contract("quicker", {}, acme)
    assert contract["alias_chain"] == ["quicker", "quick"]
    assert contract["generation_defaults"] == {"temperature": 0.3}
    assert resolved_options({"model": "quick", "temperature": 1}, {}, acme)["temperature"] == 1
    request = build_request("p", None, {"model_role": "planner"}, {}, acme)
    assert (request.route.model, request.option("temperature"), request.thinking["level"]) == ("acme-s", 0.3, "low")
    request = build_request("p", None, {"model": "quick", "thinking": False}, {}, acme)
    assert request.thinking == {"mode": "disabled"}
    with pytest.raises(HarnError) as caught:
        build_request("p", None, {"model_role": "x"}, {}, acme)
    assert caught.value.value == 'llm_call: no model role "x" in the catalog (known roles: planner)'


@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        ("[providers.a]\nbase_url = 3\n", 2, "catalog key `providers.a.base_url`: expected a string, got int"),
        ("\n[providers.a]\nbase_uri = 'x'\n", 3, "catalog key `providers.a.base_uri`: unknown key"),
        ("[modls.x]\n", 1, "catalog key `modls`: unknown key; did you mean `models`?"),
        ("[aliases]\nq = { id = 'x' }\n", 2, "catalog key `aliases.q`: `provider` is required"),
        ("[models.m]\nname='x'\n", 1, "catalog key `models.m`: `provider` is required"),
        (
            "[models.'a/b']\nprovider='x'\ncontext_window = -1\n",
            3,
            'catalog key `models."a/b".context_window`: expected a positive integer',
        ),
        (
            "[models.m]\nprovider='x'\npricing = { input_per_mtok = -1, output_per_mtok = 1 }\n",
            3,
            "catalog key `models.m.pricing.input_per_mtok`: expected a non-negative number, got -1",
        ),
        ("[model_ladders.l]\nsteps = []\n", 1, "catalog key `model_ladders.l`: `steps` must be a list"),
        ("[[inference_rules]]\nprovider='x'\n", 1, "catalog key `inference_rules`: rule 0: expected exactly one of"),
        ("[[provider.x]]\nvision = true\n", 2, "catalog key `provider.x.vision`: unknown capability"),
        ("[patch.models.nope]\ntier = 'mid'\n", 1, "catalog key `patch.models.nope`: there is no such model to patch"),
        ("[tier_defaults]\ndefault = 'big'\n", 2, "catalog key `tier_defaults.default`: expected one of small, mid"),
        ("suppress = []\n", 1, "catalog key `suppress`: expected a table, got list"),
        ("[model_roles.r]\nmodl = 'x'\n", 1, "catalog key `model_roles.r`: `model` is required"),
        ("[models.m]\nprovider='x'\ncontxt_window = 5\n", 3, "unknown key; did you mean `context_window`?"),
        ("[models.m]\nprovider='x'\ncontext_window = 99999999999999999999\n", 3, "context_window`: expected a pos"),
        (
            "[models.m]\nprovider='x'\npricing = { input_per_mtok = 1, output_per_mtok = 1, cached_per_mtok = 1 }\n",
            3,
            "catalog key `models.m.pricing.cached_per_mtok`: unknown key",
        ),
        ("[providers.a]\nextra_headers = { x = 5 }\n", 2, "extra_headers`: `x`: expected a string, got int"),
        ("[providers.a]\nextra_headers = { 'a b' = 'c' }\n", 2, "extra_headers`: `a b` cannot be the name of a header"),
        ('[providers.a]\nextra_headers = { x = "b\\nc" }\n', 2, "extra_headers`: `x`: HTTP does not allow"),
        ("[model_defaults.'m*']\ntemprature = 1\n", 2, "unknown key; did you mean `temperature`?"),
        ("[model_defaults.'m*']\ntemperature = 9\n", 2, "temperature`: must be finite and within 0..=2"),
        ("a = " + "[" * 200_000 + "]" * 200_000, 1, "the catalog file is nested too deeply"),
        ("a = 1\nb = [\n", 3, "the catalog file is not TOML: "),
        ("x = = 2", 1, "the catalog file is not TOML: "),
    ],
)
def test_a_broken_file_is_named_with_line_and_key(run_harn, tmp_path, text, line, detail):
    file = tmp_path / "p.toml"
    file.write_text(text)
    ran = run_harn('println(llm_call("x"))', env={"HARN_PROVIDERS_CONFIG": str(file), "HARN_LLM_PROVIDER": "mock"})
    assert ran.code == 1
    assert f"{file}:{line}: " in ran.err
    assert detail in ran.err


def test_a_missing_file_is_an_error(run_harn):
    ran = run_harn('println(llm_call("x"))', env={"HARN_PROVIDERS_CONFIG": "/nowhere/p.toml"})
    assert "/nowhere/p.toml: the catalog file cannot be read: No such file or directory" in ran.err


def test_project_and_user_files(run_harn, tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    (home / ".config" / "harn").mkdir(parents=True)
    project.mkdir()
    (home / ".config" / "harn" / "providers.toml").write_text(
        '[aliases]\na = { id = "user", provider = "local" }\nb = { id = "user", provider = "local" }\n'
    )
    (project / "harn.toml").write_text('[llm.aliases]\na = { id = "project", provider = "local" }\n')
    main = project / "main.harn"
    text = 'println([llm_resolve_model("a").id, llm_resolve_model("b").id])'
    main.write_text(text)
    assert run_harn(text, name=str(main), env={"HOME": str(home)}).out == "[project, user]\n"
    (project / "harn.toml").write_text('[package]\nname = "p"\n\n[llm.aliases]\na = 3\n')
    ran = run_harn(text, name=str(main), env={"HOME": str(home)})
    assert f"{project / 'harn.toml'}:5: catalog key `llm.aliases.a`: expected a table, got int" in ran.err


def test_lines_of_keys():
    text = '[a]\nb = 1\n\n["x.y".c]\nd = { e = 1 }\n'
    assert [line_of(text, key) for key in [("a", "b"), ("x.y", "c", "d", "e"), ("x.y", "c", "z"), ("q",)]] == [
        2,
        5,
        4,
        1,
    ]


@pytest.mark.parametrize(
    ("model", "family", "lineage"),
    [
        ("claude-haiku-4-5-20251001", "anthropic-claude", "claude-haiku"),
        ("claude-opus-4-8", "anthropic-claude", "claude-opus-adaptive"),
        ("anthropic/claude-sonnet-5", "anthropic-claude", "claude-sonnet-opus"),
        ("gpt-5.4-mini", "openai-gpt", "openai-gpt5"),
        ("gpt-4o", "openai-gpt", "openai-legacy"),
        ("o3-mini", "openai-reasoning", "openai-reasoning"),
        ("x/o4-y", "openai-reasoning", "openai-reasoning"),
        ("gemini-2.5-flash", "google-gemini", "gemini-flash"),
        ("qwen3:8b", "qwen", "qwen3"),
        ("gemma4:26b", "gemma", "gemma4"),
        ("zzz", "unknown", "unknown"),
    ],
)
def test_families(model, family, lineage):
    assert family_of(model, None, built_in()) == family
    assert lineage_of(model, family, built_in()) == lineage


def test_reviewers():
    found = complementary_reviewer({"author_model": "claude-sonnet-5"}, {}, built_in())
    assert found["reviewer"]["family"] != "anthropic-claude"
    assert (found["fallback"], found["intent"], found["author"]["id"]) == (False, "review", "claude-sonnet-5")
    cheap = complementary_reviewer({"model": "sonnet", "max_price_multiplier": 0.1}, {}, built_in())
    assert cheap["estimated_incremental_cost"]["multiplier_vs_author"] <= 0.1
    none = complementary_reviewer({"author_model": "gpt-oss-120b-x:y"}, {}, built_in())
    assert none["reviewer"]["id"] != ""
    unknown = complementary_reviewer({"author_model": "zzz"}, {}, built_in())
    assert (unknown["fallback"], unknown["fallback_code"]) == (True, "unknown_author_family")
    assert unknown["reason"].startswith("using author model zzz because ")
    tiny = complementary_reviewer({"author_model": "gpt-4o-mini", "max_price_multiplier": 0.0001}, {}, built_in())
    assert tiny["fallback_code"] == "no_diff_family_within_price"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (3, "options must be a dict"),
        ({}, "options.author_model is required"),
        ({"author_model": "x", "intent": "y"}, "intent must be review, critique, or plan_review"),
        ({"author_model": "x", "max_price_multiplier": 0}, "max_price_multiplier must be positive"),
        ({"author_model": "x", "max_price_multiplier": "1"}, "max_price_multiplier must be numeric, got string"),
    ],
)
def test_bad_reviewer_options(options, message):
    with pytest.raises(HarnError) as caught:
        complementary_reviewer(options, {}, built_in())
    assert caught.value.value == f"llm_complementary_reviewer: {message}"


IMAGE = [{"role": "user", "content": [{"type": "image", "data": "QUJD", "mime_type": "image/png"}]}]
TOOL = [{"name": "t", "parameters": {}}]


@pytest.mark.parametrize(
    ("model", "options", "option"),
    [
        ("deepseek-v4-pro", {"vision": True}, "vision"),
        ("deepseek-v4-pro", {"messages": IMAGE}, "vision"),
        ("gpt-4o", {"audio": True}, "audio"),
        ("gpt-4o", {"pdf": True}, "pdf"),
        ("gpt-4o", {"thinking": True}, "thinking"),
        ("gpt-4o", {"effort": "low"}, "effort"),
        ("gpt-4o", {"interleaved_thinking": True}, "interleaved_thinking"),
        ("gpt-4o", {"prefill": "x"}, "prefill"),
        ("gpt-4o", {"store": True}, "store"),
        ("llama3.2", {"cache": True}, "cache"),
        ("llama3.2", {"tools": TOOL, "tool_format": "native"}, "tools"),
    ],
)
def test_gates(model, options, option):
    with pytest.raises(HarnError) as caught:
        build_request("p", None, {"model": model, **options}, {})
    provider = model_info(model, {}, built_in())["provider"]
    assert caught.value.value == (
        f"option `{option}` is not supported by `{model}` (provider `{provider}`). "
        "See `harn provider catalog matrix` for compatibility."
    )
    build_request("p", None, {"model": model, **options}, {}, gated=False)
    if option != "store":
        build_request("p", None, {"provider": "xai", "model": "new", **options}, {}, gated=True)


def test_forced_tool_search():
    with pytest.raises(HarnError) as caught:
        build_request("p", None, {"model": "gpt-4o", "tool_search": {"mode": "native"}}, {})
    assert caught.value.value == (
        'tool_search: provider "openai" does not expose native tool-search for model "gpt-4o". Use mode "auto".'
    )


def test_effort_levels_and_sampling():
    with pytest.raises(HarnError) as caught:
        build_request("p", None, {"model": "gpt-5.4-mini", "effort": "max"}, {})
    assert caught.value.value["message"] == (
        "option `effort` level `max` is not supported for provider `openai` model `gpt-5.4-mini`; "
        "supported reasoning_effort values: none, low, medium, high, xhigh"
    )
    assert (caught.value.value["reason"], caught.value.value["origin"]) == ("invalid_request", "local")
    request = build_request("p", None, {"model": "sonnet", "temperature": 0.0, "top_k": 3}, {})
    assert request.option("temperature") is None
    assert len(request.warnings) == 1
    request = build_request("p", None, {"model": "gpt-5.5", "temperature": 0.0, "effort": "low"}, {})
    assert request.option("temperature") is None
    assert build_request("p", None, {"model": "gpt-5.5", "temperature": 0.0}, {}).option("temperature") == 0.0


def test_a_warning_is_given_once(run_harn):
    program = 'for _ in [1, 2] { llm_call_safe("p", nil, {model: "sonnet", temperature: 0.0}) }'
    assert run_harn(program, env={}).err.count("takes no sampling options") == 1


def test_prices_and_usage_agree(run_harn):
    program = """
mock_time(1767225600000)  // 2026-01-01, before the price of this model changes
llm_mock({text: "x", model: "claude-sonnet-5", usage: {input_tokens: 1000, output_tokens: 100, cache_read_tokens: 400}})
println(llm_call("p", nil, {provider: "anthropic", model: "sonnet"}).usage.cost_usd)
println(llm_cost("claude-sonnet-5", 600, 100))
println(llm_pricing("sonnet-unknown"))
println(llm_pricing({provider: "ollama", model: "llama4:70b"}).source)
println([llm_format_usd(0), llm_format_usd(1234.5), llm_format_usd(1.5), llm_format_usd(-0.25, {sign: true})])
"""
    ran = run_harn(program, env={})
    assert ran.out.splitlines() == [
        "0.00228", "0.0022", "nil", "provider_economics", "[$0.00, $1,234.50, $1.5000, -$0.250000]",
    ], ran.err  # fmt: skip


def test_rows_of_the_script(run_harn):
    program = """
provider_register({name: "acme", base_url: "http://127.0.0.1:9/v1", auth_style: "none"})
println(llm_config("acme").base_url)
println(provider_capabilities_install("[[provider.acme]]\\nmodel_match = \\"x*\\"\\nvision_supported = true\\n"))
println(provider_capabilities("acme", "x1").vision_supported)
provider_capabilities_clear()
println(provider_capabilities("acme", "x1").vision_supported)
println(llm_config("acme").base_url)
println(try { provider_register({name: "a", base_uri: "x"}) })
"""
    out = run_harn(program, env={}).out.splitlines()
    assert out[:5] == ["http://127.0.0.1:9/v1", "1", "true", "false", "http://127.0.0.1:9/v1"]
    assert "catalog key `providers.a.base_uri`: unknown key" in out[5]


def test_a_provider_of_an_overlay_is_asked(run_harn, tmp_path):
    from stub import Stub, oa

    with Stub(oa("hello")) as stub:
        file = tmp_path / "p.toml"
        file.write_text(ACME.replace("http://127.0.0.1:9001/v1", stub.url + "/v1"))
        env = {"HARN_PROVIDERS_CONFIG": str(file), "ACME_KEY": "sk-acme-123456"}
        ran = run_harn('println(json_stringify(llm_call("p", nil, {model: "quick"})))', env=env)
        reply = json.loads(ran.out)
        (asked,) = stub.requests
    assert (reply["text"], reply["provider"]) == ("hello", "acme")
    assert asked.path == "/v1/chat/completions"
    assert (asked.headers["authorization"], asked.headers["x-team"]) == ("Bearer sk-acme-123456", "a")
    assert asked.json["temperature"] == 0.3


@pytest.mark.parametrize(
    ("provider", "model"), [("ollama", "llava"), ("mistral", "mistral-small-2603"), ("local", "gemma3")]
)
def test_what_differs_between_the_models_of_a_row_is_not_refused(provider, model):
    image = {"type": "image", "base64": "QQ==", "media_type": "image/png"}
    messages = [{"role": "user", "content": [image]}]
    assert build_request("", None, {"provider": provider, "model": model, "messages": messages}, {}).messages
    with pytest.raises(HarnError):
        build_request("p", None, {"provider": provider, "model": model, "pdf": True}, {})
