"""A type checker of a host sees the public API as typed, and finds wrong use of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.lint
def test_mypy_finds_exactly_the_wrong_lines(tmp_path: Path) -> None:
    source = Path(__file__).with_name("embedding_use.py")
    lines = source.read_text(encoding="utf-8").splitlines()
    wanted = [number for number, line in enumerate(lines, 1) if line.endswith("# error")]
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", f"--cache-dir={tmp_path}", str(source)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    found = {int(line.split(":")[1]) for line in ended.stdout.splitlines() if ": error:" in line}
    assert sorted(found) == wanted, ended.stdout


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "harnpy" / "py.typed").exists()
