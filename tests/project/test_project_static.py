"""The code itself: ruff, mypy and the import contract."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.lint


def check(*words: str) -> None:
    ended = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_ruff() -> None:
    check("-m", "ruff", "check", "--quiet", ".")


def test_mypy() -> None:
    check("-m", "mypy")


def test_import_contract() -> None:
    check(
        "-c",
        "import sys; sys.path.insert(0, ''); from importlinter.cli import lint_imports_command; lint_imports_command()",
    )
