"""A recording keeps every finished call when its process is killed, and calls that were refused replay as refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from stub import Answer, Stub
from wires import LOCAL, OpenAi

ROOT = Path(__file__).resolve().parent.parent.parent
OPENAI = OpenAi()

SLOW_AND_FAST = """
fn main(harness: Harness) {
  const slow = spawn { llm_call("slow", nil, {provider: "openai", model: "m"}) }
  for n in 1 to 3 { println(llm_call("fast", nil, {provider: "local", model: "m"}).text) }
  println("done")
  await(slow)
}
"""


BESIDE = """
const slow = spawn { llm_call_safe("slow", nil, {provider: "openai", model: "m", timeout_ms: 300}).ok }
for n in 1 to 2 { println(llm_call("fast", nil, {provider: "local", model: "m"}).text) }
println(await(slow))
"""


def ids(tape: Path) -> list[str]:
    return [json.loads(line)["id"] for line in tape.read_text().splitlines()[1:]]


def test_a_killed_process_loses_no_finished_call(run_harn, tmp_path):
    """The calls behind one that is still open do not wait for it; their replay knows the order in which they began."""
    program, tape = tmp_path / "p.harn", tmp_path / "tape.jsonl"
    program.write_text(SLOW_AND_FAST)
    with Stub(Answer(silent=True)) as silent, Stub(*(LOCAL.whole(text) for text in ("a", "b", "c"))) as fast:
        env = {**os.environ, "PYTHONPATH": str(ROOT), **OPENAI.environment(silent.url), **LOCAL.environment(fast.url)}
        command = [sys.executable, "-m", "harnpy", "run", "--llm-mock-record", str(tape), str(program)]
        running = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
        assert running.stdout is not None
        assert [running.stdout.readline() for _ in range(4)] == ["a\n", "b\n", "c\n", "done\n"]
        running.kill()
        running.stdout.close()
        running.wait(20)
    assert len(ids(tape)) == 3
    replay = run_harn(
        'for n in 1 to 3 { println(llm_call("fast", nil, {provider: "local", model: "m"}).text) }', llm_mock=str(tape)
    )
    assert (replay.code, replay.out) == (0, "a\nb\nc\n")


def entry(number: int, text: str) -> str:
    asked = {"provider": "local", "model": "m", "max_tokens": 16384}
    head = {"id": f"record-{number}", "scope": "default", "consume": "once", "match": "hi"}
    return json.dumps({**head, "request": asked, "text": text}) + "\n"


def test_a_recording_in_the_order_of_the_ends_replays_in_that_of_the_beginnings(run_harn, tmp_path):
    tape = tmp_path / "tape.jsonl"
    head = '{"schemaVersion": 1, "strictScopes": false}\n'
    tape.write_text(head + entry(10, "third") + entry(2, "second") + entry(0, "first"))
    program = 'for n in 1 to 3 { println(llm_call("hi", nil, {provider: "local", model: "m"}).text) }'
    replay = run_harn(program, llm_mock=str(tape), env={})
    assert (replay.code, replay.out, replay.err) == (0, "first\nsecond\nthird\n", "")


def test_a_closed_recording_is_in_the_order_of_the_beginnings(run_harn, tmp_path):
    tape = tmp_path / "tape.jsonl"
    link = tmp_path / "link.jsonl"
    link.symlink_to(tape)
    with Stub(Answer(silent=True)) as silent, Stub(LOCAL.whole("a")) as fast:
        env = {**OPENAI.environment(silent.url), **LOCAL.environment(fast.url)}
        live = run_harn(BESIDE, env=env, llm_mock_record=str(link))
    assert (live.code, live.err) == (0, "")
    assert ids(tape) == ["record-0", "record-1", "record-2"]
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.jsonl", "tape.jsonl"]


def test_a_prompt_of_bytes_that_are_no_text(run_harn, tmp_path):
    """Arguments and file names of a system may hold any bytes."""
    tape = str(tmp_path / "tape.jsonl")
    program = """
    const opts = {provider: "local", model: "m"}
    println(llm_call("hi " + argv[0], argv[0], opts).text)
    for chunk in llm_stream_call(argv[0], nil, opts) { println(chunk.delta) }
    """
    with Stub(LOCAL.whole("ok"), LOCAL.stream("x")) as stub:
        env = LOCAL.environment(stub.url)
        live = run_harn(program, argv=["x\udcff"], env=env, llm_mock_record=tape)
    replay = run_harn(program, argv=["x\udcff"], env={}, llm_mock=tape)
    assert (live.code, live.out, live.err) == (0, "ok\nx\n\n", "")
    assert (replay.code, replay.out, replay.err) == (0, live.out, "")


REFUSED = {
    "no key": ('{provider: "anthropic", model: "m"}', {}),
    "calls are disabled": ('{provider: "openai", model: "m"}', {"HARN_LLM_CALLS_DISABLED": "1"}),
    "not supported": ('{provider: "openai", model: "m", thinking: {mode: "enabled", budget_tokens: 2000}}', {}),
}


@pytest.mark.parametrize(("options", "more"), REFUSED.values(), ids=REFUSED)
def test_calls_that_were_refused_before_they_went_out_are_refused_again(run_harn, tmp_path, options, more):
    tape = str(tmp_path / "tape.jsonl")
    program = f"""
    println(json_stringify(llm_call_safe("refused", nil, {options}).error))
    println(llm_call_safe("answered", nil, {{provider: "local", model: "m"}}).response?.text)
    """
    with Stub(LOCAL.whole("ok")) as stub:
        env = {**LOCAL.environment(stub.url), "OPENAI_API_KEY": "sk-test-0123456789", **more}
        live = run_harn(program, env=env, llm_mock_record=tape)
    assert (live.code, live.err) == (0, "")
    assert '"message"' in live.out
    replay = run_harn(program, env={}, llm_mock=tape)
    assert (replay.code, replay.out, replay.err) == (0, live.out, "")
