"""Finds the entries of a name, or the name that was probably meant."""

from __future__ import annotations

from harnpy.analysis.suggestions import closest
from harnpy.builtins.method_table import METHODS
from harnpy.reference import builtin_entries, modules
from harnpy.reference.entries import Entry


def find(name: str) -> list[Entry]:
    """Give the entries of a name, empty when it is unknown.

    A name is a function (``with_retry``, ``trim``), a module (``std/cache``), a function of one module
    (``std/cache.cache_get``), a method (``list.map``, ``map``), a member of the harness (``harness.fs``) or one of its
    methods (``harness.fs.read_text``, ``fs.read_text``, ``read_text``).
    """
    if "/" in name:
        return _of_module(name)
    if name.split(".")[0] == "harness":
        return _given(_of_harness(name.split(".")[1:]))
    first, dot, rest = name.partition(".")
    if dot:
        found = [builtin_entries.method_entry(first, rest), builtin_entries.namespace_entry(first, rest)]
        return _given(*found, builtin_entries.harness_entry(first, rest))
    found = [builtin_entries.function_entry(name)]
    methods = [*_bare_methods(name), *_harness_methods(name)]
    return _given(*found) + modules.exporting(name) or _given(*methods)


def suggestion(name: str) -> str | None:
    """Give the known name nearest to ``name``, or ``None``."""
    return closest(name, _known())


def containing(part: str) -> list[str]:
    """Give the known names that hold ``part``, in any case, the shortest first."""
    found = [name for name in _known() if part.lower() in name.lower()]
    return sorted(found, key=lambda name: (len(name), name))


def _known() -> set[str]:
    known = {*builtin_entries.function_names(), *builtin_entries.method_names(), *builtin_entries.namespace_names()}
    known |= {full for full, _ in builtin_entries.harness_names()} | {*modules.paths()}
    return known | modules.names(modules.public())


def _given(*entries: Entry | None) -> list[Entry]:
    return [entry for entry in entries if entry is not None]


def _of_module(name: str) -> list[Entry]:
    path, dot, member = name.partition(".")
    if not dot:
        return _given(modules.module_entry(path))
    if path not in modules.paths():
        return []
    module = modules.read(path)
    return [module.entry(member)] if member in module.own or member in module.passed_on else []


def _of_harness(parts: list[str]) -> Entry | None:
    if len(parts) == 2:
        return builtin_entries.harness_entry(*parts)
    member = "".join(parts)
    return builtin_entries.member_entry(member) or builtin_entries.harness_entry("", member)


def _harness_methods(name: str) -> list[Entry | None]:
    """Give the methods called ``name`` of the members of the harness."""
    members = [full.split(".")[1:] for full, _ in builtin_entries.harness_names()]
    return [builtin_entries.harness_entry(*parts) for parts in members if len(parts) == 2 and parts[1] == name]


def _bare_methods(name: str) -> list[Entry | None]:
    """Give the methods called ``name`` of all kinds, each function once."""
    found: dict[str, Entry | None] = {}
    for kind in sorted(METHODS):
        if name in METHODS[kind]:
            found.setdefault(METHODS[kind][name], builtin_entries.method_entry(kind, name))
    return list(found.values())
