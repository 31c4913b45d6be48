"""Reaches the files of a script: inside the roots that the policy grants, and never through a link out of them.

A path is resolved and checked once; then every directory on the way is opened from the root downwards without
following links. So a link that somebody puts there between check and use leads nowhere.
"""

from __future__ import annotations

import os
import stat as modes

from harnpy.builtins.locations import root
from harnpy.errors import HarnError, thrown_text, type_error
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from harnpy.runtime.context import Context

# Without these calls (Windows) the check of the resolved path must do.
_RELATIVE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
# A pipe or device must not keep the whole run waiting when it is opened.
# Directories on the way need no permission to be listed.
_SEARCH = getattr(os, "O_PATH", os.O_RDONLY)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)

READ = os.O_RDONLY
REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def absolute(ctx: Context, method: str, path: Any, number: int = 1) -> str:
    """Give ``path`` made absolute against the execution root; anything but a usable string is an error."""
    if type(path) is not str:
        raise type_error(f"HarnessFs.{method} expects string argument {number}, got {type_of(path)}")
    if "\0" in path:
        raise thrown_text("Failed to use path: it contains a NUL character")
    try:
        os.fsencode(path)
    except UnicodeError:
        raise thrown_text("Failed to use path: it has characters that no file name can have") from None
    return os.path.normpath(os.path.join(root(ctx), path))


def locate(ctx: Context, method: str, path: Any, *, write: bool = False, follow: bool = True, number: int = 1) -> Place:
    """Give the place that ``path`` means, when the policy lets ``method`` use it."""
    full = absolute(ctx, method, path, number)
    policy = ctx.services.get("policy")
    return Place(full, None if policy is None else policy.confine(method, full, write, follow))


class Place:
    """A checked path; ``path`` is how errors show it. Use it as a context manager around one operation.

    Inside, ``name`` and ``folder`` are the two arguments ``(path, dir_fd=)`` of the functions of ``os``.
    """

    __slots__ = ("_confined", "_real", "folder", "name", "path")

    def __init__(self, path: str, confined: tuple[str, str] | None) -> None:
        self.path = path
        self._confined = confined if _RELATIVE else None
        self._real = path if confined is None else confined[1]
        self.name = self._real
        self.folder: int | None = None

    @property
    def is_root(self) -> bool:
        """Tell whether this is a root itself: what may not be deleted or moved."""
        return self._confined is not None and self._confined[0] == self._confined[1]

    @property
    def confined(self) -> bool:
        """Tell whether a root bounds this path."""
        return self._confined is not None

    def sibling(self, ending: str) -> Place:
        """Give the place beside this one, with an ending added to the name."""
        confined = self._confined
        return Place(self.path + ending, None if confined is None else (confined[0], confined[1] + ending))

    def __enter__(self) -> Place:
        if self._confined is None:
            return self
        top, real = self._confined
        parts = [part for part in real[len(top) :].split(os.sep) if part]
        self.name = parts.pop() if parts else "."
        folder = os.open(top, _SEARCH | _DIRECTORY)
        try:
            for part in parts:
                inner = os.open(part, _SEARCH | _DIRECTORY | _NOFOLLOW, dir_fd=folder)
                os.close(folder)
                folder = inner
        except BaseException:
            os.close(folder)
            raise
        self.folder = folder
        return self

    def __exit__(self, *_error: object) -> Literal[False]:
        if self.folder is not None:
            os.close(self.folder)
            self.folder = None
        return False

    def open(self, flags: int) -> int:
        """Open the file and give its descriptor; below a root only a regular file can be opened."""
        if self._confined is None:
            return os.open(self.name, flags | _BINARY, 0o666)
        descriptor = os.open(self.name, flags | _NOFOLLOW | _NONBLOCK | _BINARY, 0o666, dir_fd=self.folder)
        kind = os.fstat(descriptor).st_mode
        if not modes.S_ISREG(kind):
            os.close(descriptor)
            if modes.S_ISDIR(kind):
                raise IsADirectoryError(21, "Is a directory")
            raise OSError(22, "it is not a regular file")
        return descriptor

    def directory(self) -> int | str:
        """Give what ``os.scandir`` lists this directory by; a descriptor is the caller's to close."""
        if self._confined is None:
            return self.name
        return os.open(self.name, READ | _DIRECTORY | _NOFOLLOW, dir_fd=self.folder)

    def status(self, *, follow: bool = True) -> os.stat_result:
        """Give the ``os.stat`` of the place; below a root a link is never followed any more."""
        if self._confined is None:
            return os.stat(self.name, follow_symlinks=follow)
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)


def allowed(ctx: Context, method: str, path: str, write: bool = False) -> str:
    """Give an absolute ``path`` back when the policy lets ``method`` use it."""
    policy = ctx.services.get("policy")
    if policy is not None:
        policy.confine(method, path, write)
    return path


def read_bytes(ctx: Context, place: Place) -> bytes:
    """Read a whole file.

    Raises:
        OSError: It cannot be read.
        HarnError: It is larger than a value may be.
    """
    with place, os.fdopen(place.open(READ), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        limit: int = ctx.limits.max_string
        if size <= limit:
            content = file.read(limit + 1)
            if len(content) <= limit:
                return content
        raise thrown_text(f"Failed to read file {place.path}: it is larger than {limit} bytes")


def write_bytes(place: Place, content: bytes, flags: int = REPLACE) -> None:
    """Write a whole file, or append with ``flags``."""
    with place, os.fdopen(place.open(flags), "wb") as file:
        file.write(content)


def reason(error: OSError | UnicodeError) -> str:
    """Give the operating system's message for an error."""
    if isinstance(error, UnicodeError):
        return "stream did not contain valid UTF-8"
    return error.strerror or str(error)


def failure(doing: str, path: str, error: OSError | UnicodeError) -> HarnError:
    """Make the error of a file operation that failed (builtins 1.14)."""
    return thrown_text(f"{doing} {path}: {reason(error)}")
