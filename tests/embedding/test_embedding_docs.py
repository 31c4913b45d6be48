"""Every ``python`` block of the documentation runs and prints what the page says."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

pytest_plugins = ["harnpy.testing"]

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [
    pytest.param(match[1], match[2], id=f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}")
    for page in PAGES
    for text in [page.read_text(encoding="utf-8")]
    for match in BLOCK.finditer(text)
]


@pytest.mark.parametrize(("code", "printed"), BLOCKS)
def test_python_block(code: str, printed: str | None, capsys, tmp_path, monkeypatch, request) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    exec(compile(code, "<docs>", "exec"), names)
    for name, value in names.items():
        if name.startswith("test_"):  # a test that the page shows, with its fixtures
            value(**{each: request.getfixturevalue(each) for each in inspect.signature(value).parameters})
    assert printed is None or capsys.readouterr().out == printed
