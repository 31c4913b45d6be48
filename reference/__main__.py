"""Writes the pages into the folder that the command line names, and removes made ones that are no more."""

from __future__ import annotations

import sys
from pathlib import Path

from reference.markdown import NOTE
from reference.pages import pages


def main() -> None:
    """Write the pages."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m reference docs/reference")
    folder = Path(sys.argv[1])
    made = pages()
    for old in folder.rglob("*.md"):
        if old.relative_to(folder).as_posix() not in made and old.read_text(encoding="utf-8").startswith(NOTE):
            old.unlink()
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
