"""Reads a page of the documentation as its reader does: files to write, commands to type, what they print."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ALL = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A line that ends with a name and a colon says in which file the fence below it stands.
_FENCE = re.compile(
    r"(?:`(?P<file>[\w./-]+\.\w+)`:\n\s*)?^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)


class Fence(NamedTuple):
    """One fenced block: the line where it stands, the words behind the fence, its text, and its file if it has one."""

    line: int
    info: str
    text: str
    file: str | None


def fences(page: Path) -> list[Fence]:
    """Give the blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Fence(text.count("\n", 0, found.start("info")) + 1, found["info"], found["text"], found["file"])
        for found in _FENCE.finditer(text)
    ]


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page names into a folder."""
    for fence in fences(page):
        if fence.file is not None:
            path = folder / fence.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fence.text, encoding="utf-8")
