"""A thousand model calls in flight at once over loopback: all succeed, in little memory, and leave nothing open."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
fn main(harness: Harness) {
  const began = monotonic_ms()
  const texts = parallel each range(1000) { i ->
    harness.llm.call("question ${i}", nil, {provider: "local", model: "m"}).text
  }
  let right = 0
  for entry in texts.enumerate() { if entry.value == "answer to question ${entry.index}" { right = right + 1 } }
  println(json_stringify({right: right, ms: monotonic_ms() - began}))
}
"""

# Runs harnpy in a child of its own, and tells what memory that took at most.
MEASURED = """
import resource, subprocess, sys
ended = subprocess.run([sys.executable, "-m", "harnpy", *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(ended.returncode)
"""


@pytest.fixture
def slow_server(root):
    """Give the URL of a server in a process of its own that takes 50 ms for each answer."""
    words = [sys.executable, "-m", "benchmarks.programs.model_server"]
    with subprocess.Popen(words, cwd=root, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        server.terminate()


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux only")
def test_a_thousand_calls_in_flight(slow_server, root, tmp_path):
    program = tmp_path / "many.harn"
    program.write_text(PROGRAM)
    env = {**os.environ, "LOCAL_LLM_BASE_URL": slow_server, "PYTHONPATH": str(root)}
    words = [sys.executable, "-c", MEASURED, "run", str(program)]
    ended = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["right"] == 1000
    assert int(ended.stderr.split()[-1]) < 250 * 1024
