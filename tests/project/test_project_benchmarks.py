"""The table of the benchmarks: which limit a figure holds, and how it is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from benchmarks.__main__ import table
from benchmarks.row import Row, interleaved


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (Row("a", 5.0, 5, 8), "goal"),
        (Row("a", 5.01, 5, 8), "gate"),
        (Row("a", 8.0, 5, 8), "gate"),
        (Row("a", 8.01, 5, 8), "FAILED"),
        (Row("a", 20.0, 20, 8, more=True), "goal"),
        (Row("a", 8.0, 20, 8, more=True), "gate"),
        (Row("a", 7.9, 20, 8, more=True), "FAILED"),
        (Row("a", 1e9), ""),
    ],
)
def test_verdicts(row: Row, verdict: str) -> None:
    assert row.verdict() == verdict


def test_the_table_is_aligned_markdown() -> None:
    shown = table([Row("short", 1.0, 2, 3, "x"), Row("a longer name", 12.5, 10, 20, "", " ms")])
    lines = shown.split("\n")
    assert len({len(line) for line in lines}) == 1
    assert "| a longer name | 12.50 ms | 10 ms | 20 ms | gate  |" in shown


def test_rounds_are_interleaved() -> None:
    order: list[str] = []
    times = interleaved(3, lambda: order.append("a"), lambda: order.append("b"))
    assert order == ["a", "b"] * 3
    assert len(times) == 2


def test_the_command_lists_its_rows_and_refuses_unknown_ones() -> None:
    words = [sys.executable, "-m", "benchmarks"]
    listed = subprocess.run([*words, "--list"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"fib", "middleware of std/llm", "--help", "growth: imports"} <= set(listed.stdout.splitlines())
    refused = subprocess.run([*words, "--rows", "nonsense"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
