"""One line of the table: what was measured, and what it should be."""

from __future__ import annotations

import gc
import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Row(NamedTuple):
    """A figure, a ratio unless ``unit`` says otherwise; the smaller the better, or the larger when ``more``."""

    name: str
    value: float
    goal: float | None = None
    gate: float | None = None
    detail: str = ""
    unit: str = ""
    more: bool = False

    def verdict(self) -> str:
        """Tell which limit holds: ``goal``, ``gate``, ``FAILED`` or nothing when there is none."""
        if self.gate is None:
            return ""
        for word, limit in (("goal", self.goal), ("gate", self.gate)):
            if limit is not None and (self.value >= limit if self.more else self.value <= limit):
                return word
        return "FAILED"

    def cells(self) -> tuple[str, ...]:
        """Give the texts of the columns."""
        shown = [f"{limit:g}{self.unit}" if limit is not None else "" for limit in (self.goal, self.gate)]
        return (self.name, f"{self.value:.2f}{self.unit}", *shown, self.verdict(), self.detail)


def cpu(work: Callable[[], object]) -> float:
    """Give the seconds of CPU time of this thread that ``work`` takes; other load changes them least.

    The garbage of earlier work is collected before, or its collection would fall into the time of this one.
    """
    gc.collect()
    started = time.thread_time()
    work()
    return time.thread_time() - started


def interleaved(rounds: int, *works: Callable[[], object]) -> list[float]:
    """Give the median CPU seconds of each of ``works``, measured in turn, round by round."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, found in zip(works, times, strict=True):
            found.append(cpu(work))
    return [median(found) for found in times]
