"""S12: runaway recursion ends in the Harn error whatever the size of the process's own stack."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """
fn down(n) { return 1 + down(n + 1) }
fn count(n, acc) {
  if n <= 0 { return acc }
  return count(n - 1, acc + 1)
}
fn even(n) { return n == 0 ? true : odd(n - 1) && true }
fn odd(n) { return n == 0 ? false : even(n - 1) && true }
fn text(n) { return "x${text(n + 1)}" }
fn main(harness: Harness) {
  const r = try { down(0) }
  harness.stdio.println(to_string(is_err(r)))
  const p = parallel settle [1, 2, 3] { i -> down(i) }
  harness.stdio.println("${p.failed} ${count(10000, 0)}")
  harness.stdio.println([is_err(try { even(100000) }), is_err(try { text(0) })])
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("kib", [8192, 1024])
def test_recursion_never_kills_the_process(kib: int, tmp_path: Path) -> None:
    program = tmp_path / "recursion.harn"
    program.write_text(PROGRAM)
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]

    def shrink() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (kib * 1024, hard))

    for _ in range(10):
        ran = subprocess.run(
            [sys.executable, "-m", "harnpy", "run", str(program)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            preexec_fn=shrink,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.returncode, ran.stdout) == (0, "true\n3 10000\n[true, true]\n"), ran.stderr
