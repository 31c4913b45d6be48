"""The pages of ``docs/reference`` are those that the sources make, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reference.__main__ import main
from reference.markdown import NOTE, anchor
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


def test_the_command_wants_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ([], ["--help"], ["a", "b"]):
        monkeypatch.setattr("sys.argv", ["reference", *words])
        with pytest.raises(SystemExit, match="usage"):
            main()
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_the_pages_and_removes_old_ones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text(f"{NOTE}\n")
    (tmp_path / "own.md").write_text("# Mine\n")
    monkeypatch.setattr("sys.argv", ["reference", str(tmp_path)])
    main()
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")} == {*MADE, "own.md"}
