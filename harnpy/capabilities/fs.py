"""Methods of ``harness.fs`` that no global has (builtins 3.4)."""

from __future__ import annotations

from harnpy.builtins.file_access import Place, locate, read_bytes, reason
from harnpy.errors import HarnError
from harnpy.runtime.values import EnumValue, err, ok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def read_text_result(ctx: Context, path: Any = None) -> EnumValue:
    """Read a UTF-8 text file: ``Ok(text)`` or ``Err({kind, message})``.

    ``kind`` is ``not_found``, ``permission_denied``, ``invalid_data`` (no UTF-8, no regular file) or
    ``sandbox_denied``.
    """
    found = reachable(ctx, "read_text_result", path)
    if type(found) is EnumValue:
        return found
    try:
        return ok(read_bytes(ctx, found).decode("utf-8"))
    except (OSError, UnicodeError) as error:
        return failed(error)


def reachable(ctx: Context, method: str, path: Any, write: bool = False) -> Any:
    """Give the ``Place`` of a path, or the ``Err`` of one that the policy refuses."""
    try:
        place: Place = locate(ctx, method, path, write=write)
    except HarnError as error:
        if type(error.value) is not dict:
            raise
        return _failure("sandbox_denied", error.value["message"])
    return place


def failed(error: OSError | UnicodeError) -> EnumValue:
    """Give the ``Err({kind, message})`` of a file operation that failed."""
    if isinstance(error, FileNotFoundError):
        kind = "not_found"
    elif isinstance(error, PermissionError):
        kind = "permission_denied"
    else:
        kind = "invalid_data"
    message = "the file is not valid UTF-8" if isinstance(error, UnicodeError) else reason(error)
    return _failure(kind, message)


def _failure(kind: str, message: str) -> EnumValue:
    return err({"kind": kind, "message": message})
