"""What the user sees when harnpy itself fails: one line, with a traceback only on demand."""

from __future__ import annotations

import errno
import os

INTERNAL_FAULT = 70


def from_outside(fault: BaseException) -> str | None:
    """Tell of a ``fault`` that the surroundings of the process cause, whatever it does; None: it is one of harnpy."""
    if not isinstance(fault, OSError):
        return None
    try:
        os.getcwd()
    except OSError:
        return "the working folder is gone"
    if fault.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
        return f"cannot write the output: {fault.strerror}"
    return None


def fault_text(fault: BaseException) -> str:
    """Give the report of an exception that no program should be able to cause, without secrets."""
    from harnpy.events.redact import redact_text

    return redact_text(_text(fault))


def _text(fault: BaseException) -> str:
    line = f"internal fault of harnpy: {type(fault).__name__}: {fault} (HARNPY_DEBUG=1 shows where)\n"
    if os.environ.get("HARNPY_DEBUG") != "1":
        return line
    import traceback

    return "".join(traceback.format_exception(fault)) + line
