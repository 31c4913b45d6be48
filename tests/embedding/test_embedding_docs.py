"""Every ``python`` block of the documentation runs and prints what the page says."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from pages import ALL, ROOT, write_files

pytest_plugins = ["harnpy.testing"]

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
BLOCKS = [
    pytest.param(page, match[1], match[2], id=f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}")
    for page in ALL
    for text in [page.read_text(encoding="utf-8")]
    for match in BLOCK.finditer(text)
]


@pytest.mark.parametrize(("page", "code", "printed"), BLOCKS)
def test_python_block(page: Path, code: str, printed: str | None, capsys, tmp_path, monkeypatch, request) -> None:
    write_files(page, tmp_path)  # a block may use a file that the page names
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    exec(compile(code, "<docs>", "exec"), names)
    for name, value in names.items():
        if name.startswith("test_"):  # a test that the page shows, with its fixtures
            value(**{each: request.getfixturevalue(each) for each in inspect.signature(value).parameters})
    assert printed is None or capsys.readouterr().out == printed
