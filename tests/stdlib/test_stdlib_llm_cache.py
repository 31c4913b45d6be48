"""``llm_cache_key`` and ``with_cache``: what stands outside the program and changes the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

KEY = 'import {llm_cache_key} from "std/llm/handlers"\nprint(llm_cache_key("hi", nil, OPTIONS))'


def key(run_harn: Any, options: str, **env: str) -> str:
    """Give the key of a call with these options in this environment."""
    ran = run_harn(KEY.replace("OPTIONS", options), env=env)
    assert (ran.code, ran.err) == (0, "")
    return str(ran.out)


def test_the_base_url_belongs_to_the_key_and_the_api_key_does_not(run_harn: Any) -> None:
    options = '{provider: "openai", model: "gpt-5"}'
    plain = key(run_harn, options)
    assert key(run_harn, options, OPENAI_API_KEY="sk-1") == plain
    assert key(run_harn, options, OPENAI_BASE_URL="https://api.openai.com/v1") == plain
    elsewhere = key(run_harn, options, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert elsewhere not in (plain, key(run_harn, options, OPENAI_BASE_URL="http://127.0.0.1:10/v1"))


def test_provider_and_model_are_the_resolved_ones(run_harn: Any) -> None:
    assert key(run_harn, '{model: "gpt-5"}') == key(run_harn, '{provider: "openai", model: "gpt-5"}')
    assert key(run_harn, '{model: "gpt-5"}', LLM_PROVIDER="mock") == key(run_harn, '{provider: "mock", model: "gpt-5"}')


def test_a_default_of_the_catalog_is_as_good_as_the_option(run_harn: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    overlay = tmp_path / "catalog.toml"
    overlay.write_text('[model_defaults."gpt-5*"]\ntemperature = 0.5\n')
    plain, set_to = '{model: "gpt-5"}', '{model: "gpt-5", temperature: TEMPERATURE}'
    with_default = key(run_harn, plain, HARN_PROVIDERS_CONFIG=str(overlay))
    assert with_default == key(run_harn, set_to.replace("TEMPERATURE", "0.5"))
    assert with_default != key(run_harn, plain)


def test_a_call_that_cannot_be_resolved_says_so_itself(run_harn: Any) -> None:
    ran = run_harn(
        """
        import {default_llm_caller} from "std/llm/caller"
        import {with_cache} from "std/llm/handlers"
        const caller = with_cache(default_llm_caller(), {backend: "mem"})
        const envelope = caller({prompt: "p", opts: {provider: "nobody"}})
        println([envelope.ok, envelope.error.message.contains("Unknown provider `nobody`")])
        """
    )
    assert (ran.out, ran.err) == ("[false, true]\n", "")


@pytest.mark.parametrize("name", ["model", "model_tier", "provider"])
def test_a_target_that_is_no_text_is_refused(run_harn: Any, name: str) -> None:
    ran = run_harn(KEY.replace("OPTIONS", f"{{{name}: 5}}"))
    assert ran.code == 1
    assert f"llm_call: invalid `{name}`: expected a string, got int" in ran.err
