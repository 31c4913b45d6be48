"""The shape of the source: sizes of files and functions, docstrings, names (design, section 2)."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from statistics import median

import pytest

pytestmark = pytest.mark.lint

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sorted((ROOT / "harnpy").rglob("*.py"))
HARN = sorted((ROOT / "stdlib").rglob("*.harn"))
FORBIDDEN = {"utils", "util", "helpers", "helper", "manager", "misc", "common"}


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions() -> list[tuple[str, int]]:
    found = []
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                found.append((f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", length))
    return found


def harn_functions() -> list[tuple[str, int]]:
    """Top-level functions of the standard library: from their head to the closing brace at the line start."""
    found = []
    for path in HARN:
        start = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"(pub )?(gen )?fn \w+", line):
                start = number
            if start and line.startswith("}"):
                found.append((f"{path.relative_to(ROOT)}:{start}", number - start + 1))
                start = None
    return found


def test_files_are_short() -> None:
    sizes = {str(path.relative_to(ROOT)): lines_of(path) for path in PYTHON + HARN}
    assert {name: size for name, size in sizes.items() if size > 500} == {}
    assert median(sizes.values()) <= 180


def test_functions_are_short() -> None:
    found = functions() + harn_functions()
    sizes = [length for _, length in found]
    assert [entry for entry in found if entry[1] > 80] == []
    assert median(sizes) <= 10
    long = [entry for entry in found if entry[1] > 40]
    assert len(long) <= len(found) * 0.05, long


@pytest.mark.parametrize("path", PYTHON + HARN, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_vague_names(path: Path) -> None:
    assert path.stem not in FORBIDDEN
    assert not FORBIDDEN & set(path.relative_to(ROOT).parts[:-1])


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    text = ast.get_docstring(tree)
    assert text, "the module says in one sentence what its job is"
    first = text.split("\n\n")[0]
    assert first.rstrip().endswith((".", ":")), first
    assert missing_docstrings(tree) == []


def missing_docstrings(tree: ast.Module) -> list[str]:
    """Public classes, functions and methods without a docstring."""
    missing = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            inner = node.body if isinstance(node, ast.ClassDef) else []
            public = [
                item
                for item in inner
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and not item.name.startswith("_")
            ]
            missing += [item.name for item in (node, *public) if not ast.get_docstring(item)]
    return missing


@pytest.mark.parametrize("path", HARN, ids=lambda path: str(path.relative_to(ROOT)))
def test_harn_modules_say_their_job(path: Path) -> None:
    first = path.read_text(encoding="utf-8").lstrip().splitlines()[0]
    assert re.match(r"//+ \S|/\*\* \S", first), first


def test_no_unfinished_marks() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
    found = [str(path) for path in PYTHON + HARN if marks.search(path.read_text(encoding="utf-8"))]
    assert found == []
