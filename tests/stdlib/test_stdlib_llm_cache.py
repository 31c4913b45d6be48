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


def test_the_defaults_are_sqlite_and_256_entries(run_harn: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    program = """
    import {cache_stats} from "std/cache"
    import {with_cache} from "std/llm/handlers"
    const asked = atomic(0)
    const kept = with_cache({ _call ->
      atomic_add(asked, 1)
      {ok: true, value: {text: "a"}}
    })
    const ask = { number -> kept({prompt: "p${number}", opts: {provider: "mock"}}) }
    for number in range(257) { ask(number) }
    ask(256)
    ask(1)
    print("${atomic_get(asked)} ")
    ask(0)
    const stats = cache_stats({namespace: "llm.with_cache"})
    print("${atomic_get(asked)} ${stats.backend}")
    """
    ran = run_harn(program, virtual_time=0)
    assert (ran.out, ran.err) == ("257 258 sqlite", "")
    again = run_harn(program, virtual_time=0)
    assert again.out == "255 256 sqlite", "answers outlive the run: the first two are there"


@pytest.mark.parametrize("name", ["model", "model_tier", "provider"])
def test_a_target_that_is_no_text_is_refused(run_harn: Any, name: str) -> None:
    ran = run_harn(KEY.replace("OPTIONS", f"{{{name}: 5}}"))
    assert ran.code == 1
    assert f"llm_call: invalid `{name}`: expected a string, got int" in ran.err


SAME = ["{}", "{timeout_ms: 5}", '{session_id: "s"}', '{api_key: "k"}', '{ttl: "1h"}', "{max_entries: 9}"]
OTHER = [
    '{provider: "openai"}',
    '{model: "m2"}',
    "{temperature: 0.0}",
    "{top_p: 0.1}",
    "{max_tokens: 5}",
    '{stop: ["x"]}',
    "{seed: 3}",
    '{output: "json"}',
    '{output: {type: "object"}}',
    '{reasoning_policy: "high"}',
    "{thinking: true}",
    '{tool_choice: "auto"}',
    '{messages: [{role: "user", content: "x"}]}',
]
TABLE = """
import {with_cache} from "std/llm/handlers"
const n = atomic(0)
const caller = with_cache({ call ->
  const at = atomic_add(n, 1)
  {ok: true, value: {text: "t", data: {at: [at]}}}
}, {backend: "KIND", path: "store"})
const turn = {iteration: 0, session_id: "", attempt: 1}
const base = {prompt: "p", system: nil, opts: {provider: "mock", model: "m1"}, turn: turn}
const with_tools = base + {opts: base.opts + {tools: [{name: "a"}]}}
fn hit(name, first, second) {
  const own = { call -> call + {prompt: "${call.prompt} of ${name}"} }
  caller(own(first))
  const before = atomic_get(n)
  caller(own(second))
  return atomic_get(n) == before
}
const same = [SAME].filter({ more -> !hit("same ${more}", base, base + {opts: base.opts + more}) }).to_list()
const other = [OTHER].filter({ more -> hit("other ${more}", base, base + {opts: base.opts + more}) }).to_list()
println([same, other])
println(hit("order", base, base + {opts: {model: "m1", provider: "mock"}}))
println(hit("turn", base, base + {turn: turn + {iteration: 5}}))
println([hit("system", base, base + {system: "s"}), hit("blank", base, base + {system: ""})])
println(hit("letter", base + {prompt: "\\u{e9}"}, base + {prompt: "e\\u{301}"}))
println(hit("truth", base + {opts: base.opts + {seed: 1}}, base + {opts: base.opts + {seed: true}}))
println(hit("tools", with_tools, with_tools))
let kept = caller(base)
kept.value.data.at[0] = "changed"
println(caller(base).value.data.at[0] == "changed")
"""


@pytest.mark.parametrize("kind", ["mem", "sqlite", "fs"])
def test_each_field_that_changes_the_answer_is_another_entry(
    kind: str, tmp_path: Path, run_harn: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    program = TABLE.replace("KIND", kind).replace("[SAME]", f"[{', '.join(SAME)}]")
    ran = run_harn(program.replace("[OTHER]", f"[{', '.join(OTHER)}]"))
    assert ran.err == ""
    assert ran.out == "[[], []]\ntrue\ntrue\n[false, false]\nfalse\nfalse\nfalse\nfalse\n"
