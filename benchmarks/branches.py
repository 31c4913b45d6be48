"""Ten thousand branches that each wait 50 ms: wall time beside bare asyncio tasks, in virtual time, peak memory.

Each figure comes from processes of their own, since one run's garbage would be the next one's burden:

    python -m benchmarks.branches (bare | real | virtual)
"""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BRANCHES = 10_000
REAL, VIRTUAL, MEMORY = (
    "10,000 branches of 50 ms",
    "10,000 branches, virtual time / real",
    "10,000 branches, peak memory",
)
NAMES = (REAL, VIRTUAL, MEMORY)
_MOST_ROUNDS = 7


def rows(names: set[str], rounds: int) -> Iterator[Row]:
    """Measure the named rows; all come from the same runs."""
    found: dict[str, list[tuple[float, float]]] = {"bare": [], "real": [], "virtual": []}
    for _ in range(min(rounds, _MOST_ROUNDS)):
        for mode, figures in found.items():
            figures.append(_in_process(mode))
    seconds = {mode: median([each[0] for each in figures]) for mode, figures in found.items()}
    bare, real, virtual = seconds["bare"], seconds["real"], seconds["virtual"]
    if REAL in names:
        yield Row(REAL, real / bare, 2.5, 6, f"{real * 1000:.0f} ms against {bare * 1000:.0f}")
    if VIRTUAL in names:
        yield Row(VIRTUAL, virtual / real, 0.8, 1, f"{virtual * 1000:.0f} ms against {real * 1000:.0f}")
    if MEMORY in names:
        yield Row(MEMORY, max([memory for _, memory in found["real"]]), 200, 200, "", " MiB")


def _in_process(mode: str) -> tuple[float, float]:
    """Give the seconds and the peak memory in MiB of one run."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    words = [sys.executable, "-m", "benchmarks.branches", mode]
    ended = subprocess.run(words, cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    seconds, memory = ended.stdout.split()
    return float(seconds), float(memory)


def main() -> None:
    """Run once as the command line says and print the figures."""
    mode = sys.argv[1]
    if mode == "bare":
        from benchmarks.programs import branches

        seconds = _timed(branches.bench)
    else:
        from benchmarks.harn import inside_a_run, load
        from harnpy.__main__ import COLLECT_AFTER

        gc.set_threshold(COLLECT_AFTER, 10, 10)  # as ``harnpy run`` does

        def work(context: Any) -> float:
            bench = load(context, "branches")
            bench(10)
            if mode == "virtual":
                context.clock.mock(0)
            return _timed(bench)

        seconds = inside_a_run(work)
    print(seconds, _peak_memory())


def _peak_memory() -> float:
    """Give the peak resident memory of this process in MiB."""
    if os.path.exists("/proc/self/status"):  # Linux counts what the parent had before in ru_maxrss
        with open("/proc/self/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 1024
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _timed(bench: Callable[[int], Any]) -> float:
    started = time.perf_counter()
    result = bench(BRANCHES)
    seconds = time.perf_counter() - started
    assert result == [BRANCHES, BRANCHES, 0, BRANCHES - 1, BRANCHES * (BRANCHES - 1) // 2], result
    return seconds


if __name__ == "__main__":
    main()
