"""What the agent tests share: the loopback servers of the LLM tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "llm"))


@pytest.fixture
def values(run_harn):
    """Give ``values(program, **options) -> list``: what a program printed, one JSON value a line."""

    def run(program: str, **options: object) -> list:
        ran = run_harn(program, **options)
        assert (ran.code, ran.err) == (0, ""), ran.err
        return [json.loads(line) for line in ran.out.splitlines()]

    return run
