"""The table of builtins against the names that the specification lists."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from harnpy.builtins import registry
from harnpy.builtins.agent_table import AGENT_FUNCTIONS
from harnpy.builtins.effect_table import EFFECTS
from harnpy.builtins.table import FUNCTIONS, METHODS
from harnpy.errors import HarnError
from harnpy.runtime.calls import call
from harnpy.runtime.context import Context

# Sections of the reference whose functions belong to later parts of the language.
ELSEWHERE = {"stream", "event_log"}


def documented(text: str) -> list[str]:
    """Names of the functions that the tables of sections 1.1 to 1.18 give in their first column."""
    body = text[text.index("### 1.1 ") : text.index("### 1.19 ")]
    names = []
    for line in body.splitlines():
        cell = line.split("|")[1] if line.startswith("| `") else ""
        for code in re.findall(r"`([^`]*)`", cell):
            head = re.match(r"([a-z][a-z0-9_]*)\(", code)
            if head:
                names.append(head[1])
    return names


def test_every_documented_function_exists(shared: Path) -> None:
    names = documented((shared / "spec" / "builtins.md").read_text(encoding="utf-8"))
    assert len(names) > 150
    missing = sorted({name for name in names if not registry.is_function(name)})
    assert missing == []


def test_every_method_of_the_reference_exists(shared: Path) -> None:
    text = (shared / "spec" / "builtins.md").read_text(encoding="utf-8")
    sections = {"string": "### 2.1 ", "list": "### 2.2 ", "dict": "### 2.3 ", "set": "### 2.4 ", "range": "### 2.5 "}
    starts = sorted((text.index(title), kind) for kind, title in sections.items())
    starts.append((text.index("### 2.6 "), ""))
    missing = []
    for (start, kind), (end, _) in pairwise(starts):
        section = text[start:end]
        cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")] or [section]
        codes = [code for cell in cells for code in re.findall(r"`([^`]*)`", cell)]
        # A cell may list several names in one code span; calls that are only examples contain a dot.
        calls = [code for code in codes if "." not in code]
        names = {name for code in calls for name in re.findall(r"(?<![.\w])([a-z_]+\??)(?=\(|/)", code)}
        missing += [f"{kind}.{name}" for name in sorted(names) if name not in METHODS[kind]]
    assert [name for name in missing if name.partition(".")[2] not in ("to_string", "len")] == []


@pytest.mark.parametrize("table", [EFFECTS, AGENT_FUNCTIONS, *[METHODS[kind] for kind in METHODS if kind != "range"]])
def test_tables_are_sorted(table: dict[str, str]) -> None:
    assert list(table) == sorted(table)


def test_the_table_is_sorted() -> None:
    own = [name for name in FUNCTIONS if name not in EFFECTS and name not in AGENT_FUNCTIONS]
    assert own == sorted(own)


def test_every_row_loads() -> None:
    for name in FUNCTIONS:
        assert registry.function(name) is not None
    for kind, methods in METHODS.items():
        for name in methods:
            assert registry.method(kind, name) is not None


def test_unknown_names_are_unknown() -> None:
    assert registry.function("no_such_builtin") is None
    assert not registry.is_function("no_such_builtin")
    assert registry.method("list", "no_such_method") is None


def test_a_name_that_is_not_built_says_so() -> None:
    found = registry.function("yaml_parse")
    assert found is not None
    with pytest.raises(HarnError) as caught:
        call(Context(), found, ["a: 1"])
    assert caught.value.value == "Runtime error: yaml_parse: not implemented in this version"
