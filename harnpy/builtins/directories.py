"""Directories: listing, making, walking, pattern search and temporary ones (builtins 1.14, 3.4)."""

from __future__ import annotations

import os
import stat as modes
from contextlib import suppress

from harnpy.builtins.file_access import Place, failure, locate
from harnpy.builtins.locations import WORKSPACE_TEMP, workspace_temp
from harnpy.errors import thrown_text, type_error
from harnpy.runtime.convert import int_option
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnpy.runtime.context import Context

_MAX_DEPTH = 256


def names_in(place: Place) -> list[str]:
    """Give the names in a directory, sorted."""
    with place:
        directory = place.directory()
        try:
            return sorted(os.listdir(directory))
        finally:
            if type(directory) is int:
                os.close(directory)


def list_dir(ctx: Context, path: Any = None) -> list[str]:
    """Give the bare names in a folder, sorted. Errors: throws ``Failed to list directory <path>: <reason>``."""
    place = locate(ctx, "list_dir", "." if path is None else path)
    try:
        return names_in(place)
    except OSError as error:
        raise failure("Failed to list directory", place.path, error) from None


def mkdir(ctx: Context, path: Any = None, recursive: Any = None) -> None:
    """Make a folder, and with ``recursive`` its parents; one that is there already is fine.

    Errors: throws ``Failed to create directory <path>: <reason>``.
    """
    place = locate(ctx, "mkdir", path, write=True)
    try:
        if recursive is False:
            _make_one(place)
        elif not place.confined:
            os.makedirs(place.name, exist_ok=True)
        else:
            _make_below(ctx, place)
    except OSError as error:
        raise failure("Failed to create directory", place.path, error) from None


def _make_one(place: Place) -> None:
    with place:
        try:
            os.mkdir(place.name, dir_fd=place.folder)
        except FileExistsError:
            if not modes.S_ISDIR(place.status().st_mode):
                raise


def _make_below(ctx: Context, place: Place) -> None:
    """Make the missing parents one by one, each checked like the directory itself."""
    missing = [place]
    while not missing[-1].is_root:
        parent = locate(ctx, "mkdir", os.path.dirname(missing[-1].path), write=True)
        if os.path.isdir(parent.path):
            break
        missing.append(parent)
    for directory in reversed(missing):
        if not directory.is_root:
            _make_one(directory)


def temp_dir(ctx: Context) -> str:
    """Give the directory for temporary files: that of the system, or the project's own where files are confined."""
    policy = ctx.services.get("policy")
    folder = None if policy is None else policy.writable(os.path.dirname(workspace_temp(ctx)))
    if folder is not None:
        return _temporary(ctx, os.path.join(folder, WORKSPACE_TEMP))
    import tempfile

    return tempfile.gettempdir()


def workspace_temp_dir(ctx: Context) -> str:
    """Give the folder ``.harn-tmp`` of the project, which is made when missing."""
    return _temporary(ctx, workspace_temp(ctx))


def _temporary(ctx: Context, path: str) -> str:
    """Make a directory that goes away at the end of the run when nothing is left in it."""
    if not os.path.isdir(path):
        mkdir(ctx, path)
        ctx.services.setdefault("at_end", []).append(lambda: _remove_empty(path))
    return path


def _remove_empty(path: str) -> None:
    with suppress(OSError):
        os.rmdir(path)


def mkdtemp(ctx: Context, prefix: Any = None) -> str:
    """Make a new folder in the one for temporary files and give its path; ``prefix`` begins its name."""
    return _fresh(ctx, "mkdtemp", temp_dir(ctx), prefix)


def mkdtemp_in_workspace(ctx: Context, prefix: Any = None) -> str:
    """Make a new folder in ``.harn-tmp`` of the project and give its path; ``prefix`` begins its name."""
    return _fresh(ctx, "mkdtemp_in_workspace", workspace_temp_dir(ctx), prefix)


def _fresh(ctx: Context, method: str, parent: str, prefix: Any) -> str:
    import secrets

    name = "harn-" if prefix is None else prefix
    if type(name) is not str:
        raise type_error(f"HarnessFs.{method} expects string argument 1, got {type_of(prefix)}")
    if "/" in name or os.sep in name:
        raise thrown_text(f"HarnessFs.{method}: the prefix must not hold a path separator")
    path = os.path.join(parent, name + secrets.token_hex(6))
    place = locate(ctx, method, path, write=True)
    try:
        with place:
            os.mkdir(place.name, 0o700, dir_fd=place.folder)
    except OSError as error:
        raise failure("Failed to create directory", place.path, error) from None
    return path


def walk_dir(ctx: Context, path: Any = None, options: Any = None) -> list[dict[str, Any]]:
    """Give everything below a folder as ``{path, is_dir, is_file, depth}``, sorted, the folder itself first at depth
    0.

    Options: ``max_depth``, ``follow_symlinks`` (false). Errors: throws ``walk_dir: <path>: <reason>``.
    """
    if path is None:
        raise thrown_text("walk_dir: root path is required")
    settings = options if type(options) is dict else {}
    deepest = int_option(settings.get("max_depth"), _MAX_DEPTH)
    follow = bool(settings.get("follow_symlinks", False))
    top = locate(ctx, "walk", path)
    try:
        with top:
            top.status()
    except OSError as error:
        raise failure("walk_dir:", top.path, error) from None
    return [_entry(*found) for found in walk(ctx, "walk", top.path, deepest, follow)]


def _entry(path: str, mode: int, depth: int) -> dict[str, Any]:
    return {"path": path, "is_dir": modes.S_ISDIR(mode), "is_file": modes.S_ISREG(mode), "depth": depth}


def walk(ctx: Context, method: str, top: str, deepest: int, follow: bool) -> Iterator[tuple[str, int, int]]:
    """Give path, mode and depth of a directory and of everything below it, in order of the paths, for ``method``.

    What cannot be read is passed over; a link out of the roots is listed as the link that it is.
    """
    pending: list[tuple[str, int, tuple[tuple[int, int], ...]]] = [(top, 0, ())]
    while pending:
        path, depth, above = pending.pop()
        found = _status(ctx, method, path, follow or depth == 0)
        if found is None:
            continue
        yield path, found.st_mode, depth
        identity = (found.st_dev, found.st_ino)
        if not modes.S_ISDIR(found.st_mode) or depth >= deepest or identity in above:
            continue
        names = _names(ctx, method, path)
        pending += [(os.path.join(path, name), depth + 1, (*above, identity)) for name in reversed(names)]


def _status(ctx: Context, method: str, path: str, follow: bool) -> os.stat_result | None:
    from harnpy.errors import HarnError

    for through_link in (True, False) if follow else (False,):
        try:
            with locate(ctx, method, path, follow=through_link) as place:
                return place.status(follow=through_link)
        except (OSError, HarnError):
            continue
    return None


def _names(ctx: Context, method: str, path: str) -> list[str]:
    try:
        return names_in(locate(ctx, method, path))
    except OSError:
        return []


def glob(ctx: Context, pattern: Any = None, base: Any = None, options: Any = None) -> list[str]:
    """Give the paths below ``base`` that fit a pattern, absolute and sorted.

    ``*`` and ``?`` stand for any text and any character, ``**`` for any folders, ``{a,b}`` and ``[..]`` for
    choices; ``*`` crosses ``/``.
    Options: ``max_depth``, ``follow_symlinks`` (false); ``base`` too when they are the second argument.
    Errors: throws a text that begins with ``glob:``.
    """
    from harnpy.builtins.path_patterns import compiled

    if pattern is None:
        raise thrown_text("glob: pattern is required")
    if type(pattern) is not str:
        raise type_error(f"HarnessFs.glob expects string argument 1, got {type_of(pattern)}")
    if type(base) is dict:
        base, options = base.get("base"), base
    settings = options if type(options) is dict else {}
    top = locate(ctx, "glob", "." if base is None else base).path
    wanted = os.path.normpath(pattern) if pattern.startswith(("./", "../")) else pattern
    if wanted.startswith("../"):
        wanted = os.path.normpath(os.path.join(top, wanted))
    if os.path.isabs(wanted):
        top, wanted = _split_absolute(ctx, wanted)
    fits = compiled(wanted)
    deepest = int_option(settings.get("max_depth"), _MAX_DEPTH)
    found = []
    for path, _, depth in walk(ctx, "glob", top, deepest, bool(settings.get("follow_symlinks", False))):
        if depth and fits(os.path.relpath(path, top)):
            found.append(path)
    return sorted(found)


def _split_absolute(ctx: Context, pattern: str) -> tuple[str, str]:
    """Take the leading part without wildcards off an absolute pattern; it must lie inside the roots."""
    parts = pattern.split("/")
    plain = 0
    while plain < len(parts) - 1 and not set("*?{[") & set(parts[plain]):
        plain += 1
    top = "/".join(parts[:plain]) or "/"
    return locate(ctx, "glob", top).path, "/".join(parts[plain:])
