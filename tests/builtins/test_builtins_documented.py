"""The tables of the reference against `harnpy builtins --json`, and against the conformance programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from documented import Documented, functions, harness_methods

from harnpy.builtins import registry
from harnpy.builtins.method_table import METHODS
from harnpy.capabilities.harness import build_harness
from harnpy.cli.main import cli
from harnpy.errors import HarnError
from harnpy.runtime.calls import call
from harnpy.runtime.context import Context

HARNESS = build_harness()


@pytest.fixture(scope="module")
def reference(shared: Path) -> str:
    return (shared / "spec" / "builtins.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def listed() -> dict[str, bool]:
    ended = CliRunner().invoke(cli, ["builtins", "--json"])
    assert ended.exit_code == 0
    rows = json.loads(ended.output)["data"]
    assert all(row.keys() == {"name", "kind", "implemented"} for row in rows)
    return {row["name"]: row["implemented"] for row in rows}


@pytest.fixture(scope="module")
def programs(root: Path) -> str:
    files = [path for path in sorted((root / "conformance").rglob("*.harn")) if path.is_file()]
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)


def both(reference: str) -> list[Documented]:
    found = functions(reference, registry.is_function)
    assert len(found) > 350
    methods = harness_methods(reference)
    assert len(methods) > 120
    return found + [Documented("harness." + name, priority) for name, priority in methods]


def refuses(name: str) -> bool:
    """Whether calling the name says that this version does not have it."""
    if name.startswith("harness."):
        _, member, method = name.split(".")
        found = HARNESS.members[member].methods.get(method)
    else:
        found = registry.function(name)
    if found is None:
        return False
    try:
        call(Context(), found, [])
    except HarnError as error:
        return "not implemented in this version" in str(error.value)
    return False


def test_every_p0_and_p1_name_is_built(reference: str, listed: dict[str, bool]) -> None:
    missing = {name for name, priority in both(reference) if priority != "P2" and not listed.get(name)}
    assert missing == set()


def test_every_p2_name_is_built_or_says_that_it_is_not(reference: str, listed: dict[str, bool]) -> None:
    names = [name for name, priority in both(reference) if priority == "P2" and not listed.get(name)]
    assert [name for name in names if not refuses(name)] == []


def test_namespaces_of_the_reference_exist(reference: str) -> None:
    section = reference[reference.index("### 3.6 ") : reference.index("### 3.7 ")]
    missing = []
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 5 or not re.fullmatch(r"P[012]", cells[2]):
            continue
        members = [re.sub(r"\(.*?\)", "", part).strip() for part in re.sub(r"\(.*?\)", "", cells[1]).split(",")]
        groups = [re.sub(r"\(.*?\)", "", text).split() for text in re.findall(r"`([^`]*)`", cells[3])]
        for number, member in enumerate(members):
            own = groups[number : number + 1] if len(members) > 1 else groups
            for word in [word for group in own for word in group]:
                missing += [f"{member}.{name}" for name in expanded(word) if not has(member, name)]
    assert missing == []


def expanded(word: str) -> list[str]:
    """`context_get/_set` is two names; `atomic*` a family; capital letters and operators are prose."""
    if not re.fullmatch(r"[a-z_0-9/*]+", word) or word.startswith("agent_emit"):
        return []
    head, *rest = word.split("/")
    stem = head.rpartition("_")[0]
    return [head, *[stem + part for part in rest]]


def has(member: str, name: str) -> bool:
    handle = HARNESS.members.get(member)
    if handle is None:
        return False
    if name.endswith("*"):
        stem = name.rstrip("*")
        return any(known.startswith(stem) for known in handle.methods.keys()) or stem + "x" in handle.methods  # noqa: SIM118
    return name in handle.methods


def test_every_p0_and_p1_name_has_a_conformance_program(reference: str, programs: str) -> None:
    words = set(re.findall(r"[a-z_][a-z0-9_]*", programs))
    missing = []
    for name, priority in both(reference):
        # A program may keep a member in a variable of its own name: `fs.stat(`.
        used = f"{name.removeprefix('harness.')}(" in programs if name.startswith("harness.") else name in words
        if priority != "P2" and not used:
            missing.append(name)
    assert missing == []


def test_every_method_has_a_conformance_program(programs: str) -> None:
    words = set(re.findall(r"\.([a-z_][a-z0-9_]*)\(", programs))
    missing = [
        f"{kind}.{name}" for kind, methods in METHODS.items() for name in methods if name.strip("?") not in words
    ]
    assert [name for name in missing if not name.startswith("stream.")] == []


def test_the_page_of_the_harness_names_every_method_that_is_built(root: Path) -> None:
    text = (root / "docs" / "capabilities.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z_][a-z0-9_]*", text))
    members = {name: handle for name, handle in HARNESS.members.items() if name not in ("llm", "agent")}
    missing = []
    for member, handle in members.items():
        built = [name for name in handle.methods.keys() if handle.methods.implements(name)]  # noqa: SIM118
        missing += [f"{member}.{name}" for name in built if name not in words]
    assert missing == []
