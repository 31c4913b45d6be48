"""The pytest fixtures of harnpy.testing, used as a project would use them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import harnpy

ROOT = Path(__file__).resolve().parent.parent.parent

CONFTEST = """
import pytest

pytest_plugins = ["harnpy.testing"]


def weather(city: str) -> str:
    '''Tell the weather of a city.'''
    return f"sunny in {city}"


@pytest.fixture
def harn_options():
    return {"tools": [weather]}
"""

PROJECT = '''
from pathlib import Path

from harnpy import Session

ASK = 'fn ask(q) { return harness.llm.call(q, nil, {provider: "openai", model: "gpt-4o"}).text }'


def test_mock(harn_session, harn_mock):
    harn_mock.reply("yes", match="*sure*")
    assert harn_session.load(ASK).call("ask", "are you sure?") == "yes"
    assert len(harn_mock.calls) == 1
    assert harn_mock.prompts == ["are you sure?"]


def test_tools(harn_session, harn_mock):
    harn_mock.call_tool("weather", {"city": "Rome"})
    harn_mock.reply("Take sun glasses.")
    program = """
        const options = {provider: "openai", model: "gpt-4o", tools: host_tools()}
        return agent_loop(harness, "What shall I take?", nil, options).text
    """
    assert harn_session.run(program).value == "Take sun glasses."
    assert "sunny in Rome" in harn_mock.prompts[-1]


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


def test_tape(harn_tape):
    program = 'return harness.llm.call("q", nil, {provider: "mine"}).text'
    with Session(providers={"mine": lambda request: "recorded"}, **harn_tape()) as session:
        assert session.run(program).value == "recorded"
    with Session(providers={"mine": lambda request: "live"}, **harn_tape()) as session:
        assert session.run(program).value == "recorded"


def test_tape_that_no_session_takes(harn_tape):
    assert harn_tape("none.jsonl")


def test_tape_that_differs_is_meant(harn_tape):
    harn_tape.strict = False
    with Session(providers={"mine": lambda request: "x"}, **harn_tape("meant.jsonl")) as session:
        session.run('harness.llm.call("q", nil, {provider: "mine"})')
    with Session(**harn_tape("meant.jsonl")) as session:
        session.run('harness.llm.call_safe("p", nil, {provider: "mine"})')


def test_more_than_is_asked_for_is_meant(harn_session, harn_mock):
    harn_mock.strict = False
    harn_mock.reply("never used")
'''

WRONG = """
from harnpy import Session

ASK = 'fn ask(q) { return harness.llm.call(q, nil, {provider: "openai", model: "gpt-4o"}).text }'


def test_unused(harn_session, harn_mock):
    harn_mock.reply("one")
    harn_mock.reply("two", match="*other*")
    harn_session.load(ASK).call("ask", "hello")


def test_missing(harn_session, harn_mock):
    harn_mock.reply("one")
    module = harn_session.load(ASK)
    module.call("ask", "first")
    module.call("ask", "second")


def test_tape_that_differs(harn_tape):
    with Session(providers={"mine": lambda request: "x"}, **harn_tape("own.jsonl")) as session:
        session.run('harness.llm.call("q", nil, {provider: "mine"})')
    with Session(providers={"mine": lambda request: "x"}, **harn_tape("own.jsonl")) as session:
        for prompt in ("p", "q"):
            session.run(f'harness.llm.call_safe("{prompt}", nil, {{provider: "mine"}})')


def test_it_fails_anyhow(harn_session, harn_mock, harn_tape):
    harn_mock.reply("one")
    with Session(providers={"mine": lambda request: "x"}, **harn_tape("half.jsonl")) as session:
        session.run('harness.llm.call("q", nil, {provider: "mine"})')
    assert 1 == 2
"""


def run(folder: Path, *options: str, **files: str) -> str:
    (folder / "conftest.py").write_text(CONFTEST)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)],
        capture_output=True,
        text=True,
        cwd=folder.parent,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    return ended.stdout + ended.stderr


def test_a_project_uses_the_fixtures_also_in_parallel(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    assert "7 passed" in run(folder, test_project=PROJECT)
    tape = folder / "tapes" / "test_tape.jsonl"
    recorded = tape.read_text()
    assert '"recorded"' in recorded
    assert "7 passed" in run(folder, "-n", "2")
    assert tape.read_text() == recorded
    assert [path.name for path in tape.parent.iterdir()] == ["test_tape.jsonl"]
    assert (folder / "meant.jsonl").exists()


def test_unused_and_missing_answers_fail_a_test_with_a_clear_message(tmp_path: Path) -> None:
    shown = run(tmp_path, test_wrong=WRONG)
    assert "1 failed, 3 passed, 3 errors" in shown
    assert "harn_mock: the model was called 1 time\n  never used: (match=*other*, text='two')" in shown
    assert "harn_mock: the model was called 2 times\n  no answer was queued for the call: 'second'" in shown
    assert shown.count("harn_mock: the model") == 2  # the test that fails by itself says nothing more
    assert not list(tmp_path.glob("half*"))
    assert "own.jsonl" in shown
    assert ': call 1: No --llm-mock fixture matched prompt: "p"; call 1 is the first' in shown
    assert 'differs from the recording: next there is record-0, asked "q"' in shown
    assert "record it again with HARNPY_RECORD=1" in shown


def test_a_category_that_is_none_is_refused_with_those_that_are() -> None:
    from harnpy.testing import MockModel  # at the top pytest could not rewrite the assertions of the plugin

    with pytest.raises(ValueError, match=r"no error category 'ratelimit'; there are auth, .*rate_limit"):
        MockModel(harnpy.Session()).fail("ratelimit")
