"""Looking into files without reading them whole: status, pages of lines, text search (builtins 3.4)."""

from __future__ import annotations

import os
import stat as modes

from harnpy.builtins.arguments import text
from harnpy.builtins.directories import walk
from harnpy.builtins.file_access import failure, locate, read_bytes
from harnpy.builtins.files import facts, lines_of
from harnpy.capabilities.fs import failed, reachable
from harnpy.errors import HarnError, thrown_text, type_error
from harnpy.runtime.convert import int_option
from harnpy.runtime.values import EnumValue, ok, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.context import Context

_PAGE = 1000
_MAX_MATCHES = 1000
_MAX_DEPTH = 256


def status(ctx: Context, path: Any = None, access: Any = None) -> dict[str, Any]:
    """Give ``{exists, kind, accessible}`` and what ``stat`` says; a missing file is no error.

    ``kind`` is ``file``, ``dir``, ``other`` or ``missing``; ``access`` is ``read`` (default) or ``write``.
    """
    wanted = "read" if access is None else access
    if wanted not in ("read", "write"):
        raise thrown_text(f"HarnessFs.status: access must be 'read' or 'write', got '{text(wanted)}'")
    place = locate(ctx, "status", path, write=wanted == "write")
    try:
        with place:
            found = place.status()
            mode = os.W_OK if wanted == "write" else os.R_OK
            accessible = os.access(place.name, mode, dir_fd=place.folder)
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return {"exists": False, "kind": "missing", "accessible": False}
        raise failure("Failed to stat", place.path, error) from None
    return {"exists": True, "kind": _kind(found.st_mode), "accessible": accessible, **facts(found)}


def _kind(mode: int) -> str:
    if modes.S_ISDIR(mode):
        return "dir"
    return "file" if modes.S_ISREG(mode) else "other"


def read_lines_page_result(ctx: Context, path: Any = None, options: Any = None) -> EnumValue:
    """Read some lines of a text file: ``Ok({lines, offset, next_offset, total})``, or ``Err({kind, message})``.

    Options: ``offset`` (0), ``limit`` (1000 lines). ``next_offset`` is nil on the last page.
    """
    found = reachable(ctx, "read_lines_page_result", path)
    if type(found) is EnumValue:
        return found
    settings = options if type(options) is dict else {}
    start = max(0, int_option(settings.get("offset"), 0))
    count = max(0, int_option(settings.get("limit"), _PAGE))
    try:
        lines = lines_of(read_bytes(ctx, found).decode("utf-8"))
    except (OSError, UnicodeError) as error:
        return failed(error)
    end = start + count
    following = end if end < len(lines) else None
    return ok({"lines": lines[start:end], "offset": start, "next_offset": following, "total": len(lines)})


def find_text(ctx: Context, path: Any = None, pattern: Any = None, options: Any = None) -> Any:
    """Give ``{path, line, col, column, text}`` of the places below ``path`` where a text or pattern stands.

    Options: ``fixed_strings`` (true; false reads ``pattern`` as a regular expression), ``max_matches`` (1000),
    ``mode`` (``exists`` gives a bool, ``count`` the number). Files that are no UTF-8 text are passed over.
    """
    if type(pattern) is not str:
        raise type_error(f"HarnessFs.find_text expects string argument 2, got {type_of(pattern)}")
    settings = options if type(options) is dict else {}
    mode = settings.get("mode")
    if mode not in (None, "exists", "count"):
        raise thrown_text(f"HarnessFs.find_text: mode must be 'exists' or 'count', got '{text(mode)}'")
    limit = 1 if mode == "exists" else max(0, int_option(settings.get("max_matches"), _MAX_MATCHES))
    search = _searcher(pattern, settings.get("fixed_strings", True) is not False)
    top = locate(ctx, "find_text", path)
    matches: list[dict[str, Any]] = []
    for found, kind, _ in walk(ctx, "find_text", top.path, _MAX_DEPTH, follow=False):
        if len(matches) >= limit:
            break
        if modes.S_ISREG(kind):
            matches += _in_file(ctx, found, search, limit - len(matches))
    if mode == "exists":
        return bool(matches)
    return len(matches) if mode == "count" else matches


def _searcher(pattern: str, fixed: bool) -> Callable[[str], int]:
    """Give a function from a line to the place of the first match, -1 without one."""
    if fixed:
        return lambda line: line.find(pattern)
    from harnpy.builtins.regex import Pattern

    compiled = Pattern(pattern, "")
    return lambda line: next((match.span(0)[0] for match in compiled.matches(line)), -1)


def _in_file(ctx: Context, path: str, search: Callable[[str], int], limit: int) -> list[dict[str, Any]]:
    try:
        lines = lines_of(read_bytes(ctx, locate(ctx, "find_text", path)).decode("utf-8"))
    except (OSError, UnicodeError, HarnError):
        return []
    found = []
    for number, line in enumerate(lines, 1):
        at = search(line)
        if at >= 0:
            found.append({"path": path, "line": number, "col": at + 1, "column": at + 1, "text": line})
            if len(found) >= limit:
                break
    return found
