"""The tables of the README are true: rows of what works name their tests, figures of speed were measured."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
sys.path.append(str(ROOT))

from benchmarks.row import Row

pytestmark = pytest.mark.lint


def table_rows(text: str) -> list[list[str]]:
    """Give the cells of all tables in a text, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {number + shift for number, line in enumerate(lines) if set(line) <= set("|-: ") for shift in (-1, 0)}
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for number, line in enumerate(lines)
        if number not in heads
    ]


STATUS = table_rows(README.split("## What works")[1].split("\n## ")[0])


@pytest.mark.parametrize("row", STATUS, ids=lambda row: row[0][:40])
def test_a_row_of_what_works_names_tests_that_exist(row: list[str]) -> None:
    _, state, tests = row
    assert state
    targets = re.findall(r"\]\(([^)]+)\)", tests)
    assert targets
    for target in targets:
        assert (ROOT / target).is_file()
        assert target.startswith(("tests/", "conformance/"))
        if target.endswith(".harn"):
            kept = (ROOT / target).with_suffix(".expected")
            assert kept.is_file() or kept.with_suffix(".error").is_file(), "a program with an expectation is a test"
        else:
            assert re.search(r"^def test_", (ROOT / target).read_text(encoding="utf-8"), re.MULTILINE)


SPEED = table_rows((ROOT / "docs" / "speed.md").read_text(encoding="utf-8"))


def test_the_rows_of_speed_are_those_of_the_benchmarks() -> None:
    words = [sys.executable, "-m", "benchmarks", "--list"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert sorted(row[0] for row in SPEED) == sorted(listed)


@pytest.mark.parametrize("row", SPEED, ids=lambda row: row[0])
def test_a_row_of_speed_holds_what_it_says(row: list[str]) -> None:
    name, measured, goal, gate, holds, _ = row
    value, *limits = (float(cell.split()[0]) if cell else None for cell in (measured, goal, gate))
    assert value is not None
    # Shown with two digits: a figure on the line may be a hair above it.
    verdicts = {Row(name, value + hair, *limits, more=name.startswith("parsing /")).verdict() for hair in (0, 0.005)}
    assert holds in verdicts


def test_the_short_table_is_a_part_of_the_long_one() -> None:
    short = table_rows(README.split("## Speed")[1].split("\n## ")[0])
    assert len(short) == 8
    figures = {row[0]: row[1:3] for row in SPEED}
    assert [row[1:3] for row in short] == [figures[row[0]] for row in short]
