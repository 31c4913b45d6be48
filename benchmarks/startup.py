"""Start-up: ``harnpy run`` of a one-line script beside ``python -c pass``, interleaved, medians.

    python benchmarks/startup.py [rounds]

Both run the same interpreter binary. The script has run once before, so its cache is warm. Ratio to
``pass``: goal 5, gate 8; ``--version`` and ``--help``: goal 4, gate 6.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from statistics import median

COMMANDS = {
    "pass": ["-c", "pass"],
    "run": ["-m", "harnpy", "run", "hello.harn"],
    "run without a warm cache": ["-m", "harnpy", "run", "hello.harn"],
    "--version": ["-m", "harnpy", "--version"],
    "--help": ["-m", "harnpy", "--help"],
}


def measure(rounds: int) -> dict[str, float]:
    """Give the median wall time of each command in ms."""
    # A virtual environment's interpreter reads pyvenv.cfg and site-packages: so does the baseline.
    python = sys.executable
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "hello.harn"), "w", encoding="utf-8") as file:
            file.write('harness.stdio.println("hello")\n')
        # An installed program has its bytecode files; so that the checkout stays clean, they lie apart.
        base = {**os.environ, "PYTHONPATH": root, "PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode")}
        base.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(rounds + 1):
            for name, words in COMMANDS.items():
                cache = "" if "without" in name else os.path.join(folder, "cache")
                env = {**base, "HARNPY_CACHE_DIR": cache}
                started = time.perf_counter()
                subprocess.run([python, *words], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
                if turn:  # the first turn writes caches
                    times[name].append((time.perf_counter() - started) * 1000)
    return {name: median(values) for name, values in times.items()}


def main() -> None:
    """Print a table of medians and ratios."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    results = measure(rounds)
    for name, value in results.items():
        print(f"{name:28}{value:8.1f} ms{value / results['pass']:8.2f}")


if __name__ == "__main__":
    main()
