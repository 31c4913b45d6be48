"""The names that the reference of builtins lists, with their priority."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Documented(NamedTuple):
    """A name of the reference: ``priority`` is P0, P1, P2 or empty when its row gives none."""

    name: str
    priority: str


_CODE = re.compile(r"`([^`]*)`")
_NAME = re.compile(r"_?[a-z][a-z0-9_]*")


def _section(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end)]


def _rows(section: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in section.splitlines()
        if line.startswith("| ") and not line.startswith("|---")
    ]


def _priority(cells: list[str], names_in_cell: int) -> list[str]:
    """Priorities of the names of a row: one for all, or one each where the cell has as many."""
    cell = cells[1] if len(cells) > 1 else ""
    found = re.findall(r"P[012]", cell)
    if len(found) == names_in_cell:
        return found
    return [found[0] if found else ""] * names_in_cell


def _names(code: str) -> list[str]:
    """Names in one code span: ``a(x)``, ``a/_b(x)``, ``a b c``, ``path_parent _basename (p)``."""
    head = re.sub(r"\([^()]*\)", " ", code)
    names: list[str] = []
    for word in re.split(r"[\s,·/]+", head):
        if word == "" or not _NAME.fullmatch(word):
            continue
        names.append(word)
    return names


def functions(text: str, known: Callable[[str], bool]) -> list[Documented]:
    """Functions of sections 1.1 to 1.21; ``known`` helps to complete shortened names such as ``_parse``."""
    found: list[Documented] = []
    for cells in _rows(_section(text, "### 1.1 ", "## 2. ")):
        if len(cells) < 2 or "{{" in cells[0]:
            continue
        names: list[str] = []
        for code in _CODE.findall(cells[0]):
            if "(" in code or len(cells) > 3:
                names += _names(code)
        full: list[str] = []
        for name in names:
            full.append(_completed(name, full[-1] if full else "", known) if name.startswith("_") else name)
        found += [Documented(name, p) for name, p in zip(full, _priority(cells, len(full)), strict=True)]
    return found


def _completed(suffix: str, before: str, known: Callable[[str], bool]) -> str:
    parts = before.split("_")
    for count in range(len(parts) - 1, 0, -1):
        candidate = "_".join(parts[:count]) + suffix
        if known(candidate):
            return candidate
    return before + suffix


def harness_methods(text: str) -> list[Documented]:
    """Methods of sections 3.2 to 3.7 as ``member.method``."""
    found: list[Documented] = []
    for cells in _rows(_section(text, "### 3.2 ", "### 3.6 ")):
        member = ""
        for code in _CODE.findall(cells[0]):
            match = re.match(r"([a-z]+)\.", code)
            if match:
                member = match[1]
            names = [name for name in _names(code.removeprefix(member + ".")) if name != member]
            priorities = re.findall(r"P[012]", cells[1]) if len(cells) > 1 else []
            found += [Documented(f"{member}.{name}", (priorities or [""])[0]) for name in names if member]
    for cells in _rows(_section(text, "### 3.7 ", "### 3.8 ")):
        for code in _CODE.findall(cells[0]):
            if cells[0].startswith("`") and len(cells) > 1 and re.match(r"P[012]", cells[1]):
                found += [Documented("testing." + name, cells[1][:2]) for name in _names(code)]
    return found
