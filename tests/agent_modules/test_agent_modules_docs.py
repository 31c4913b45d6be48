"""The page of each agent module calls every public function of it in some example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["lanes", "overlays", "preflight", "presets", "stance", "tool_annotations"]


@pytest.mark.parametrize("name", PAGES)
def test_every_public_function_has_an_example(name: str) -> None:
    module = (ROOT / "stdlib" / "agent" / f"{name}.harn").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "agent" / f"{name}.md").read_text(encoding="utf-8")
    examples = "".join(re.findall(r"^```harn\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    functions = re.findall(r"^pub fn ([a-z]\w+)", module, re.MULTILINE)
    for imported in re.findall(r"^pub import \{([^}]*)\}", module, re.MULTILINE):
        functions += [part.strip() for part in imported.split(",") if part.strip()]
    assert functions
    assert [function for function in functions if f"{function}(" not in examples] == []
