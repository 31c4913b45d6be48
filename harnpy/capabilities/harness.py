"""Builds the ``harness`` handle: its members and their lazily loaded methods (builtins 3.1)."""

from __future__ import annotations

from harnpy.builtins import registry
from harnpy.builtins.table import FUNCTIONS
from harnpy.capabilities.guard import guarded
from harnpy.capabilities.methods import FAMILIES, METHODS, NOT_GLOBAL, ROOT_METHODS, parse
from harnpy.errors import runtime_error
from harnpy.runtime.values import Builtin, Handle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class MethodTable:
    """Method name to ``Builtin``, loaded when first asked for."""

    __slots__ = ("_capability", "_entries", "_families", "_loaded", "_rows", "_type_name")

    def __init__(self, capability: str, type_name: str, entries: str) -> None:
        self._capability = capability
        self._type_name = type_name
        self._entries = entries
        self._families: tuple[str, ...] = FAMILIES.get(capability, ())
        self._rows: dict[str, str] | None = None
        self._loaded: dict[str, Builtin] = {}

    def get(self, name: str, default: Builtin | None = None) -> Builtin | None:
        """Give the method ``name``, or ``default`` when this member has none."""
        found = self._loaded.get(name)
        if found is not None:
            return found
        row = self._table().get(name)
        if row is None:
            if not name.startswith(self._families):
                return default
            row = f"agent_{name}" if self._capability == "agent" else name
        found = self._loaded[name] = self._load(name, row)
        return found

    def __getitem__(self, name: str) -> Builtin:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: str) -> bool:
        return name in self._table() or name.startswith(self._families)

    def keys(self) -> list[str]:
        """Give the names of all methods, sorted."""
        return sorted(self._table())

    def implements(self, name: str) -> bool:
        """Tell whether the method ``name`` is built, not only known."""
        row = self._table().get(name)
        if row is None or f"{self._capability}.{name}" in NOT_GLOBAL:
            return False
        return ":" in row or row in FUNCTIONS

    def _table(self) -> dict[str, str]:
        if self._rows is None:
            self._rows = parse(self._entries)
        return self._rows

    def _load(self, name: str, row: str) -> Builtin:
        full = f"{self._type_name}.{name}"
        target = None if f"{self._capability}.{name}" in NOT_GLOBAL else _target(full, row)
        if target is None:
            return _planned(full)
        return guarded(self._capability, name, full, target)


def _target(full: str, row: str) -> Builtin | None:
    module, colon, function = row.partition(":")
    if not colon:
        return registry.function(row)
    from importlib import import_module

    return Builtin(full, getattr(import_module("harnpy." + module), function))


def _planned(full: str) -> Builtin:
    """Make a method of the language that this version does not have."""

    def refuse(*_args: Any) -> Any:
        raise runtime_error(f"{full}: not implemented in this version")

    return Builtin(full, refuse)


def type_name_of(capability: str) -> str:
    """Give the type name of a member: ``HarnessFs`` for ``fs``."""
    return "Harness" + "".join(part.capitalize() for part in capability.split("_"))


def _member(capability: str, entries: str) -> Handle:
    type_name = type_name_of(capability)
    return Handle(type_name, {}, MethodTable(capability, type_name, entries))


def build_harness() -> Handle:
    """Make the ``harness`` handle. It holds no state of a run: methods get that from the context."""
    members = {capability: _member(capability, entries) for capability, entries in METHODS.items()}
    return Handle("Harness", members, MethodTable("root", "Harness", ROOT_METHODS))


def is_capability(name: str) -> bool:
    """Tell whether ``--allow`` and ``--deny`` may name this: a member of the harness, or one of its methods."""
    member, dot, method = name.partition(".")
    if member not in METHODS:
        return False
    return not dot or method in MethodTable(member, type_name_of(member), METHODS[member])


def event_log_handle() -> Handle:
    """Make the global ``event_log`` with its methods (builtins 1.19)."""
    entries = """
        emit=builtins.events:topic_emit latest=builtins.events:topic_latest read=builtins.events:topic_read
        topics=builtins.events:topic_names subscribe=builtins.topic_streams:topic_subscribe
    """
    return Handle("EventLog", {}, MethodTable("event_log", "EventLog", entries))


def stream_handle() -> Handle:
    """Make the global ``stream`` with its functions (builtins 1.20)."""
    entries = """
        map=builtins.streams:mapped filter=builtins.streams:filtered tap=builtins.streams:tapped
        scan=builtins.streams:scan fold=builtins.streams:fold collect=builtins.streams:collect
        first=builtins.streams:first take=builtins.streams:take take_until=builtins.streams:take_until
        zip=builtins.streams:zipped interleave=builtins.streams:interleave throttle=builtins.streams:throttle
        merge=builtins.stream_tasks:merge race=builtins.stream_tasks:race debounce=builtins.stream_tasks:debounce
        broadcast=builtins.stream_tasks:broadcast
    """
    return Handle("Stream", {}, MethodTable("stream", "stream", entries))
