"""The event log and the transcripts on disk: whole after a kill but for the last line, never overwritten."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harnpy.events.log import JsonlWriter, read_log

pytestmark = pytest.mark.slow

ENDLESS = """
const registry = tool_define(tool_registry(), "look", "", {parameters: {}, handler: { args -> "x".repeat(2000) }})
agent_loop(harness, "go", nil, {
  tools: registry, session_id: "s", llm_transcript_dir: "kept", compaction: "truncate", compact_threshold: 5000,
  max_iterations: 100000000,
  llm_caller: { call -> {ok: true, value: {text: "t", tool_calls: [{name: "look", arguments: {}}]}} },
})
"""


def test_a_log_is_appended_to_and_a_torn_line_spoils_no_other(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"type":"a"}\n{"type":"b","te')
    writer = JsonlWriter(str(path))
    writer.write({"type": "c"})
    writer.close()
    writer.close()
    events, lost = read_log(path.read_bytes())
    assert [event["type"] for event in events] == ["a", "c"]
    assert lost == [2]
    assert read_log(b'{"type":"a"}') == ([], [1])
    assert read_log(b"") == ([], [])


def test_reading_a_torn_log_says_so(run_harn, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("log.jsonl").write_bytes(b'{"type":"a"}\n{"type":"b"}\n{"ty')
    ran = run_harn(
        'import {agent_read_event_log} from "std/agent/events"\n'
        'const log = agent_read_event_log("log.jsonl")\n'
        'println("${len(log.events)} ${log.complete} ${log.lost_lines}")\n',
        name=str(tmp_path / "read.harn"),
    )
    assert ran.out == "2 false [3]\n"
    assert "line 3 was never finished and is left out" in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL does not exist on Windows")
def test_killed_at_any_moment_the_log_reads_back(tmp_path: Path, root: Path):
    program = tmp_path / "endless.harn"
    program.write_text(ENDLESS)
    moments = random.Random(7)
    environment = {**os.environ, "PYTHONPATH": str(root), "HARNPY_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "harnpy", "run", "--events", "log.jsonl", str(program)]
    for _ in range(50):
        for name in ("log.jsonl", "kept/llm_transcript.jsonl"):
            (tmp_path / name).unlink(missing_ok=True)
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
        try:
            _wait_for(tmp_path / "log.jsonl", process)
            # The moment is counted in what was written, not in time: the load of the machine changes nothing.
            _wait_for_size(tmp_path / "log.jsonl", moments.randrange(1, 60_000), process)
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        for name in ("log.jsonl", "kept/llm_transcript.jsonl"):
            content = (tmp_path / name).read_bytes()
            events, lost = read_log(content)
            lines = content.count(b"\n") + (not content.endswith(b"\n"))
            assert lost in ([], [lines])
            assert len(events) + len(lost) == lines


def _wait_for(path: Path, process: subprocess.Popen) -> None:
    while not path.exists() or not path.stat().st_size:
        assert process.poll() is None, process.stderr.read().decode()
        os.sched_yield()


def _wait_for_size(path: Path, size: int, process: subprocess.Popen) -> None:
    while path.stat().st_size < size:
        assert process.poll() is None, process.stderr.read().decode()


def test_the_transcript_of_a_session_is_on_disk_line_by_line(run_harn, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run_harn(
        'const caller = { call -> {ok: true, value: {text: "all-ok"}} }\n'
        'agent_loop(harness, "one", nil, {session_id: "s", llm_transcript_dir: "kept", llm_caller: caller})\n',
        name=str(tmp_path / "keep.harn"),
    )
    assert (ran.code, ran.err) == (0, "")
    lines = [json.loads(line) for line in Path("kept/llm_transcript.jsonl").read_text().splitlines()]
    assert [(line["kind"], line.get("message", {}).get("content")) for line in lines] == [
        ("message", "one"),
        ("message", "all-ok"),
        ("agent_loop_end", None),
    ]
