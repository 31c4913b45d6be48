"""The cache store in memory: it lives as long as the run (builtins 4.2)."""

from __future__ import annotations

from collections import OrderedDict

_NEVER = float("inf")


class _Namespace:
    """Entries (text, moment of expiry) in the order of their recency, least recent first."""

    __slots__ = ("_entries", "_soonest")

    def __init__(self) -> None:
        self._entries: OrderedDict[str, tuple[str, int]] = OrderedDict()
        # No entry dies earlier; so most puts need not look at all entries.
        self._soonest: float = _NEVER

    def get(self, key: str, now: int) -> str | None:
        entry = self._entries.pop(key, None)
        if entry is None or entry[1] <= now:
            return None
        self._entries[key] = entry
        return entry[0]

    def put(self, key: str, text: str, now: int, expires: int, most: int) -> None:
        self._entries.pop(key, None)
        if self._soonest <= now:
            self._entries = OrderedDict((other, entry) for other, entry in self._entries.items() if entry[1] > now)
            self._soonest = min([entry[1] for entry in self._entries.values()], default=_NEVER)
        if expires > now:
            self._entries[key] = (text, expires)
            self._soonest = min(self._soonest, expires)
        while len(self._entries) > most:
            self._entries.popitem(last=False)

    def drop(self, key: str) -> None:
        self._entries.pop(key, None)


class MemoryStore:
    """The namespaces of one run."""

    def __init__(self) -> None:
        self._namespaces: dict[str, _Namespace] = {}

    def get(self, namespace: str, key: str, now: int) -> str | None:
        """Give the living text of a key and refresh its recency."""
        found = self._namespaces.get(namespace)
        return None if found is None else found.get(key, now)

    def put(self, namespace: str, key: str, text: str, now: int, expires: int, most: int) -> None:
        """Keep a text, then drop what is dead and what is more than ``most`` entries."""
        if namespace not in self._namespaces:
            self._namespaces[namespace] = _Namespace()
        self._namespaces[namespace].put(key, text, now, expires, most)

    def drop(self, namespace: str, key: str) -> None:
        """Forget one key."""
        if namespace in self._namespaces:
            self._namespaces[namespace].drop(key)

    def clear(self, namespace: str) -> None:
        """Forget a namespace."""
        self._namespaces.pop(namespace, None)
