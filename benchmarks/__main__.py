"""Speed of Harn programs beside the same programs in hand-written Python, in one process.

    python -m benchmarks [--rounds N] [PROGRAM ...]

The Python side is warmed ten times; then the rounds are interleaved and medians compared. Both sides
must give the same result. Exit code 1 when a gate does not hold.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module
from statistics import geometric_mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from harnpy.options import Options
from harnpy.runtime.calls import call
from harnpy.runtime.limits import run_in_thread
from harnpy.runtime.program import Loader
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams

if TYPE_CHECKING:
    from collections.abc import Callable

WARM_UP = 10
# Twice the work may cost at most this much more; quadratic growth would be 4.
LINEAR = 2.3


class Program(NamedTuple):
    """One row of the table of goals (design 11); ``linear`` also measures it at twice the size."""

    name: str
    size: int
    goal: float | None = None
    gate: float | None = None
    linear: bool = False


PROGRAMS = (
    Program("fib", 24, 9.5, 14),
    Program("nested_for", 1000, 6, 9),
    Program("nested_while", 1000, 8.5, 13),
    Program("strings", 50_000, 2.5, 4, linear=True),
    Program("updates", 20_000, 5.5, 9, linear=True),
    Program("counter", 200_000, 7.5, 11),
    Program("sieve", 100_000, 10, 15),
    Program("nbody", 1000, 9.5, 14),
    Program("middleware", 5000, 5, 8),
    Program("method_chain", 100_000),
)
MEAN_GOAL, MEAN_GATE = 6.6, 10.0


def load(context: Any, name: str) -> Callable[[int], Any]:
    """Give the function ``bench`` of a Harn program as a Python function."""
    path = os.path.join(os.path.dirname(__file__), "programs", name + ".harn")
    with open(path, encoding="utf-8") as file:
        instance = Loader(context).load_entry(Source(path, file.read()))
    cell = instance.lookup("bench")
    assert cell is not None, f"{name}.harn has no fn bench"
    return lambda size: call(context, cell[0], [size])


def timed(function: Callable[[int], Any], size: int) -> float:
    """Give the seconds of one call: CPU time, which other load on the machine changes least."""
    started = time.thread_time()
    function(size)
    return time.thread_time() - started


def measure(context: Any, program: Program, rounds: int) -> tuple[float, float, float | None]:
    """Give the Python time in ms, the ratio, and the growth of Harn's time at twice the size."""
    harn = load(context, program.name)
    python = import_module(f"benchmarks.programs.{program.name}").bench
    size = program.size
    for _ in range(WARM_UP):
        expected = python(size)
    got = harn(size)
    same = got == expected or (isinstance(expected, float) and abs(got - expected) < 1e-9)
    assert same, f"{program.name}: Harn gives {got}, Python {expected}"
    times: dict[str, list[float]] = {"python": [], "harn": [], "twice": []}
    for _ in range(rounds):
        times["python"].append(timed(python, size))
        times["harn"].append(timed(harn, size))
        if program.linear:
            times["twice"].append(timed(harn, 2 * size))
    base, own = median(times["python"]), median(times["harn"])
    return base * 1000, own / base, median(times["twice"]) / own if program.linear else None


def report(program: Program, python_ms: float, ratio: float, growth: float | None) -> bool:
    """Print one row; tell whether its gates hold."""
    held = (program.gate is None or ratio <= program.gate) and (growth is None or growth <= LINEAR)
    mark = "" if program.goal is None else "goal" if ratio <= program.goal else "gate" if held else "FAILED"
    limits = "" if program.goal is None else f"{program.goal:5} {program.gate:5}"
    grown = "" if growth is None else f"  twice the size: {growth:.2f} times the time (at most {LINEAR})"
    print(f"{program.name:14} {python_ms:9.2f} {ratio:8.2f}  {limits:11} {mark}{grown}", flush=True)
    return held


def run(context: Any, programs: list[Program], rounds: int) -> bool:
    """Measure and print all ``programs``; tell whether every gate holds."""
    print(f"{'program':14} {'Python ms':>9} {'ratio':>8}  {'goal':>5} {'gate':>5}")
    held = True
    ratios = []
    for program in programs:
        python_ms, ratio, growth = measure(context, program, rounds)
        held = report(program, python_ms, ratio, growth) and held
        if program.goal is not None:
            ratios.append(ratio)
    if len(ratios) > 1:
        mean = geometric_mean(ratios)
        print(f"{'geometric mean':24} {mean:8.2f}  {MEAN_GOAL:5} {MEAN_GATE:5}")
        held = held and mean <= MEAN_GATE
    return held


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("programs", nargs="*", help="names of programs; all when none is given")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    chosen = [program for program in PROGRAMS if not options.programs or program.name in options.programs]
    context = Session(Options(), memory_streams()[0]).context
    return 0 if run_in_thread(context, lambda: run(context, chosen, options.rounds)) else 1


if __name__ == "__main__":
    sys.exit(main())
