"""The pages of ``docs/reference`` are those that the sources make, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reference.markdown import anchor
from reference.pages import pages

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference"
MADE = pages()


def test_the_pages_are_up_to_date() -> None:
    """``python -m reference docs/reference`` makes them again."""
    there = {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.md")}
    stale = [name for name in {*there, *MADE} if there.get(name) != MADE.get(name)]
    assert stale == [], "python -m reference docs/reference"


@pytest.mark.parametrize("name", MADE)
def test_links_lead_to_pages_and_headings(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", MADE[name]):
        file, _, fragment = target.partition("#")
        path = (FOLDER / name).parent / file if file else FOLDER / name
        assert path.exists(), target
        if fragment:
            found = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert fragment in {anchor(each) for each in found}, target
