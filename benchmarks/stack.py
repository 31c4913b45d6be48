"""A stack of the std middleware (logging, retry, budget, cache off, breaker) around an echo, beside one in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.harn import inside_a_run, load
from benchmarks.row import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("middleware of std/llm",)
CALLS = 2000


def rows(names: set[str], rounds: int) -> Iterator[Row]:
    """Measure the stack."""
    del names
    yield inside_a_run(lambda context: _measure(context, rounds))


def _measure(context: Any, rounds: int) -> Row:
    from benchmarks.programs import llm_stack

    harn = load(context, "llm_stack")
    for _ in range(10):
        expected = llm_stack.bench(CALLS)
    got = harn(CALLS)
    assert got == expected, f"Harn gives {got}, Python {expected}"
    base, own = interleaved(rounds, lambda: llm_stack.bench(CALLS), lambda: harn(CALLS))
    detail = f"{own / CALLS * 1e6:.1f} us a call against {base / CALLS * 1e6:.1f}"
    return Row(NAMES[0], own / base, 6, 9, detail)
