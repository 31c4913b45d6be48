"""Entries of the standard library: read from the declarations of its modules and the comments above them."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

from harnpy.reference.entries import Entry, labelled
from harnpy.resources import stdlib_dir
from harnpy.source import Source
from harnpy.syntax import nodes as N
from harnpy.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


# What stands before the word ``fn`` or ``type`` of a declaration.
_HEAD = re.compile(r"^(?:@\w+(?:\([^()]*\))?\s*)*(?:pub\s+)?")


class Module(NamedTuple):
    """One module: its path, its comment, what it declares, and which names it passes on from where."""

    path: str
    comment: str
    own: dict[str, Entry]
    passed_on: dict[str, str]

    def names(self) -> list[str]:
        """Give what programs import from here, sorted; private names only where a module passes them on."""
        return sorted([*(name for name in self.own if not name.startswith("__")), *self.passed_on])

    def entry(self, name: str) -> Entry:
        """Give the entry of an exported name."""
        if name in self.own:
            return self.own[name]
        return read(self.passed_on[name]).entry(name)._replace(module=self.path)


@cache
def paths() -> list[str]:
    """Give the import paths of all modules, sorted."""
    base, found = stdlib_dir(), []
    for folder, _, files in os.walk(base):
        for name in files:
            if name.endswith(".harn"):
                path = os.path.relpath(os.path.join(folder, name), base)
                found.append("std/" + path.removesuffix(".harn").replace(os.sep, "/"))
    return sorted(found)


@cache
def text_of(path: str) -> str:
    """Give the source of a module."""
    with open(os.path.join(stdlib_dir(), *path.split("/")[1:]) + ".harn", encoding="utf-8") as file:
        return file.read()


@cache
def read(path: str) -> Module:
    """Read the module with the import path ``path``."""
    source = Source(path, text_of(path))
    own: dict[str, Entry] = {}
    passed_on: dict[str, str] = {}
    for node in parse(source).body:
        if isinstance(node, N.Import) and node.public:
            passed_on.update({name: node.path for name, _ in node.names or ()})
        elif isinstance(node, N.FnDecl | N.TypeDecl) and node.public:
            own[node.name] = _entry(node, source)._replace(module=path)
    lines = source.text.splitlines()
    first = next((number for number, line in enumerate(lines) if not line.startswith("//")), len(lines))
    comment = labelled("\n".join(line.lstrip("/").removeprefix(" ") for line in lines[:first]))
    return Module(path, comment, own, passed_on)


def public() -> list[Module]:
    """Give the modules that programs import something from, in the order of their paths."""
    return [module for module in map(read, paths()) if module.names()]


def exporting(name: str) -> list[Entry]:
    """Give the entries of ``name``: one for each function of that name, under the shortest path that exports it."""
    candidates = (read(path) for path in paths() if name in text_of(path))
    exporters = [module for module in candidates if name in module.own or name in module.passed_on]
    homes: dict[str, Module] = {}
    for module in sorted(exporters, key=lambda module: (module.path.count("/"), module.path)):
        homes.setdefault(_home(module, name), module)
    return [module.entry(name) for module in homes.values()]


def _home(module: Module, name: str) -> str:
    while name not in module.own:
        module = read(module.passed_on[name])
    return module.path


def module_entry(path: str) -> Entry | None:
    """Give the entry of a module."""
    if path not in paths():
        return None
    module = read(path)
    exported = "\n".join(module.entry(name).line() for name in module.names())
    return Entry(path, "module", f'import "{path}"', f"{module.comment}\n\n{exported}".rstrip(), path)


def declared(source: Source, name: str) -> Entry | None:
    """Give the entry of the function that a program declares as ``name`` at its top level."""
    for node in parse(source).body:
        if isinstance(node, N.FnDecl) and node.name == name:
            return _entry(node, source)._replace(kind="program")
    return None


def _entry(node: N.FnDecl | N.TypeDecl, source: Source) -> Entry:
    start, end = node.span
    line, _ = source.line_column(start)
    if isinstance(node, N.TypeDecl):
        return Entry(node.name, "type", _HEAD.sub("", source.text[start:end]), _comment_above(source, line))
    head = " ".join(source.text[start : node.body.span[0]].split())
    return Entry(node.name, "function", _HEAD.sub("", head), _comment_above(source, line))


def _comment_above(source: Source, line: int) -> str:
    lines: list[str] = []
    while line > 1 and _is_above(text := source.line_text(line - 1).strip()):
        if text.startswith("///"):
            lines.insert(0, text.removeprefix("///").removeprefix(" "))
        line -= 1
    return labelled("\n".join(lines))


def _is_above(text: str) -> bool:
    return text.startswith(("///", "@")) and not text.startswith("////")


def names(modules: Iterable[Module]) -> set[str]:
    """Give every exported name."""
    return {name for module in modules for name in module.names()}
