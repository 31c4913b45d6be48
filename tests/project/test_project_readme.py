"""The README keeps its promises: two commands, and links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUICK_START = README.split("## Quick start")[1].split("\n## ")[0]


def fences(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_quick_start_has_two_commands() -> None:
    commands = fences(QUICK_START, "sh")
    assert [command.count("\n") for command in commands] == [1, 1]
    assert QUICK_START.count("```") == 4
    assert "harnpy run examples/retry_and_fallback.harn" in commands[0]
    assert commands[1].strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_its_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_no_page_names_a_path_of_a_machine() -> None:
    for page in ROOT.rglob("*.md"):
        if not {".venv", ".hypothesis", ".pytest_cache"} & set(page.relative_to(ROOT).parts):
            assert not re.search(r"/(home|root|Users)/", page.read_text(encoding="utf-8")), page


def test_every_page_of_the_documentation_is_listed() -> None:
    listed = set(re.findall(r"\]\(([^)#:]+)\)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    listed |= {
        f"stdlib/llm/{name}"
        for name in re.findall(r"\]\((\w+\.md)\)", (ROOT / "docs/stdlib/llm/README.md").read_text())
    }
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if not page.startswith("reference/")} - listed == {"README.md"}
