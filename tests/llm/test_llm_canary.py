"""No way out of a run shows a key: servers give it back in every way, and all that the run leaves is searched (S52)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from canary import MARK, canary, failures, leaks, leaks_below, replies, spoken, streams
from stub import Answer, Stub
from wires import FORMS, OpenAi, Wire

from harnpy.llm.providers.table import PROVIDERS

ROOT = Path(__file__).resolve().parent.parent.parent
each_wire = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)

NATIVE = 'tools: tools, tool_format: "native",'
CALLS = """
import {default_llm_caller} from "std/llm/caller"
import {with_cache, with_logging} from "std/llm/handlers"

fn main(harness: Harness) {
  const opts = {provider: "NAME", model: "m"}
  for n in 1 to FAILURES + REPLIES {
    const cached = with_cache(default_llm_caller(), {backend: if n % 2 == 0 { "fs" } else { "sqlite" }})
    const caller = with_logging(cached, {include_prompt: true, sink: { record -> println(record) }})
    const call = {prompt: "ask ${n}", system: nil, opts: opts, turn: {iteration: 0, session_id: "s", attempt: 1}}
    const got = harness.agent.capture_events("s", { -> caller(call) })
    println(json_stringify(got))
    log_warn("done", {got: json_stringify(got)})
  }
  for n in 1 to STREAMS {
    try {
      for chunk in harness.llm.stream_call("stream ${n}", nil, opts) { print(chunk.delta) }
    } catch (e) {
      println(json_stringify(e))
    }
  }
  const note = {parameters: {text: {type: "string"}}, handler: { args -> "noted " + json_stringify(args) }}
  const tools = tool_define(tool_registry(), "note", "Keeps a text", note)
  const loop = agent_loop(harness, "note it", nil, opts + {
    GIVEN session_id: "loop", llm_transcript_dir: "transcripts", max_iterations: 2,
  })
  println(json_stringify(loop))
  println(json_stringify(agent_session_snapshot("loop")))
  println([harness, harness.llm, harness.llm.providers(), llm_config("NAME"), llm_provider_catalog().providers])
  println([harness.llm.resolved_options(opts), harness.llm.mock_calls(), llm_info(), llm_healthcheck("NAME")])
  println([llm_cache_key_of(opts), harness.llm.session_cost()])
  harness.llm.call("the last one throws", nil, opts)
}

fn llm_cache_key_of(opts) { return with_cache("ask 2", nil, opts + {backend: "fs"}).text }
"""


def run(folder: Path, *words: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in ``folder`` and give what it said."""
    unknown = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    kept = {name: value for name, value in os.environ.items() if name not in unknown}
    return subprocess.run(
        [sys.executable, "-m", "harnpy", *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), "HARNPY_DEBUG": "1", "HARN_LLM_STREAM": "0", **env},
    )


class Case:
    """One wire with its secrets: a key where it takes one, and a password in the base URL."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.password = canary("pass")
        self.key = canary("key") if wire.key_header[0] else self.password
        self.said = spoken(self.key, self.password)
        # Models of Ollama write their calls as text.
        self.calls_tools = wire.name != "ollama"

    def environment(self, stub: Stub) -> dict[str, str]:
        """Give the variables of a run."""
        base = stub.url.replace("://", f"://user:{quote(self.password, safe='')}@")
        env = self.wire.environment(base)
        return {name: self.key if name.endswith("_KEY") else value for name, value in env.items()}

    def program(self, failed: int, good: int, streamed: int) -> str:
        """Give the program that makes all calls."""
        counts = {"FAILURES": failed, "REPLIES": good, "STREAMS": streamed}
        text = CALLS.replace("NAME", self.wire.name).replace("GIVEN", NATIVE if self.calls_tools else "")
        for name, number in counts.items():
            text = text.replace(name, str(number))
        return text

    def sent(self, stub: Stub) -> None:
        """Check that the secrets went out where they belong, and nowhere else."""
        for asked in stub.requests:
            assert MARK not in asked.path
            assert leaks(json.dumps(asked.headers, ensure_ascii=False))
            assert MARK not in json.dumps(asked.json)


def carry_out(case: Case, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Make all calls of a case in one run and give what it said; it must have come to its last line."""
    bad, good = failures(case.wire, case.said), replies(case.wire, case.said, case.key)
    streamed = streams(case.wire, case.said)
    loop = [replies(case.wire, case.said, case.key)[-1]] if case.calls_tools else []
    loop.append(case.wire.whole(case.said))
    last = case.wire.failing(401, case.said)
    (folder / "p.harn").write_text(case.program(len(bad), len(good), len(streamed)))
    with Stub(*bad, *good, *streamed, *loop, last) as stub:
        ran = run(folder, "run", *words, "p.harn", **case.environment(stub))
        case.sent(stub)
    assert len(stub.requests) == len(bad) + len(good) + len(streamed) + len(loop) + 1, ran.stdout + ran.stderr
    assert ran.returncode == 1
    return ran


@each_wire
def test_nothing_that_a_run_says_or_writes_holds_a_key(tmp_path, wire):
    case = Case(wire)
    files = ("--events", "e.jsonl", "--trace", "t.html", "--trace-prompts", "--llm-mock-record", "tape.jsonl")
    ran = carry_out(case, tmp_path, *files)
    assert leaks(ran.stdout) == []
    assert leaks(ran.stderr) == []
    assert leaks_below(tmp_path) == {}
    written = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert written >= {"e.jsonl", "t.html", "tape.jsonl", "llm.sqlite", "llm_transcript.jsonl"}
    changed = (tmp_path / "p.harn").read_text().replace("ask ", "now ask ")
    (tmp_path / "p.harn").write_text(changed)
    replay = run(tmp_path, "run", "--llm-mock", "tape.jsonl", "p.harn")
    assert "first that differs from the recording" in replay.stdout
    assert leaks(replay.stdout + replay.stderr) == []


def test_the_lines_of_json_hold_no_key(tmp_path):
    ran = carry_out(Case(OpenAi()), tmp_path, "--json")
    assert json.loads(ran.stdout.splitlines()[-1])["event"] == "result"
    assert leaks(ran.stdout + ran.stderr) == []


@pytest.mark.parametrize(
    ("variable", "provider"),
    [(name, row) for row in PROVIDERS.values() for name in row.key_env],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_key_of_every_provider(run_harn, tmp_path, variable, provider):
    key = canary(provider.name)
    events = tmp_path / "events.jsonl"
    program = f"""
    const opts = {{provider: "{provider.name}", model: "m"}}
    agent_emit_event("s", "llm_call_log", {{prompt: "before any call: " + env("{variable}")}})
    println(json_stringify(llm_call_safe("hi", nil, opts)))
    println(llm_config("{provider.name}"))
    llm_call("hi", nil, opts)
    """
    with Stub(Answer(401, {"error": {"message": spoken(key, key)}}), Answer(500, spoken(key, key))) as stub:
        env = {variable: key, provider.base_env: stub.url}
        ran = run_harn(program, env=env, events=str(events))
    assert key in stub.requests[0].headers["authorization" if provider.auth == "bearer" else provider.auth]
    assert (ran.code, len(stub.requests)) == (1, 2)
    assert leaks(ran.out + ran.err + events.read_text()) == []


CATALOG = """
[llm.providers.acme]
base_url = "BASE"
auth_env = "ACME_KEY"
[llm.providers.acme.extra_headers]
x-team-token = "TOKEN"
authorization-two = "Bearer SECOND"
x-team = "a"
"""


def test_what_a_catalog_says_about_a_provider(tmp_path):
    """Headers, a password in the base URL, a key of any name; also where nothing can be sent."""
    token, second, key = (canary(name).replace('"', "'").replace("\\", "|") for name in ("token", "second", "acme"))
    program = """
    const opts = {provider: "acme", model: "m"}
    println(json_stringify(llm_call_safe("hi", nil, opts)))
    println([llm_config("acme"), llm_provider_catalog(), harness.llm.providers()])
    llm_call("hi", nil, opts)
    """
    (tmp_path / "p.harn").write_text(program)
    password = canary("base")
    said = " ".join(spoken(secret, secret) for secret in (token, second, key, password))
    with Stub(Answer(401, said)) as stub:
        for base in (stub.url, "http://127.0.0.1:99999", "ftp://127.0.0.1", "http://[broken"):
            with_password = base.replace("://", f"://user:{quote(password, safe='')}@")
            catalog = CATALOG.replace("BASE", with_password).replace("TOKEN", token).replace("SECOND", second)
            (tmp_path / "harn.toml").write_text(catalog)
            ran = run(tmp_path, "run", "p.harn", ACME_KEY=key)
            assert ran.returncode == 1
            assert "acme" in ran.stdout
            assert leaks(ran.stdout + ran.stderr) == [], base
    assert (stub.requests[0].headers["x-team-token"], stub.requests[0].headers["authorization"]) == (
        token, f"Bearer {key}",
    )  # fmt: skip


@pytest.mark.parametrize("scheme", ["http", "socks5"])
def test_the_password_of_a_proxy(run_harn, scheme):
    password = canary("proxy")
    program = """
    println(json_stringify(llm_call_safe("hi", nil, {provider: "openai", model: "m"})))
    llm_call("hi", nil, {provider: "openai", model: "m"})
    """
    with Stub(Answer(407, spoken(password, password))) as stub:
        proxy = f"{scheme}://user:{quote(password, safe='')}@127.0.0.1:{stub.port}"
        env = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://models.invalid/v1", "HTTP_PROXY": proxy}
        ran = run_harn(program, env=env)
    assert len(stub.requests) == (2 if scheme == "http" else 0)
    assert all(leaks(asked.headers["proxy-authorization"]) for asked in stub.requests)
    assert ran.code == 1
    assert leaks(ran.out + ran.err) == []


OWN = """
import {default_llm_caller} from "std/llm/caller"
import {with_cache, with_logging} from "std/llm/handlers"

fn main(harness: Harness) {
  const key = env("OPENAI_API_KEY")
  const opts = {provider: "openai", model: "m"}
  const turn = {iteration: 0, session_id: "s", attempt: 1}
  const logged = with_logging(default_llm_caller(), {include_prompt: true, sink: { record -> println(record) }})
  const caller = with_cache(logged, {backend: "fs"})
  caller({prompt: "my key is ${key}", system: "keep ${key}", opts: opts, turn: turn})
  log_info("the key is ${key}", {key: key, headers: {authorization: "Bearer x"}})
  agent_emit_event("s", "llm_call_log", {prompt: {nested: [key, {api_key: "short"}]}})
  const tools = tool_define(tool_registry(), "note", "Says it", {parameters: {}, handler: { _ -> "it is ${key}" }})
  agent_loop(harness, "note ${key}", nil, opts + {
    tools: tools, tool_format: "native", session_id: "loop", llm_transcript_dir: "transcripts", max_iterations: 2,
  })
  harness.obs.emit("seen", {key: key})
  println(harness.obs.events())
  throw {category: "generic", message: "thrown with ${key}"}
}
"""


def test_what_the_program_does_with_a_key_reaches_no_log(tmp_path):
    """Only what it prints itself is its own business."""
    key = canary("own")
    wire = OpenAi()
    (tmp_path / "p.harn").write_text(OWN)
    files = ("--events", "e.jsonl", "--trace", "t.html", "--trace-prompts", "--llm-mock-record", "tape.jsonl")
    with Stub(wire.whole("ok"), wire.whole("", calls=[("c1", "note", {})]), wire.whole("fine")) as stub:
        ran = run(tmp_path, "run", *files, "p.harn", **{**wire.environment(stub.url), "OPENAI_API_KEY": key})
    assert MARK in json.dumps(stub.requests[0].json)
    assert (len(stub.requests), "thrown with [redacted]" in ran.stderr) == (3, True)
    assert leaks(ran.stdout + ran.stderr) == []
    assert leaks_below(tmp_path) == {}


def test_a_key_in_the_source_shows_in_no_report(tmp_path):
    """Excerpts keep their columns."""
    key = "sk-" + MARK
    (tmp_path / "p.harn").write_text(f'const k = "{key}"; throw k\n')
    (tmp_path / "q.harn").write_text(f'const k = "{key}" + unknown_name\n')
    (tmp_path / "r.harn").write_text(f'import "./{key}"\n')
    (tmp_path / "test_p.harn").write_text(f'fn test_it() {{ assert_eq("{key}", 1) }}\n')
    thrown = run(tmp_path, "run", "p.harn")
    line, carets = thrown.stderr.splitlines()[3:5]
    assert line[carets.index("^") :].startswith("throw k")
    said = [thrown, run(tmp_path, "check", "q.harn"), run(tmp_path, "check", "--json", "q.harn")]
    said += [run(tmp_path, "run", "r.harn"), run(tmp_path, "check", "--json", "r.harn")]
    said.append(run(tmp_path, "test", "--junit", "r.xml", "test_p.harn"))
    said.append(run(tmp_path, "test", "--json", "test_p.harn"))
    assert [ran.returncode for ran in said] == [1] * 7
    assert [leaks(ran.stdout + ran.stderr) for ran in said] == [[]] * 7
    assert leaks((tmp_path / "r.xml").read_text()) == []


def test_reports_of_tests_and_of_the_prompt(tmp_path):
    case = Case(OpenAi())
    call = 'llm_call("hi", nil, {provider: "openai", model: "m"})'
    (tmp_path / "test_p.harn").write_text(f"fn test_it() {{ {call} }}\n")
    with Stub(case.wire.failing(401, case.said)) as stub:
        env = case.environment(stub)
        tested = run(tmp_path, "test", "--junit", "r.xml", "test_p.harn", **env)
        typed = run(tmp_path, "repl", stdin=f'{call}\n_e\n:cost\nthrow env("OPENAI_API_KEY")\n', **env)
    assert ("1 failed" in tested.stdout, "HTTP 401" in typed.stderr) == (True, True)
    assert "Thrown: [redacted]" in typed.stderr
    assert leaks(tested.stdout + tested.stderr + typed.stdout + typed.stderr) == []
    assert leaks_below(tmp_path) == {}
