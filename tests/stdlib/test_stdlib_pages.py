"""Every public function of the support modules has an example in its page, and a doc comment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = {
    "async": "async",
    "cache": "cache",
    "collections": "collections",
    "host": "host",
    "json": "json",
    "math": "math",
    "path": "path",
    "runtime": "host",
    "schema": "schema",
    "testing": "testing",
    "text": "text",
    "timing": "timing",
}
# Functions that only refuse.
NOT_BUILT = "std/testing/steps"

FUNCTION = re.compile(r"^((?:///.*\n)*)pub (?:gen )?fn (\w+)", re.MULTILINE)
IMPORT = re.compile(r'^pub import \{([^}]*)\} from "std/([\w/]+)"', re.MULTILINE)
BLOCK = re.compile(r"^```harn\n(.*?)^```", re.MULTILINE | re.DOTALL)


def exports(root: Path, module: str) -> set[str]:
    """Give the public names of a module; private ones begin with two underscores."""
    text = (root / "stdlib" / f"{module}.harn").read_text()
    names = {name for _, name in FUNCTION.findall(text)}
    for listed, source in IMPORT.findall(text):
        if f"std/{source}" != NOT_BUILT:
            names.update(name.strip() for name in listed.split(",") if name.strip())
    return {name for name in names if not name.startswith("__")}


@pytest.mark.parametrize("module", sorted(PAGES))
def test_every_public_function_has_an_example(module: str, root: Path) -> None:
    page = (root / "docs" / "stdlib" / f"{PAGES[module]}.md").read_text()
    examples = "\n".join(BLOCK.findall(page))
    called = set(re.findall(r"(\w+)\(", examples))
    assert exports(root, module) - called == set()


@pytest.mark.parametrize("module", sorted(PAGES))
def test_every_public_function_has_a_doc_comment(module: str, root: Path) -> None:
    folder = root / "stdlib" / module
    for path in [root / "stdlib" / f"{module}.harn", *(folder.glob("*.harn") if folder.is_dir() else [])]:
        text = path.read_text()
        assert text.startswith("/// ")
        assert [name for comment, name in FUNCTION.findall(text) if not comment] == []
