"""The older global spellings of harness methods: the same function behind the same guard (builtins 0.3, 5)."""

from __future__ import annotations

from harnpy.builtins import registry
from harnpy.capabilities.guard import guarded
from harnpy.capabilities.methods import METHODS, NOT_GLOBAL, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.runtime.values import Builtin

# Members whose globals have effects outside the program, or are faked in tests.
GUARDED = ("stdio", "term", "clock", "random", "fs", "env", "net", "process", "system", "secrets", "llm", "agent")

# Globals that stand beside a method: guarded as that method.
_BESIDE = {
    "read_file_result": ("fs", "read_text_result"),
    "asset_root": ("fs", "runtime_paths"),
    "execution_root": ("fs", "runtime_paths"),
    "render": ("fs", "render_prompt"),
    "sleep": ("clock", "sleep_ms"),
    "sleep_ms": ("clock", "sleep_ms"),
    "date_now_iso": ("clock", "date_iso"),
    "random": ("random", "f64"),
    "random_int": ("random", "range"),
    "crypto_random_bytes": ("random", "bytes"),
    "arch": ("system", "platform"),
    "username": ("system", "identity"),
    "hostname": ("system", "identity"),
    "pid": ("system", "identity"),
}

_owners: dict[str, tuple[str, str]] = {}
_known: dict[str, Builtin] = {}


def owner(name: str) -> tuple[str, str] | None:
    """Give member and method whose guard the global ``name`` has, if any."""
    if not _owners:
        # At once: a thread that saw a part of them would let a name through without its guard.
        _owners.update(_read_owners())
    return _owners.get(name)


def _read_owners() -> dict[str, tuple[str, str]]:
    owners: dict[str, tuple[str, str]] = {}
    for capability in GUARDED:
        for method, row in parse(METHODS[capability]).items():
            if ":" not in row and f"{capability}.{method}" not in NOT_GLOBAL:
                owners.setdefault(row, (capability, method))
    return {**owners, **_BESIDE}


def function(name: str) -> Builtin | None:
    """Give the global builtin ``name``, guarded when it has an effect."""
    found = _known.get(name)
    if found is None:
        found = registry.function(name)
        if found is None:
            return None
        place = owner(name)
        if place is not None:
            found = guarded(*place, name, found)
        _known[name] = found
    return found
