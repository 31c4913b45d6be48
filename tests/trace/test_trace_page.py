"""The trace of a run: its rows and its page, without a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from harnpy.cli.program import of_code, run
from harnpy.cli.progress import Progress
from harnpy.events.trace import MOST_ROWS, Trace
from harnpy.options import Options
from harnpy.streams import memory_streams

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """
import {default_llm_caller} from "std/llm/caller"
import {compose, with_logging, with_retry} from "std/llm/handlers"
fn weather(args) {
  sleep_ms(80)
  return "sunny <b>in</b> </script> " + args.city
}
fn main(harness: Harness) {
  const caller = compose([with_logging({}), with_retry({max_attempts: 3})])(default_llm_caller())
  llm_mock({error: {category: "rate_limit", message: "slow down sk-abcdef1234567"}})
  llm_mock({text: "fine", delay_ms: 300})
  caller({prompt: "x", system: nil, opts: {provider: "openai", model: "gpt-4o-mini", session_id: "s"}})
  llm_mock({text: "", tool_calls: [{id: "1", name: "weather", arguments: {city: "Rome"}}]})
  llm_mock({text: "done"})
  const tools = tool_define(tool_registry(), "weather", "Tell", {parameters: {city: "string"}, handler: weather})
  agent_loop(harness, "Weather?", nil, {provider: "openai", model: "gpt-4o", tools: tools})
}
"""


@pytest.fixture
def traced(tmp_path: Path) -> Path:
    path = tmp_path / "out.html"
    streams, _, err = memory_streams()
    # With a seed: of all pauses with jitter one in 250 takes no time, and is no wait.
    code = run(of_code(PROGRAM), Options(virtual_time=0, seed=1, env={}), streams, (str(path), False))
    assert (code, err) == (0, [])
    return path


def rows_of(text: str) -> list[dict]:
    return data_of(text)["rows"]


def data_of(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_rows_are_calls_waits_tools_and_events_on_the_clock_of_the_run(traced: Path) -> None:
    rows = rows_of(traced.read_text(encoding="utf-8"))
    calls = [row for row in rows if row["kind"] == "call"]
    assert [row["state"] for row in calls] == ["failed", "ok", "ok", "ok"]
    assert calls[0]["detail"]["error"]["category"] == "rate_limit"
    assert calls[1]["end"] - calls[1]["start"] == pytest.approx(300)
    assert calls[1]["detail"]["output_tokens"] > 0
    [tool] = [row for row in rows if row["kind"] == "tool"]
    assert (tool["title"], tool["state"]) == ("weather", "ok")
    assert tool["end"] - tool["start"] == pytest.approx(80)
    [pause, nap] = [row for row in rows if row["kind"] == "wait"]
    assert (pause["title"], pause["follows"]) == ("retry after rate_limit", calls[0]["id"])
    assert (nap["title"], nap["end"] - nap["start"]) == ("the program sleeps", pytest.approx(80))
    assert (calls[1]["follows"], calls[1]["detail"]["attempt"]) == (calls[0]["id"], 2)
    assert "follows" not in calls[2]
    assert any(row["title"] == "iteration_start" for row in rows)
    assert [row["start"] for row in rows] == sorted(row["start"] for row in rows)


def test_the_page_loads_nothing_and_runs_only_its_script(traced: Path) -> None:
    text = traced.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src 'none';")
    assert "unsafe" not in policy[1]
    for tag in ("style", "script"):
        body = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(body) == 1
        assert base64.b64encode(hashlib.sha256(body[0].encode()).digest()).decode() in policy[1]
    assert not re.search(r'(?:src|href)="', text)
    assert "abcdef1234567" not in text
    assert "<b>in</b>" not in text


def test_a_trace_that_cannot_be_written_is_reported_before_anything_runs(tmp_path: Path) -> None:
    streams, out, err = memory_streams()
    assert run(of_code("println(1)"), Options(), streams, (str(tmp_path / "no" / "out.html"), False)) == 1
    assert out == []
    assert "cannot write the trace" in "".join(err)


def test_a_failed_run_is_traced_too(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    streams, _, _ = memory_streams()
    assert run(of_code("sleep_ms(5)\nthrow 1"), Options(virtual_time=0), streams, (str(path), False)) == 1
    assert [row["title"] for row in rows_of(path.read_text(encoding="utf-8"))] == ["the program sleeps"]


def traced_run(code: str, tmp_path: Path, *, prompts: bool = False, **options: Any) -> dict:
    path = tmp_path / "page.html"
    streams, _, _ = memory_streams()
    run(of_code(code), Options(virtual_time=0, env={}, **options), streams, (str(path), prompts))
    return data_of(path.read_text(encoding="utf-8"))


def test_the_page_says_how_the_run_ended_without_secrets(tmp_path: Path) -> None:
    about = traced_run('sleep_ms(7)\nthrow "no sk-abcdef1234567"', tmp_path)["about"]
    assert about["error"] == "<argument>:2: Thrown: no [redacted]"
    assert (about["exit_code"], about["virtual"], about["end"]) == (1, True, pytest.approx(7, abs=2))
    assert traced_run("const x = )", tmp_path)["about"]["error"].startswith("<argument>:1: Expected")
    assert traced_run("exit(3)", tmp_path)["about"]["exit_code"] == 3


CALL = """
llm_mock({text: "my answer"})
const prompt = "my question" + " again".repeat(2000) + " sk-abcdef1234567"
harness.llm.call(prompt, "my system", {provider: "openai", model: "gpt-4o"})
"""


def test_prompts_stand_in_the_page_only_when_asked_for(tmp_path: Path) -> None:
    without = json.dumps(traced_run(CALL, tmp_path))
    assert not re.search("my question|my system|my answer", without)
    [row] = traced_run(CALL, tmp_path, prompts=True)["rows"]
    assert row["detail"]["system"] == "my system"
    assert row["detail"]["prompt"].startswith("my question again")
    assert row["detail"]["prompt"].endswith("(12022 characters)")
    assert "abcdef1234567" not in json.dumps(row)


def test_keys_stand_nowhere_in_the_page(tmp_path: Path) -> None:
    key = "canary/Key+0123456789=="
    code = """
fn leak(args) { throw {category: "auth", message: "bad key " + env("OPENAI_API_KEY"), api_key: "short"} }
fn main(harness: Harness) {
  const key = env("OPENAI_API_KEY")
  const opts = {provider: "openai", model: "gpt-4o"}
  try { harness.llm.call("hello " + key, "system " + key, opts) } catch (e) { }
  const message = "invalid key " + key + " " + url_encode(key) + " " + base64_encode(key)
  llm_mock({error: {category: "auth", message: message}})
  try { harness.llm.call("hello " + key, nil, opts) } catch (e) { }
  agent_emit_event("s", "iteration_start", {message: key, headers: {authorization: key, "x-api-key": "anything"}})
  llm_mock({text: "", tool_calls: [{id: key, name: "leak", arguments: {token: key}}]})
  llm_mock({text: "done"})
  const tools = tool_define(tool_registry(), "leak", "Leak", {parameters: {token: "string"}, handler: leak})
  agent_loop(harness, "go", nil, {provider: "openai", model: "gpt-4o", tools: tools})
  throw "the key was " + key
}
"""
    path = tmp_path / "page.html"
    env = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    streams, _, _ = memory_streams()
    assert run(of_code(code), Options(env=env, no_sandbox=True), streams, (str(path), True)) == 1
    text = path.read_text(encoding="utf-8")
    assert len(data_of(text)["rows"]) > 6
    for form in (key, json.dumps(key)[1:-1], quote(key, safe=""), base64.b64encode(key.encode()).decode(), "anything"):
        assert form not in text
    assert "[redacted]" in text


def test_what_a_wait_was_for(tmp_path: Path) -> None:
    code = """
harness.llm.rate_limit("openai", {rpm: 1})
llm_mock({text: "a", delay_ms: 30})
llm_mock({text: "b", delay_ms: 30})
harness.llm.call("x", nil, {provider: "openai", model: "gpt-4o"})
harness.llm.call("y", nil, {provider: "openai", model: "gpt-4o"})
llm_mock({error: {category: "rate_limit", message: "no", retry_after_ms: 900}})
try { harness.llm.call("z", nil, {provider: "mock", model: "m"}) } catch (e) { sleep_ms(40) }
deadline 5ms { sleep_ms(40) }
"""
    waits = [row for row in traced_run(code, tmp_path)["rows"] if row["kind"] == "wait"]
    assert [(row["title"], row["state"], row["end"] - row["start"]) for row in waits] == WAITS
    assert waits[1]["detail"] == {"ms": 40, "server_asked_for_ms": 900}


def test_waits_for_real_work_say_for_what(tmp_path: Path) -> None:
    code = f'harness.process.run({{argv: [{json.dumps(sys.executable)}, "-c", "pass"]}})'
    rows = traced_run(code, tmp_path, no_sandbox=True)["rows"]
    assert {(row["title"], row["state"]) for row in rows} == {("a child process", "ok")}


WAITS = [
    ("the rate limit of openai", "ok", pytest.approx(60000, abs=100)),
    ("after rate_limit", "ok", pytest.approx(40)),
    ("after rate_limit", "failed", pytest.approx(5)),
]


def test_race_losers_are_cancelled_not_failed_and_exhausted_routes_are_failures(tmp_path: Path) -> None:
    code = """
const race = routing_policy({chain: ["openai:gpt-4o", "anthropic:claude-sonnet-5"], latency: {race_after_ms: 100}})
llm_mock({text: "primary", delay_ms: 900})
llm_mock({text: "backup", delay_ms: 150})
harness.llm.call("hi", nil, {routing: race, session_id: "s"})
const failover = {on_error_kinds: ["rate_limit"]}
const chain = routing_policy({chain: ["openai:gpt-4o", "anthropic:claude-sonnet-5"], failover: failover})
llm_mock({error: {category: "rate_limit", message: "slow"}})
llm_mock({error: {category: "rate_limit", message: "slow"}})
try { harness.llm.call("hi", nil, {routing: chain, session_id: "s"}) } catch (e) { }
"""
    data = traced_run(code, tmp_path)
    calls = [row for row in data["rows"] if row["kind"] == "call"]
    assert [row["state"] for row in calls] == ["cancelled", "ok", "failed", "failed"]
    assert calls[0]["task"] != calls[1]["task"]
    assert [row["title"] for row in data["rows"] if row["kind"] == "routing" and row["state"] == "failed"] == [
        "llm.routing.exhausted"
    ]
    assert {name: data["totals"][name] for name in ("calls", "failed", "cancelled")} == {
        "calls": 4,
        "failed": 2,
        "cancelled": 1,
    }


def test_what_goes_on_when_the_run_ends_is_open(tmp_path: Path) -> None:
    rows = traced_run('agent_emit_event("s", "tool_call", {tool_call_id: "1", tool_name: "t"})', tmp_path)["rows"]
    assert [(row["title"], row["state"], row["end"] >= row["start"]) for row in rows] == [("t", "open", True)]


def test_rows_are_bounded_but_late_failures_are_kept_and_all_is_counted() -> None:
    now = [0.0]
    trace = Trace(lambda: now[0])
    for _ in range(MOST_ROWS + 5):
        now[0] += 1
        trace.finish(trace.begin("event", "e", {}))
    late = trace.begin("wait", "w", {})
    trace.stop(late, ValueError("boom"))
    trace.close()
    assert (len(trace.rows), trace.left_out) == (MOST_ROWS + 1, 5)
    assert (trace.rows[-1]["state"], trace.rows[-1]["detail"]) == ("failed", {"error": "boom"})
    assert len({row["id"] for row in trace.rows}) == len(trace.rows)


def test_long_texts_make_no_endless_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harnpy.events.trace.MOST_TEXT", 10_000)
    trace = Trace(lambda: 0.0)
    for _ in range(100):
        trace.event({"type": "iteration_start", "text": "x" * 1_000_000, "more": ["y" * 50]})
    lengths = [len(row["detail"]["text"]) for row in trace.rows]
    assert lengths[0] == lengths[1] == 4000 + len(" ... (1000000 characters)")
    assert lengths[-1] == 100 + len(" ... (1000000 characters)")
    assert trace.rows[-1]["detail"]["more"] == ["y" * 50]


def test_lone_surrogates_and_ends_of_elements_do_no_harm(tmp_path: Path) -> None:
    code = r"""
const text = json_parse("\"\\ud800 </script> <!-- \\u2028\"")
agent_emit_event("s", "iteration_start", {message: text})
"""
    [row] = traced_run(code, tmp_path)["rows"]
    assert "</script> <!-- \u2028" in row["detail"]["message"]
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count("</script") == 2


def test_prompts_need_a_page() -> None:
    words = ["run", "--trace-prompts", "-e", "println(1)"]
    ended = subprocess.run([sys.executable, "-m", "harnpy", *words], capture_output=True, text=True, cwd=ROOT)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--trace FILE" in ended.stderr


def test_streamed_calls_are_traced(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    streams, _, err = memory_streams()
    code = """
llm_mock({text: "one two", stream_chunks: ["one ", "two"]})
for text in harness.llm.stream_call("x", nil, {provider: "openai", model: "gpt-4o"}) { print(type_of(text)) }
llm_mock({error: {category: "rate_limit", message: "no"}})
try { for text in harness.llm.stream_call("x", nil, {provider: "openai", model: "gpt-4o"}) { } } catch (e) { }
"""
    assert run(of_code(code), Options(virtual_time=0, env={}), streams, (str(path), False)) == 0, err
    calls = [row for row in rows_of(path.read_text(encoding="utf-8")) if row["kind"] == "call"]
    assert [row["state"] for row in calls] == ["ok", "failed"]
    assert calls[0]["detail"]["output_tokens"] > 0
    assert calls[1]["detail"]["error"]["category"] == "rate_limit"


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    words = ["run", "--trace", str(path), "--json", "-e", "println(1)"]
    ended = subprocess.run([sys.executable, "-m", "harnpy", *words], capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    assert rows_of(path.read_text(encoding="utf-8")) == []


def test_progress_is_quiet_at_first_and_cleared_before_output() -> None:
    now = [0.0]
    written: list[str] = []
    progress = Progress(written.append, lambda: now[0])
    progress.began(None)
    assert written == []
    now[0] = 3.0
    progress.ended(None, {"input_tokens": 5, "output_tokens": 2, "known_cost_usd": 0.01})
    assert written == ["\r\x1b[K0 calls in flight, 1 done, 7 tokens, 0.0100 USD"]
    progress.guard(written.append)("out\n")
    assert written[1:] == ["\r\x1b[K", "out\n"]
    now[0] = 4.0
    progress.began(None)
    progress.failed(None, ValueError())
    assert written[3] == "\r\x1b[K1 calls in flight, 1 done, 7 tokens, 0.0100 USD"
