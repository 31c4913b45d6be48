"""Files and directories (builtins 1.14): each function is also the method of ``harness.fs`` named in its errors."""

from __future__ import annotations

import os

from harnpy.errors import HarnError, thrown_text, type_error
from harnpy.runtime.values import EnumValue, err, ok, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def root(ctx: Context) -> str:
    """Give the execution root: the working directory of the run."""
    cwd: str = ctx.services.get("cwd") or os.getcwd()
    return cwd


def absolute(ctx: Context, method: str, path: Any, number: int = 1) -> str:
    """Give ``path`` made absolute against the execution root; anything but a string is an error."""
    if type(path) is not str:
        raise type_error(f"HarnessFs.{method} expects string argument {number}, got {type_of(path)}")
    if "\0" in path:
        raise thrown_text("Failed to use path: it contains a NUL character")
    return os.path.normpath(os.path.join(root(ctx), path))


def allowed(ctx: Context, method: str, path: str, write: bool = False) -> str:
    """Give ``path`` back when the policy lets ``method`` use it."""
    policy = ctx.services.get("policy")
    if policy is not None:
        policy.check_path(method, path, write)
    return path


def _located(ctx: Context, method: str, path: Any, write: bool = False, number: int = 1) -> str:
    return allowed(ctx, method, absolute(ctx, method, path, number), write)


def _failure(doing: str, path: str, error: OSError | UnicodeError) -> HarnError:
    reason = "stream did not contain valid UTF-8" if isinstance(error, UnicodeError) else error.strerror or str(error)
    return thrown_text(f"{doing} {path}: {reason}")


def read_file(ctx: Context, path: Any = None) -> str:
    """Read a UTF-8 text file."""
    full = _located(ctx, "read_text", path)
    try:
        with open(full, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeError) as error:
        raise _failure("Failed to read file", full, error) from None


def read_file_result(ctx: Context, path: Any = None) -> EnumValue:
    """Read a text file as ``Ok(text)``, or ``Err`` with the error text."""
    try:
        return ok(read_file(ctx, path))
    except HarnError as error:
        return err(error.value)


def read_file_bytes(ctx: Context, path: Any = None) -> bytes:
    """Read a file as bytes."""
    full = _located(ctx, "read_bytes", path)
    try:
        with open(full, "rb") as file:
            return file.read()
    except OSError as error:
        raise _failure("Failed to read file", full, error) from None


def read_lines(ctx: Context, path: Any = None) -> list[str]:
    """Read the lines of a text file, without their ends."""
    full = _located(ctx, "read_lines", path)
    try:
        with open(full, encoding="utf-8", newline="") as file:
            text = file.read()
    except (OSError, UnicodeError) as error:
        raise _failure("read_lines:", full, error) from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines


def write_file(ctx: Context, path: Any = None, text: Any = None) -> None:
    """Write a text file; the directory must exist."""
    from harnpy.runtime.display import display

    full = _located(ctx, "write_text", path, write=True)
    content = "" if text is None else display(text)
    try:
        with open(full, "w", encoding="utf-8", newline="") as file:
            file.write(content)
    except (OSError, UnicodeError) as error:
        raise _failure("Failed to write file", full, error) from None


def write_file_bytes(ctx: Context, path: Any = None, content: Any = None) -> None:
    """Write bytes to a file; the directory must exist."""
    full = _located(ctx, "write_bytes", path, write=True)
    if type(content) is not bytes:
        raise thrown_text(f"write_file_bytes expects bytes content, got {type_of(content)}")
    try:
        with open(full, "wb") as file:
            file.write(content)
    except OSError as error:
        raise _failure("Failed to write file", full, error) from None


def append_file(ctx: Context, path: Any = None, text: Any = None) -> None:
    """Append text to a file, which is made when missing."""
    from harnpy.runtime.display import display

    full = _located(ctx, "append", path, write=True)
    content = "" if text is None else display(text)
    try:
        file = open(full, "a", encoding="utf-8", newline="")  # noqa: SIM115 (two failures, two texts)
    except OSError as error:
        raise _failure("Failed to open file", full, error) from None
    with file:
        try:
            file.write(content)
        except (OSError, UnicodeError) as error:
            raise _failure("Failed to append to file", full, error) from None


def file_exists(ctx: Context, path: Any = None) -> bool:
    """Tell whether a file or directory is there."""
    return os.path.exists(_located(ctx, "exists", path))


def delete_file(ctx: Context, path: Any = None) -> None:
    """Delete a file, or a directory with everything in it."""
    full = _located(ctx, "delete", path, write=True)
    is_directory = os.path.isdir(full) and not os.path.islink(full)
    try:
        if is_directory:
            import shutil

            shutil.rmtree(full)
        else:
            os.remove(full)
    except OSError as error:
        kind = "directory" if is_directory else "file"
        raise _failure(f"Failed to delete {kind}", full, error) from None


def copy_file(ctx: Context, source: Any = None, target: Any = None) -> None:
    """Copy a file."""
    import shutil

    source = _located(ctx, "copy", source)
    target = _located(ctx, "copy", target, write=True, number=2)
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise _failure(f"Failed to copy {source} to", target, error) from None


def move_file(ctx: Context, source: Any = None, target: Any = None) -> None:
    """Rename or move a file."""
    import shutil

    if source is None or target is None:
        raise thrown_text("move_file: src and dst are required")
    source = _located(ctx, "rename", source, write=True)
    target = _located(ctx, "rename", target, write=True, number=2)
    try:
        shutil.move(source, target)
    except OSError as error:
        raise _failure(f"Failed to move {source} to", target, error) from None


def list_dir(ctx: Context, path: Any = None) -> list[str]:
    """Give the bare names in a directory, sorted."""
    full = _located(ctx, "list_dir", "." if path is None else path)
    try:
        return sorted(os.listdir(full))
    except OSError as error:
        raise _failure("Failed to list directory", full, error) from None


def mkdir(ctx: Context, path: Any = None) -> None:
    """Make a directory and its parents; one that is there already is fine."""
    full = _located(ctx, "mkdir", path, write=True)
    try:
        os.makedirs(full, exist_ok=True)
    except OSError as error:
        raise _failure("Failed to create directory", full, error) from None


def stat(ctx: Context, path: Any = None) -> dict[str, Any]:
    """Give size, kind and time of change of a file."""
    full = _located(ctx, "stat", path)
    try:
        found = os.stat(full)
    except OSError as error:
        raise _failure("Failed to stat", full, error) from None
    return {
        "size": found.st_size,
        "is_file": os.path.isfile(full),
        "is_dir": os.path.isdir(full),
        "readonly": not found.st_mode & 0o222,
        "modified": found.st_mtime,
    }


def temp_dir() -> str:
    """Give the directory for temporary files."""
    import tempfile

    return tempfile.gettempdir()


def cwd(ctx: Context) -> str:
    """Give the working directory of the run."""
    return root(ctx)


def home_dir() -> str:
    """Give the home directory of the user."""
    return os.path.expanduser("~")


def project_root(ctx: Context) -> str | None:
    """Give the nearest directory upwards that holds ``harn.toml``, or nil."""
    directory = root(ctx)
    while True:
        if os.path.isfile(os.path.join(directory, "harn.toml")):
            return directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def source_dir(ctx: Context) -> str:
    """Give the directory of the entry file; the execution root when there is no file."""
    directory: str = ctx.services.get("source_dir") or root(ctx)
    return directory
