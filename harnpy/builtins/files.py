"""Reading, writing, copying and deleting files (builtins 1.14): each is a method of ``harness.fs`` too."""

from __future__ import annotations

import os
import stat as modes

from harnpy.builtins.arguments import text as text_of
from harnpy.builtins.file_access import APPEND, REPLACE, Place, failure, locate, read_bytes, write_bytes
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.values import EnumValue, err, ok, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_READ = "Failed to read file"


def read_file(ctx: Context, path: Any = None) -> str:
    """Read a UTF-8 text file whole. A relative path starts at the working directory of the run.

    Errors: throws ``Failed to read file <path>: <reason>``, also when the file is no UTF-8.
    """
    place = locate(ctx, "read_text", path)
    try:
        return read_bytes(ctx, place).decode("utf-8")
    except (OSError, UnicodeError) as error:
        raise failure(_READ, place.path, error) from None


def read_file_result(ctx: Context, path: Any = None) -> EnumValue:
    """Read a text file: ``Ok(text)``, or ``Err(text of the error)`` when it cannot be read."""
    try:
        return ok(read_file(ctx, path))
    except HarnError as error:
        return err(error.value)


def read_file_bytes(ctx: Context, path: Any = None) -> bytes:
    """Read a file as bytes. Errors: throws ``Failed to read file <path>: <reason>``."""
    place = locate(ctx, "read_bytes", path)
    try:
        return read_bytes(ctx, place)
    except OSError as error:
        raise failure(_READ, place.path, error) from None


def lines_of(content: str) -> list[str]:
    """Give the lines of a text without their ends; a final line break adds no line."""
    lines = [line.removesuffix("\r") for line in content.split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines


def read_lines(ctx: Context, path: Any = None) -> list[str]:
    """Read the lines of a UTF-8 text file, without their ends. Errors: throws ``read_lines: <path>: <reason>``."""
    place = locate(ctx, "read_lines", path)
    try:
        return lines_of(read_bytes(ctx, place).decode("utf-8"))
    except (OSError, UnicodeError) as error:
        raise failure("read_lines:", place.path, error) from None


def encoded(doing: str, place: Place, content: Any) -> bytes:
    """Give a text argument as UTF-8, before anything is written."""
    try:
        return ("" if content is None else text_of(content)).encode("utf-8")
    except UnicodeError:
        raise thrown_text(f"{doing} {place.path}: the text is not valid Unicode") from None


def write_file(ctx: Context, path: Any = None, text: Any = None) -> None:
    """Write a text file as UTF-8, in the place of one that is there; the folder must exist.

    Errors: throws ``Failed to write file <path>: <reason>``.
    """
    place = locate(ctx, "write_text", path, write=True)
    _write("Failed to write file", place, encoded("Failed to write file", place, text), REPLACE)


def write_file_bytes(ctx: Context, path: Any = None, content: Any = None) -> None:
    """Write bytes to a file, in the place of one that is there; the folder must exist.

    Errors: throws ``Failed to write file <path>: <reason>``, or a text when ``content`` is no bytes.
    """
    place = locate(ctx, "write_bytes", path, write=True)
    if type(content) is not bytes:
        raise thrown_text(f"write_file_bytes expects bytes content, got {type_of(content)}")
    _write("Failed to write file", place, content, REPLACE)


def _write(doing: str, place: Place, content: bytes, flags: int) -> None:
    try:
        write_bytes(place, content, flags)
    except OSError as error:
        raise failure(doing, place.path, error) from None


def append_file(ctx: Context, path: Any = None, text: Any = None) -> None:
    """Append text to a file, which is made when missing; the folder must exist.

    Errors: throws ``Failed to append to file <path>: <reason>``.
    """
    place = locate(ctx, "append", path, write=True)
    content = encoded("Failed to append to file", place, text)
    try:
        with place:
            file = os.fdopen(place.open(APPEND), "wb")
    except OSError as error:
        raise failure("Failed to open file", place.path, error) from None
    try:
        with file:
            file.write(content)
    except OSError as error:
        raise failure("Failed to append to file", place.path, error) from None


def file_exists(ctx: Context, path: Any = None) -> bool:
    """Tell whether a file or folder is there."""
    place = locate(ctx, "exists", path)
    try:
        with place:
            place.status()
    except OSError:
        return False
    return True


def delete_file(ctx: Context, path: Any = None) -> None:
    """Delete a file, or a folder with everything in it; a link is deleted itself.

    Errors: throws ``Failed to delete file <path>: <reason>`` when there is none; a root of the sandbox stays.
    """
    place = locate(ctx, "delete", path, write=True, follow=False)
    kind = "file"
    try:
        if place.is_root:
            raise OSError(16, "it is a root of the sandbox")
        with place:
            if modes.S_ISDIR(place.status(follow=False).st_mode):
                kind = "directory"
                import shutil

                shutil.rmtree(place.name, dir_fd=place.folder)
            else:
                os.remove(place.name, dir_fd=place.folder)
    except OSError as error:
        raise failure(f"Failed to delete {kind}", place.path, error) from None


def copy_file(ctx: Context, source: Any = None, target: Any = None) -> None:
    """Copy a file; what stands at the target is replaced. Errors: throws ``Failed to copy <source> to <target>:
    <reason>``.
    """
    origin = locate(ctx, "copy", source)
    goal = locate(ctx, "copy", target, write=True, number=2)
    try:
        content = read_bytes(ctx, origin)
        with origin:
            mode = origin.status().st_mode & 0o777
        with goal:
            descriptor = goal.open(REPLACE)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                if hasattr(os, "fchmod"):
                    os.fchmod(descriptor, mode)
    except OSError as error:
        raise failure(f"Failed to copy {origin.path} to", goal.path, error) from None


def move_file(ctx: Context, source: Any = None, target: Any = None) -> None:
    """Rename or move a file; what stands at the target is replaced.

    Errors: throws ``Failed to move <source> to <target>: <reason>``.
    """
    if source is None or target is None:
        raise thrown_text("move_file: src and dst are required")
    origin = locate(ctx, "rename", source, write=True, follow=False)
    goal = locate(ctx, "rename", target, write=True, follow=False, number=2)
    try:
        if origin.is_root or goal.is_root:
            raise OSError(16, "it is a root of the sandbox")
        with origin, goal:
            _rename(origin, goal)
    except OSError as error:
        raise failure(f"Failed to move {origin.path} to", goal.path, error) from None


def _rename(origin: Place, goal: Place) -> None:
    try:
        os.replace(origin.name, goal.name, src_dir_fd=origin.folder, dst_dir_fd=goal.folder)
    except OSError as error:
        import errno

        if error.errno != errno.EXDEV or origin.confined:
            raise
        import shutil

        shutil.move(origin.name, goal.name)


def stat(ctx: Context, path: Any = None) -> dict[str, Any]:
    """Give ``{size, is_file, is_dir, readonly, modified}`` of a path: bytes, and Unix seconds of the last change.

    Errors: throws ``Failed to stat <path>: <reason>``.
    """
    place = locate(ctx, "stat", path)
    try:
        with place:
            found = place.status()
    except OSError as error:
        raise failure("Failed to stat", place.path, error) from None
    return facts(found)


def facts(found: os.stat_result) -> dict[str, Any]:
    """Give what ``stat`` says of a file."""
    return {
        "size": found.st_size,
        "is_file": modes.S_ISREG(found.st_mode),
        "is_dir": modes.S_ISDIR(found.st_mode),
        "readonly": not found.st_mode & 0o222,
        "modified": found.st_mtime,
    }
