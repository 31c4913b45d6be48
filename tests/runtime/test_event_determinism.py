"""The same script, seed and replies give the same output and the same event log, concurrency included."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """
import {default_llm_caller} from "std/llm/caller"
import {with_retry, with_logging, with_fallback, compose} from "std/llm/handlers"
fn main(harness: Harness) {
  for i in range(12) {
    const down = {error: {status: 503, message: "down"}}
    harness.llm.mock_enqueue(i % 3 == 0 ? down : {text: "t${i}", delay_ms: 10 * (12 - i)})
  }
  const either = with_fallback([default_llm_caller(), default_llm_caller()])
  const ask = compose([with_logging({}), with_retry({max_attempts: 3})])(either)
  const rows = parallel each range(6) with {max_concurrent: 3} { i ->
    const turn = {iteration: i, session_id: "s", attempt: 1}
    const r = ask({prompt: "p${i}", system: nil, opts: {provider: "mock"}, turn: turn})
    r.ok ? r.value.text : r.status
  }
  harness.stdio.println(rows)
}
"""


def test_output_and_events_are_the_same_in_every_process(tmp_path: Path) -> None:
    program = tmp_path / "events.harn"
    program.write_text(PROGRAM)
    seen = set()
    for number in range(4):
        log = tmp_path / f"events{number}.jsonl"
        words = ["run", "--virtual-time", "0", "--seed", "7", "--events", str(log), str(program)]
        ran = subprocess.run(
            [sys.executable, "-m", "harnpy", *words],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(number)},
            capture_output=True,
            text=True,
            check=True,
        )
        events = log.read_text(encoding="utf-8")
        assert events.count('"type": "llm_call_log"') == 6
        seen.add((ran.stdout, events))
    assert len(seen) == 1
