"""The trace of a run: its rows, the page, and the page in a browser where there is one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harnpy.cli.program import of_code, run
from harnpy.cli.progress import Progress
from harnpy.events.trace_page import page
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
    code = run(of_code(PROGRAM), Options(virtual_time=0, env={}), streams, str(path))
    assert (code, err) == (0, [])
    return path


def rows_of(text: str) -> list[dict]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])["rows"]


def test_rows_are_calls_waits_tools_and_events_on_the_clock_of_the_run(traced: Path) -> None:
    rows = rows_of(traced.read_text(encoding="utf-8"))
    calls = [row for row in rows if row["kind"] == "call"]
    assert [row["ok"] for row in calls] == [False, True, True, True]
    assert calls[0]["detail"]["error"]["category"] == "rate_limit"
    assert calls[1]["end"] - calls[1]["start"] == pytest.approx(300)
    assert calls[1]["detail"]["output_tokens"] > 0
    [tool] = [row for row in rows if row["kind"] == "tool"]
    assert (tool["title"], tool["ok"]) == ("weather", True)
    assert tool["end"] - tool["start"] == pytest.approx(80)
    assert any(row["kind"] == "wait" for row in rows)
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
    assert run(of_code("println(1)"), Options(), streams, str(tmp_path / "no" / "out.html")) == 1
    assert out == []
    assert "cannot write the trace" in "".join(err)


def test_a_failed_run_is_traced_too(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    streams, _, _ = memory_streams()
    assert run(of_code("sleep_ms(5)\nthrow 1"), Options(virtual_time=0), streams, str(path)) == 1
    assert [row["title"] for row in rows_of(path.read_text(encoding="utf-8"))] == ["sleep 5 ms"]


def test_streamed_calls_are_traced(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    streams, _, err = memory_streams()
    code = """
llm_mock({text: "one two", stream_chunks: ["one ", "two"]})
for text in harness.llm.stream_call("x", nil, {provider: "openai", model: "gpt-4o"}) { print(type_of(text)) }
llm_mock({error: {category: "rate_limit", message: "no"}})
try { for text in harness.llm.stream_call("x", nil, {provider: "openai", model: "gpt-4o"}) { } } catch (e) { }
"""
    assert run(of_code(code), Options(virtual_time=0, env={}), streams, str(path)) == 0, err
    calls = [row for row in rows_of(path.read_text(encoding="utf-8")) if row["kind"] == "call"]
    assert [row["ok"] for row in calls] == [True, False]
    assert calls[0]["detail"]["output_tokens"] > 0
    assert calls[1]["detail"]["error"]["category"] == "rate_limit"


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    words = ["run", "--trace", str(path), "--json", "-e", "println(1)"]
    ended = subprocess.run([sys.executable, "-m", "harnpy", *words], capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    assert rows_of(path.read_text(encoding="utf-8")) == []


def shown(address: str, tmp_path: Path) -> str:
    """Give what a browser makes of a page."""
    browser = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if browser is None:
        pytest.skip("there is no Chromium here")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    ended = subprocess.run([*command, "--dump-dom", address], capture_output=True, text=True, timeout=120)
    return ended.stdout


def test_in_a_browser_rows_summary_and_deep_link_are_shown(traced: Path, tmp_path: Path) -> None:
    rows = rows_of(traced.read_text(encoding="utf-8"))
    [tool] = [row for row in rows if row["kind"] == "tool"]
    dom = shown(f"file://{traced}#{tool['id']}", tmp_path)
    assert "4 model calls" in dom
    assert "1 failed" in dom
    assert dom.count('class="row ') == len(rows)
    assert 'class="row tool chosen"' in dom
    assert "sunny &lt;b&gt;in&lt;/b&gt;" in dom.split("<aside", 1)[1]


def test_an_empty_page_says_so(tmp_path: Path) -> None:
    path = tmp_path / "empty.html"
    path.write_text(page([], "empty"), encoding="utf-8")
    assert "Nothing happened" in shown(f"file://{path}", tmp_path)


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
