"""What `agent_loop` itself costs a turn, beside pydantic-ai's agent on its function model doing the same turns."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from benchmarks.harn import inside_a_run, load
from benchmarks.row import Row, cpu, interleaved

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("agent_loop, a turn", "agent_loop, 200 turns against 50")
TURNS = 20


def rows(names: set[str], rounds: int) -> Iterator[Row]:
    """Measure a loop of tool calls, and how a long session grows."""
    if NAMES[0] in names:
        yield inside_a_run(lambda context: _turn(context, rounds))
    if NAMES[1] in names:
        yield inside_a_run(lambda context: _growth(context, rounds))


def _turn(context: Any, rounds: int) -> Row:
    harn = load(context, "agent_turn")
    if find_spec("pydantic_ai") is None:
        own = _warm(lambda: harn(TURNS), rounds)
        return Row(NAMES[0], own / (TURNS + 1) * 1e3, unit=" ms", detail="pydantic-ai is not installed")
    from benchmarks.programs import agent_turn

    for _ in range(10):
        expected, got = agent_turn.bench(TURNS), harn(TURNS)
    assert got == expected, f"Harn gives {got}, Python {expected}"
    base, own = interleaved(rounds, lambda: agent_turn.bench(TURNS), lambda: harn(TURNS))
    detail = f"{own / (TURNS + 1) * 1e6:.0f} us a turn against {base / (TURNS + 1) * 1e6:.0f}"
    return Row(NAMES[0], own / base, 1, 2, detail)


def _warm(work: Any, rounds: int) -> float:
    for _ in range(3):
        work()
    return min(cpu(work) for _ in range(rounds))


def _growth(context: Any, rounds: int) -> Row:
    harn = load(context, "agent_turn")
    harn(TURNS)
    short, long = interleaved(rounds, lambda: harn(50), lambda: harn(200))
    detail = f"{short * 1e3:.1f} ms and {long * 1e3:.1f} ms"
    return Row(NAMES[1], long / short / (201 / 51), 1.3, 2, detail + "; 1 is linear growth")
