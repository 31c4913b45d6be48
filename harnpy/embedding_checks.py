"""Checks what a host hands to a session: a slip is an exception at once, not another limit than was meant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from harnpy.analysis.modules import SUFFIX
from harnpy.capabilities import globals
from harnpy.capabilities.harness import is_capability
from harnpy.errors import RejectedProgram
from harnpy.llm.errors import CATEGORIES
from harnpy.render import summary
from harnpy.runtime.limits import MAX_CALL_DEPTH, MIN_CALL_DEPTH
from harnpy.syntax.tokens import RESERVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.diagnostics import Diagnostic
    from harnpy.source import Span

Value = TypeVar("Value")


def check_name(name: str, taken: Iterable[str]) -> None:
    """Refuse a name that a builtin of the host cannot have.

    Raises:
        ValueError: Harn has a builtin of that name, or it is no name.
    """
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(f"{name!r} is no name of Harn")
    if name in RESERVED:
        raise ValueError(f"{name!r} is a word of Harn")
    if name in taken or globals.function(name) is not None:
        raise ValueError(f"Harn has a builtin named {name!r} already")


def advise(error: RejectedProgram) -> None:
    """Let the text of the exception say where, and add to the findings what only a host may have got wrong."""
    for finding in error.diagnostics:
        if finding.source is not None and finding.span is not None and finding.hint is None:
            _advise(finding, finding.source.text, finding.span)
    if error.diagnostics:
        more = len(error.diagnostics) - 1
        error.args = (summary(error.diagnostics[0]) + (f"\nand {more} more: see `diagnostics`" if more else ""),)


def _advise(finding: Diagnostic, text: str, span: Span) -> None:
    whole = text.strip()
    if "\n" not in whole and (whole.endswith(SUFFIX) or os.path.isfile(whole)):
        finding.message = finding.message.partition(" (did you mean")[0]
        finding.hint = "that is the name of a file: `harnpy.Program.from_file` reads one"
    elif finding.code == "HARN-NAM-002" and "did you mean" not in finding.message:
        finding.hint = f'a function of the host is handed over as `functions={{"{text[slice(*span)]}": ...}}`'


def check_category(category: str) -> None:
    """Refuse a category of errors that programs do not know.

    Raises:
        ValueError: There is no such category.
    """
    if category not in CATEGORIES:
        raise ValueError(f"there is no error category {category!r}; there are {', '.join(sorted(CATEGORIES))}")


def capabilities(option: str, names: Iterable[str]) -> tuple[str, ...]:
    """Give the names of capabilities.

    Raises:
        ValueError: There is no such capability.
    """
    found = texts(option, names)
    for name in found:
        if not is_capability(name):
            raise ValueError(f"{option}: there is no capability {name!r}; name one like fs or fs.read_text")
    return tuple(found)


def texts(option: str, values: Iterable[str]) -> list[str]:
    """Give a list of texts.

    Raises:
        TypeError: It is one text, or holds something else.
    """
    found = [values] if isinstance(values, str) else list(values)
    if isinstance(values, str) or not all(isinstance(value, str) for value in found):
        raise TypeError(f"{option} is a list of texts, not {values!r}")
    return found


def folders(option: str, paths: Iterable[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Give a list of folders.

    Raises:
        TypeError: It is one path (each letter of a text would be a folder), or holds something else.
    """
    found = None if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
    if found is None or not all(isinstance(path, (str, os.PathLike)) for path in found):
        raise TypeError(f"{option} is a list of folders, not {paths!r}")
    return tuple(os.fspath(path) for path in found)


def file(option: str, path: str | os.PathLike[str] | None) -> str | None:
    """Give the path of a file.

    Raises:
        TypeError: It is none.
    """
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{option} is the path of a file, not a {type(path).__name__}")
    return None if path is None else os.fspath(path)


def by_name(option: str, values: Mapping[str, Value] | None) -> dict[str, Value]:
    """Give what stands under names.

    Raises:
        TypeError: It is no mapping.
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"{option} is a mapping of names, not a {type(values).__name__}")
    return dict(values)


def environment(env: Mapping[str, str] | None) -> dict[str, str] | None:
    """Give the environment of a program.

    Raises:
        TypeError: A name or value is no text.
    """
    for name, value in by_name("env", env).items():
        if not isinstance(name, str) or not isinstance(value, str):
            # The value may be a secret.
            raise TypeError(f"env: {name!r} is a {type(value).__name__}; names and values are texts")
    return None if env is None else dict(env)


def check_kinds(stdin: Any, seed: Any, virtual_time: Any) -> None:
    """Refuse an input that is no text, and numbers that are not whole.

    Raises:
        TypeError: One of them is of another type.
    """
    if not isinstance(stdin, str):
        raise TypeError(f"stdin is a text, not a {type(stdin).__name__}")
    for option, value in (("seed", seed), ("virtual_time", virtual_time)):
        if value is not None and type(value) is not int:
            raise TypeError(f"{option} is a whole number, not a {type(value).__name__}")


def check_limits(time_limit: Any, max_depth: Any, max_steps: Any, max_cost: Any) -> None:
    """Refuse limits that are none.

    Raises:
        TypeError: A limit is no number.
        ValueError: A limit is out of its range.
    """
    for option, value, kinds in (
        ("time_limit", time_limit, (int, float)),
        ("max_depth", max_depth, (int,)),
        ("max_steps", max_steps, (int,)),
        ("max_cost", max_cost, (int, float)),
    ):
        if value is None:
            continue
        if type(value) not in kinds:
            raise TypeError(f"{option} is a number, not a {type(value).__name__}")
        if not value > 0:
            raise ValueError(f"{option} is more than 0, not {value}")
    if max_depth is not None and not MIN_CALL_DEPTH <= max_depth <= MAX_CALL_DEPTH:
        raise ValueError(f"max_depth is from {MIN_CALL_DEPTH} to {MAX_CALL_DEPTH}, not {max_depth}")
