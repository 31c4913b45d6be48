"""What may be typed next at the prompt: names, members of live values, import paths."""

from __future__ import annotations

import os
import re

from harnpy.cli.repl_docs import look_up, members
from harnpy.syntax.tokens import RESERVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnpy.runtime.console import Console
    from harnpy.runtime.context import Context

_PATH = re.compile(r'\b(?:from|import)\s+"([^"]*)$')
_MEMBER = re.compile(r"((?:\w+\.)+)(\w*)$")
_WORD = re.compile(r"\w+$")


def candidates(context: Context, console: Console, before: str) -> tuple[str, list[str]]:
    """Give the word that stands before the cursor and what it may become."""
    path = _PATH.search(before)
    if path:
        return path[1], _beginning_with(path[1], _modules(path[1]))
    member = _MEMBER.search(before)
    if member:
        value = look_up(context, console, member[1].rstrip("."))
        return member[2], [] if value is None else _beginning_with(member[2], members(value))
    word = _WORD.search(before)
    if not word or word[0].isdigit():
        return "", []
    names = {*console.names(), *context.builtins.function_names(), *RESERVED, *context.predefined, "harness", "argv"}
    return word[0], _beginning_with(word[0], sorted(names))


def _beginning_with(word: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(word) and (word.startswith("_") or not name.startswith("__"))]


def _modules(begun: str) -> list[str]:
    """Give the paths of modules: those of the library, or of files when the path begins with a dot."""
    if begun.startswith("."):
        folder = os.path.dirname(begun) or "."
        return sorted(_files(folder, f"{folder}/" if begun.startswith(folder) else "./"))
    from harnpy.reference.modules import paths

    return paths()


def _files(folder: str, prefix: str) -> Iterable[str]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() and not entry.name.startswith("."):
            yield prefix + entry.name + "/"
        elif entry.name.endswith(".harn"):
            yield prefix + entry.name.removesuffix(".harn")
