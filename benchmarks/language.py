"""The ten programs of the language, as Harn and as hand-written Python, in one process."""

from __future__ import annotations

from importlib import import_module
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.harn import inside_a_run, load
from benchmarks.row import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Iterator

WARM_UP = 10


class Program(NamedTuple):
    """A program with the size of its work."""

    name: str
    size: int
    goal: float | None = None
    gate: float | None = None


PROGRAMS = (
    Program("fib", 24, 9.5, 14),
    Program("nested_for", 1000, 6, 9),
    Program("nested_while", 1000, 8.5, 13),
    Program("strings", 50_000, 2.5, 4),
    Program("updates", 20_000, 5.5, 9),
    Program("counter", 200_000, 7.5, 11),
    Program("sieve", 100_000, 10, 15),
    Program("nbody", 1000, 9.5, 14),
    Program("middleware", 5000, 5, 8),
    Program("method_chain", 100_000),
)
MEAN = "geometric mean"
MEAN_GOAL, MEAN_GATE = 6.6, 10.0

NAMES = (*(program.name for program in PROGRAMS), MEAN)


def rows(names: set[str], rounds: int) -> Iterator[Row]:
    """Measure the named programs, and the mean of those that have a goal."""
    ratios = []
    for program in PROGRAMS:
        if program.name in names or (MEAN in names and program.goal is not None):
            row = inside_a_run(lambda context, program=program: measure(context, program, rounds))
            if program.goal is not None:
                ratios.append(row.value)
            if program.name in names:
                yield row
    if MEAN in names:
        yield Row(MEAN, geometric_mean(ratios), MEAN_GOAL, MEAN_GATE)


def measure(context: Any, program: Program, rounds: int) -> Row:
    """Compare both sides of one program; they must give the same result."""
    harn = load(context, program.name)
    python = import_module(f"benchmarks.programs.{program.name}").bench
    size = program.size
    for _ in range(WARM_UP):
        expected = python(size)
    got = harn(size)
    same = got == expected or (isinstance(expected, float) and abs(got - expected) < 1e-9)
    assert same, f"{program.name}: Harn gives {got}, Python {expected}"
    base, own = interleaved(rounds, lambda: python(size), lambda: harn(size))
    return Row(program.name, own / base, program.goal, program.gate, f"Python {base * 1000:.1f} ms")
