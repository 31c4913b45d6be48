"""Replacing files as a whole, and appending under a lock (builtins 3.4)."""

from __future__ import annotations

import os
import stat as modes
from contextlib import suppress

from harnpy.builtins.directories import mkdir
from harnpy.builtins.file_access import APPEND, CREATE, Place, failure, locate, read_bytes
from harnpy.builtins.files import encoded
from harnpy.capabilities.fs import failed, reachable
from harnpy.errors import HarnError, thrown_text, type_error
from harnpy.runtime.values import EnumValue, err, ok, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_DOING = "Failed to write file"


def append_locked(ctx: Context, path: Any = None, text: Any = None) -> None:
    """Append text to a file while no other process that does the same writes to it.

    Errors: throws ``Failed to append to file <path>: <reason>``.
    """
    place = locate(ctx, "append_locked", path, write=True)
    content = encoded("Failed to append to file", place, text)
    try:
        with place, os.fdopen(place.open(APPEND), "ab") as file:
            _lock(file.fileno())
            file.write(content)
    except OSError as error:
        raise failure("Failed to append to file", place.path, error) from None


def _lock(descriptor: int) -> None:
    """Lock a file until it is closed; where there are no such locks, appending has to do."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def replace_text(ctx: Context, path: Any = None, text: Any = None, options: Any = None) -> dict[str, Any]:
    """Put a text in the place of a file's content, all or nothing: ``{status, sha256}``.

    ``status`` is ``created``, ``replaced``, ``no_op`` (the same content), ``stale`` or ``exists``; only the first
    two wrote.
    Options: ``expected_sha256`` (else ``stale``), ``create`` (true), ``overwrite`` (true; false gives ``exists``),
    ``create_parents`` (false), ``durability`` (a text other than ``none`` waits for the disk).
    Errors: throws ``Failed to write file <path>: <reason>``.
    """
    place = locate(ctx, "replace_text", path, write=True)
    return _thrown(ctx, place, encoded(_DOING, place, text), options)


def replace_bytes(ctx: Context, path: Any = None, content: Any = None, options: Any = None) -> dict[str, Any]:
    """Put bytes in the place of a file's content, all or nothing; options and result as ``replace_text``."""
    place = locate(ctx, "replace_bytes", path, write=True)
    return _thrown(ctx, place, _bytes("replace_bytes", content), options)


def replace_text_result(ctx: Context, path: Any = None, text: Any = None, options: Any = None) -> EnumValue:
    """As ``replace_text``: ``Ok({status, sha256})``, or ``Err({kind, message})`` instead of throwing."""
    found = reachable(ctx, "replace_text_result", path, write=True)
    return found if type(found) is EnumValue else _result(ctx, found, encoded(_DOING, found, text), options)


def replace_bytes_result(ctx: Context, path: Any = None, content: Any = None, options: Any = None) -> EnumValue:
    """As ``replace_bytes``: ``Ok({status, sha256})``, or ``Err({kind, message})`` instead of throwing."""
    found = reachable(ctx, "replace_bytes_result", path, write=True)
    data = _bytes("replace_bytes_result", content)
    return found if type(found) is EnumValue else _result(ctx, found, data, options)


def _bytes(method: str, content: Any) -> bytes:
    if type(content) is not bytes:
        raise type_error(f"HarnessFs.{method} expects bytes argument 2, got {type_of(content)}")
    return content


def _thrown(ctx: Context, place: Place, content: bytes, options: Any) -> dict[str, Any]:
    try:
        return _replace(ctx, place, content, options if type(options) is dict else {})
    except OSError as error:
        raise failure(_DOING, place.path, error) from None


def _result(ctx: Context, place: Place, content: bytes, options: Any) -> EnumValue:
    try:
        return ok(_replace(ctx, place, content, options if type(options) is dict else {}))
    except OSError as error:
        return failed(error)
    except HarnError as error:
        if type(error.value) is not str:
            raise
        return err({"kind": "invalid_data", "message": error.value})


def _replace(ctx: Context, place: Place, content: bytes, options: dict[str, Any]) -> dict[str, Any]:
    """Give ``{status, sha256}``: ``created replaced no_op stale exists``; only the first two change the file."""
    from hashlib import sha256

    digest = sha256(content).hexdigest()
    try:
        old = read_bytes(ctx, place)
    except FileNotFoundError:
        old = None
    if old is None:
        if options.get("create", True) is False:
            raise FileNotFoundError(2, "No such file or directory")
        if options.get("expected_sha256") is not None:
            return {"status": "stale", "sha256": None}
        if options.get("create_parents"):
            mkdir(ctx, os.path.dirname(place.path))
        _put(place, content, options)
        return {"status": "created", "sha256": digest}
    present = sha256(old).hexdigest()
    if options.get("expected_sha256") not in (None, present):
        return {"status": "stale", "sha256": present}
    if options.get("overwrite", True) is False:
        return {"status": "exists", "sha256": present}
    if old == content:
        return {"status": "no_op", "sha256": present}
    _put(place, content, options)
    return {"status": "replaced", "sha256": digest}


def _put(place: Place, content: bytes, options: dict[str, Any]) -> None:
    """Write a new file beside the old one and let it take its place."""
    import secrets

    durability = options.get("durability")
    if durability is not None and type(durability) is not str:
        raise thrown_text("replace: durability must be a string")
    beside = place.sibling(f".{secrets.token_hex(4)}.tmp")
    mode = _mode(place)
    with place, beside:
        try:
            with os.fdopen(beside.open(CREATE), "wb") as file:
                file.write(content)
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(file.fileno(), mode)
                if durability not in (None, "none"):
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(beside.name, place.name, src_dir_fd=beside.folder, dst_dir_fd=place.folder)
        except OSError:
            _forget(beside)
            raise


def _mode(place: Place) -> int | None:
    try:
        with place:
            return modes.S_IMODE(place.status().st_mode)
    except OSError:
        return None


def _forget(beside: Place) -> None:
    with suppress(OSError):
        os.unlink(beside.name, dir_fd=beside.folder)
