"""Reads ``builtins.txt``: the parts of the reference of builtins, and the signature of each name."""

from __future__ import annotations

from functools import cache

from harnpy.resources import package_file


@cache
def parts() -> dict[str, dict[str, str]]:
    """Give the signatures by name of each part, by the title of the part, in the order of the file."""
    found: dict[str, dict[str, str]] = {}
    with open(package_file("reference", "builtins.txt"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("## "):
                part = found[line[3:]] = {}
            elif line and not line.startswith("#"):
                part[line.partition("(")[0]] = line
    return found


@cache
def signatures() -> dict[str, str]:
    """Give the signature of every name in the file."""
    return {name: line for part in parts().values() for name, line in part.items()}
