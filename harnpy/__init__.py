"""harnpy: an interpreter for Harn. The public API; nothing is imported before it is used."""

from __future__ import annotations

from harnpy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.diagnostics import Diagnostic
    from harnpy.embedding import Function, Module, Program, RunResult, Session, Stream, Variant, arun, run
    from harnpy.embedding_protocols import HostClock
    from harnpy.embedding_providers import Provider, ProviderError, ProviderReply
    from harnpy.embedding_shared import Shared
    from harnpy.errors import HarnError, HarnpyError, RejectedProgram, RunInterrupted, RunTimeout

__all__ = [
    "Diagnostic",
    "Function",
    "HarnError",
    "HarnpyError",
    "HostClock",
    "Module",
    "Program",
    "Provider",
    "ProviderError",
    "ProviderReply",
    "RejectedProgram",
    "RunInterrupted",
    "RunResult",
    "RunTimeout",
    "Session",
    "Shared",
    "Stream",
    "Variant",
    "__version__",
    "arun",
    "run",
]

_HOME = {
    "diagnostics": ("Diagnostic",),
    "embedding": ("Function", "Module", "Program", "RunResult", "Session", "Stream", "Variant", "arun", "run"),
    "embedding_protocols": ("HostClock",),
    "embedding_providers": ("Provider", "ProviderError", "ProviderReply"),
    "embedding_shared": ("Shared",),
    "errors": ("HarnError", "HarnpyError", "RejectedProgram", "RunInterrupted", "RunTimeout"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module("harnpy." + module), name)
    raise AttributeError(f"module 'harnpy' has no attribute {name!r}")
