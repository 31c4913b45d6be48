"""Methods of ``harness.fs`` that no global has (builtins 3.4)."""

from __future__ import annotations

from harnpy.builtins.files import absolute, allowed
from harnpy.errors import HarnError
from harnpy.runtime.values import EnumValue, err, ok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def read_text_result(ctx: Context, path: Any = None) -> EnumValue:
    """Read a text file; a failure is ``Err({kind, message})``."""
    try:
        full = allowed(ctx, "read_text_result", absolute(ctx, "read_text_result", path))
        with open(full, encoding="utf-8", newline="") as file:
            return ok(file.read())
    except HarnError as error:
        if type(error.value) is dict:
            return _failure("sandbox_denied", error.value["message"])
        raise
    except FileNotFoundError as error:
        return _failure("not_found", str(error.strerror))
    except UnicodeDecodeError:
        return _failure("invalid_data", "the file is not valid UTF-8")
    except PermissionError as error:
        return _failure("permission_denied", str(error.strerror))
    except OSError as error:
        return _failure("invalid_data", str(error.strerror))


def _failure(kind: str, message: str) -> EnumValue:
    return err({"kind": kind, "message": message})
