"""The page of differences says the same as the code: its names, its numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from harnpy.builtins import reserved
from harnpy.cli.builtins import builtins

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "differences.md").read_text(encoding="utf-8")
NOT_BUILT = PAGE.split("## Not built")[1].split("\n## ")[0]
FUNCTIONS, METHODS = NOT_BUILT.split("Methods of the harness, ")[0], NOT_BUILT.split("Methods of the harness, ")[1]


def named(table: str) -> set[str]:
    """Names of the first table in a text, with the member of the first column where that is code."""
    found = set()
    for line in re.findall(r"^\|.*\|$", table.split("\n\nModules")[0], re.MULTILINE)[2:]:
        first, second = (cell.strip() for cell in line.strip("|").split("|"))
        member = first.strip("`") + "." if first.startswith("`") else ""
        found |= {member + name for name in re.findall(r"`([^`]+)`", second)}
    return found


@pytest.mark.parametrize(("kind", "text"), [("function", FUNCTIONS), ("harness", METHODS)])
def test_what_is_missing_is_named(kind: str, text: str) -> None:
    rows = json.loads(CliRunner().invoke(builtins, ["--json"]).stdout)["data"]
    known = [row for row in rows if row["kind"] == kind]
    missing = {row["name"] for row in known if not row["implemented"]}
    assert named(text) == missing
    assert f"{len(missing)} of {len(known)}:" in text


def test_families_that_are_missing_are_named() -> None:
    text = FUNCTIONS.split("Families")[1]
    assert re.findall(r"`(\w+)`", text) == list(reserved._PREFIXES)
