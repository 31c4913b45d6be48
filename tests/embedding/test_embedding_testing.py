"""The pytest fixtures of harnpy.testing, used as a project would use them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

PROJECT = '''
from harnpy import Session

pytest_plugins = ["harnpy.testing"]

ASK = 'fn ask(q) { return harness.llm.call(q, nil, {provider: "openai", model: "gpt-4o"}).text }'


def test_mock(harn_session, harn_mock):
    harn_mock.reply("yes", match="*sure*")
    assert harn_session.load(ASK).call("ask", "are you sure?") == "yes"
    assert len(harn_mock.calls) == 1


def test_failure_is_retried_in_virtual_time(harn_session, harn_mock, harn_clock):
    harn_mock.fail("rate_limit")
    harn_mock.reply("done")
    result = harn_session.run("""
import {default_llm_caller} from "std/llm/caller"
import {with_retry} from "std/llm/handlers"
const caller = with_retry(default_llm_caller(), {max_attempts: 2})
return caller({prompt: "x", system: nil, opts: {provider: "openai", model: "gpt-4o"}}).value.text
""")
    assert result.value == "done"
    before = harn_clock.now_ms
    assert before > 0
    harn_clock.advance(1000)
    assert harn_clock.now_ms == before + 1000


def test_tape(harn_tape, tmp_path):
    path = tmp_path / "tape.jsonl"
    answers = {"mine": lambda request: "recorded"}
    program = 'return harness.llm.call("q", nil, {provider: "mine"}).text'
    with Session(providers=answers, **harn_tape(path)) as session:
        assert session.run(program).value == "recorded"
    with Session(providers={"mine": lambda request: "live"}, **harn_tape(path)) as session:
        assert session.run(program).value == "recorded"
'''


def test_a_project_uses_the_fixtures(tmp_path: Path) -> None:
    (tmp_path / "test_project.py").write_text(PROJECT)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    assert "3 passed" in ended.stdout, ended.stdout + ended.stderr
