"""The pages that tell a reader what to type are followed word by word, in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import ALL, ROOT, fences, write_files

README = ROOT / "README.md"
# Its two commands install harnpy and run all tests: CI follows them itself (test_project_readme.py).
INSTALL = {
    fence.line for fence in fences(README) if fence.info == "sh" and ("install" in fence.text or ".ci/" in fence.text)
}
TIME = re.compile(r"\d+(\.\d+)?(?= (ms|s)\b)")


def commands(page: Path) -> list[tuple[str, str | None]]:
    """Shell blocks of a page in their order, with the output that stands below each."""
    found = fences(page)
    typed = []
    for number, fence in enumerate(found):
        if fence.info == "sh" and not (page == README and fence.line in INSTALL):
            below = found[number + 1] if number + 1 < len(found) else fence
            typed.append((fence.text, below.text if below.info == "text" else None))
    return typed


PAGES = [page for page in ALL if commands(page)]


@pytest.fixture
def reader(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who has harnpy, python and pytest on the path, and no key."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, words in {"harnpy": "-m harnpy", "python": "", "pytest": "-m pytest -p harnpy.testing"}.items():
        path = programs / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        path.chmod(0o755)
    return {
        "PATH": f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(tmp_path),
        "HARNPY_CACHE_DIR": os.environ["HARNPY_CACHE_DIR"],
    }


def test_there_are_pages_to_follow() -> None:
    assert README in PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_followed(page: Path, tmp_path: Path, reader: dict[str, str]) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    write_files(page, folder)
    for command, printed in commands(page):
        ended = subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=reader,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        if printed is None:
            assert ended.returncode == 0, f"{command}{ended.stdout}"
        else:
            assert TIME.sub("N", ended.stdout) == TIME.sub("N", printed), command
