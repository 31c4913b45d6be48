"""A call that the file of `--llm-mock` does not answer is told on standard error, whatever the program makes of it."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from harnpy import Session
from harnpy.cli.main import cli

HELLO = """
import {default_llm_caller} from "std/llm/caller"
import {with_retry} from "std/llm/handlers"
const caller = with_retry(default_llm_caller(), {max_attempts: 3})
const result = caller({prompt: "Say\\nhello.", system: nil, opts: {provider: "openai", model: "gpt-4o-mini"}})
println("${result.status}: ${result.error?.message ?? result.error}")
"""
MISS = 'No --llm-mock fixture matched prompt: "Say'


def test_the_first_one_is_told_once_with_its_file(run_harn, tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"error": {"status": 503}}\n')
    ran = run_harn(HELLO, llm_mock=str(replies), virtual_time=0)
    assert ran.out == f'exception: {MISS}\nhello."\n'
    assert ran.err == f'warning: --llm-mock {replies}: call 2: {MISS}\\nhello."\n'


def test_nothing_is_told_of_answers(run_harn, tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"error": {"status": 401}}\n')
    ran = run_harn(HELLO, llm_mock=str(replies))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("auth: ")


def test_a_recording_that_no_longer_fits(run_harn, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    ask = 'const r = harness.llm.call_safe("q", SYSTEM, {provider: "mock"})\nprintln(r.ok)'
    with Session(providers={"mine": lambda _request: "x"}, llm_mock_record=tape) as session:
        session.run('harness.llm.call("q", nil, {provider: "mine"})')
    ran = run_harn(ask.replace("SYSTEM", '"be brief"'), llm_mock=str(tape))
    assert ran.out == "false\n"
    assert ran.err.startswith(f"warning: --llm-mock {tape}: call 1 is the first that differs from the recording")


def test_a_session_tells_it_too(tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text("")
    with Session(llm_mock=replies) as session:
        result = session.run(HELLO.replace("max_attempts: 3", "max_attempts: 1"))
    assert f"warning: --llm-mock {replies}: call 1: {MISS}" in result.stderr


def test_harnpy_test_uses_the_file_beside_the_script(tmp_path: Path) -> None:
    (tmp_path / "a.harn").write_text(
        'fn ask() { return harness.llm.call_safe("q", nil, {provider: "openai", model: "gpt-4o-mini"}) }\n'
        'fn test_good() { assert_eq(ask().response.text, "from the file") }\n'
        "fn test_bad() {\n  ask()\n  assert(ask().ok)\n}\n"
    )
    (tmp_path / "a.llm-mock.jsonl").write_text('{"text": "from the file"}\n')
    ended = CliRunner().invoke(cli, ["test", str(tmp_path)])
    assert "1 passed, 1 failed" in ended.output
    assert f"warning: --llm-mock {tmp_path / 'a.llm-mock.jsonl'}: call 2: No --llm-mock fixture" in ended.output
