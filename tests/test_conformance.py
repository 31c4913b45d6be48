"""Every conformance program and every example, one test each; a few of them also through a real process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harnpy.cli.cases import Case, Outcome, failure, find_cases, run_case

ROOT = Path(__file__).resolve().parent.parent
HERE = os.path.relpath(ROOT)
CASES = [*find_cases(os.path.join(HERE, "conformance")), *find_cases(os.path.join(HERE, "examples"))]
# Each so many-th program also runs in a process of its own.
SAMPLE = CASES[:: max(1, len(CASES) // 12)]


def name(case: Case) -> str:
    return os.path.relpath(case.stem, HERE)


def test_there_are_programs_of_every_topic() -> None:
    assert len(CASES) >= 120


@pytest.mark.parametrize("case", CASES, ids=name)
def test_program(case: Case) -> None:
    report = failure(case, run_case(case))
    assert not report, report


@pytest.mark.parametrize("case", SAMPLE, ids=name)
def test_program_in_a_process(case: Case, tmp_path: Path) -> None:
    kept = {key: os.environ[key] for key in ("PATH", "HARNPY_CACHE_DIR", "SYSTEMROOT") if key in os.environ}
    ended = subprocess.run(
        [sys.executable, "-m", "harnpy", "run", case.path, *case.words()],
        env={**kept, **case.environment()},
        input=b"",
        capture_output=True,
        timeout=60,
        check=False,
    )
    report = failure(case, Outcome(ended.returncode, ended.stdout.decode(), ended.stderr.decode()))
    assert not report, report


def test_results_are_the_same_when_every_assignment_copies(tmp_path: Path) -> None:
    """The fallback of copy on write (``runtime/ownership.py``), for the whole suite at once."""
    env = {**os.environ, "HARNPY_COPY_ALWAYS": "1", "HARNPY_CACHE_DIR": str(tmp_path)}
    words = [sys.executable, "-m", "harnpy", "conformance", os.path.join(HERE, "conformance")]
    ended = subprocess.run(words, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:]
