"""Start-up: whole processes beside ``python -c pass`` of the same interpreter, interleaved, medians of wall time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

HELLO = ["-m", "harnpy", "run", "hello.harn"]
WARM, FIRST = "run, warm cache", "run, first start ever"
COMMANDS = {
    "pass": ["-c", "pass"],
    WARM: HELLO,
    FIRST: HELLO,
    "--version": ["-m", "harnpy", "--version"],
    "--help": ["-m", "harnpy", "--help"],
}
LIMITS = {WARM: (5.0, 8.0), FIRST: (15.0, 25.0), "--version": (4.0, 6.0), "--help": (4.0, 6.0)}

NAMES = tuple(LIMITS)
ROUNDS = 20


def rows(names: set[str], _rounds: int) -> Iterator[Row]:
    """Measure the named commands."""
    times = measure([name for name in COMMANDS if name in names])
    base = times["pass"]
    for name in NAMES:
        if name in names:
            detail = f"{times[name]:.1f} ms against {base:.1f}"
            yield Row(name, times[name] / base, *LIMITS[name], detail)


def measure(commands: list[str]) -> dict[str, float]:
    """Give the median wall time of ``pass`` and of each command in ms."""
    times: dict[str, list[float]] = {name: [] for name in ("pass", *commands)}
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "hello.harn"), "w", encoding="utf-8") as file:
            file.write('harness.stdio.println("hello")\n')
        # An installed program has its bytecode files; so that the checkout stays clean, they lie apart.
        env = {**os.environ, "PYTHONPATH": root, "PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(ROUNDS + 1):
            for name, found in times.items():
                cache = os.path.join(folder, "first" if name == FIRST else "cache")
                shutil.rmtree(os.path.join(folder, "first"), ignore_errors=True)
                env["HARNPY_CACHE_DIR"] = cache
                started = time.perf_counter()
                subprocess.run(
                    [sys.executable, *COMMANDS[name]], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL
                )
                if turn:  # the first turn writes bytecode and caches
                    found.append((time.perf_counter() - started) * 1000)
    return {name: median(found) for name, found in times.items()}
