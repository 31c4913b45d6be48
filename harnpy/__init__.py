"""harnpy: an interpreter for Harn. The public API; nothing is imported before it is used."""

from __future__ import annotations

from harnpy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.errors import HarnError, HarnpyError, RejectedProgram
    from harnpy.options import Options
    from harnpy.session import Session
    from harnpy.streams import Streams

__all__ = ["HarnError", "HarnpyError", "Options", "RejectedProgram", "Session", "Streams", "__version__"]

_HOME = {
    "HarnError": "errors",
    "HarnpyError": "errors",
    "Options": "options",
    "RejectedProgram": "errors",
    "Session": "session",
    "Streams": "streams",
}


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module 'harnpy' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("harnpy." + module), name)
