"""How long after its deadline, its time limit or an interrupt a busy loop still runs."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.harn import inside_a_run, load_text
from benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("busy loop after its deadline",)
DEADLINE_MS = 30
PROGRAM = """
fn bench(ms) {
  let turns = 0
  try {
    deadline ms {
      while true { turns = turns + 1 }
    }
  } catch (e) {
    return e
  }
}
"""


def rows(_names: set[str], rounds: int) -> Iterator[Row]:
    """Measure in real time; the thread that watches deadlines runs beside the loop."""
    late = inside_a_run(lambda context: _measure(context, rounds))
    yield Row(NAMES[0], median(late), 1, 20, f"worst {max(late):.2f} ms", " ms")


def _measure(context: Any, rounds: int) -> list[float]:
    bench = load_text(context, "stopping.harn", PROGRAM)
    late = []
    for _ in range(2 * rounds + 1):
        started = time.perf_counter()
        error = bench(DEADLINE_MS)
        late.append((time.perf_counter() - started) * 1000 - DEADLINE_MS)
        assert error == "Deadline exceeded", error
    return late[1:]
