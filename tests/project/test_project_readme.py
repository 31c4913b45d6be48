"""The README keeps its promises: two commands, and programs that run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("program", fences(README, "harn"))
def test_its_programs_run(program: str, run_harn, tmp_path: Path) -> None:
    mock = tmp_path / "mock.jsonl"
    mock.write_text('{"error": {"status": 503}}\n{"text": "Hello."}\n')
    ended = run_harn(program, llm_mock=str(mock), virtual_time=0)
    assert (ended.code, ended.out, ended.err) == (0, "Hello.\n", "")


def test_its_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_no_page_names_a_path_of_a_machine() -> None:
    for page in ROOT.rglob("*.md"):
        if not {".venv", ".hypothesis", ".pytest_cache"} & set(page.relative_to(ROOT).parts):
            assert not re.search(r"/(home|root|Users)/", page.read_text(encoding="utf-8")), page
