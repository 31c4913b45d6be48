"""Ctrl-C and small stacks, seen from outside the process."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys

import pytest

WAITING = """
fn main(harness: Harness) {
  defer { println("main clean-up") }
  try {
    parallel 2 { i ->
      defer { println("branch ${i} clean-up") }
      try {
        if i == 1 { println("ready") }
        sleep(600000)
      } catch (e) { println("caught") }
    }
  } catch (e) { println("caught") } finally { println("finally") }
}
"""

BUSY = """
fn main(harness: Harness) {
  defer { println("main clean-up") }
  println("ready")
  try { while true { } } catch (e) { println("caught") } finally { println("finally") }
}
"""

DEEP = """
fn down(n) { return 1 + down(n + 1) }
fn through_map(n) { return [n].map({ x -> through_map(x + 1) }) }
fn through_parallel(n) { return parallel each [n] { x -> through_parallel(x + 1) } }
for f in [down, through_map, through_parallel] { println(unwrap_err(try { f(0) })) }
"""


def start(code, *options, **settings):
    command = [sys.executable, "-m", "harnpy", "run", *options, "-e", code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)


@pytest.mark.parametrize(
    ("code", "left"),
    [
        (WAITING, ["branch 0 clean-up", "branch 1 clean-up", "finally", "main clean-up"]),
        (BUSY, ["finally", "main clean-up"]),
    ],
)
def test_ctrl_c_runs_the_clean_up_and_is_never_caught(code, left):
    process = start(code)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    lines = out.splitlines()
    assert sorted(lines[:-2]) + lines[-2:] == left
    assert "Traceback" not in err


@pytest.mark.parametrize("stack", [8 << 20, 1 << 20])
@pytest.mark.parametrize("depth", ["1000", "10000"])
def test_deep_recursion_never_kills_the_process(stack, depth):
    def shrink():
        resource.setrlimit(resource.RLIMIT_STACK, (stack, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    process = start(DEEP, "--max-depth", depth, preexec_fn=shrink, env=dict(os.environ))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.splitlines() == ["Stack overflow: too many nested calls"] * 3
