"""The cache store in memory: it lives as long as the run (builtins 4.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    # text, moment of expiry
    Entry = tuple[str, int]


class MemoryStore:
    """Namespaces of entries; the order of a namespace is its recency, least recent first."""

    def __init__(self) -> None:
        self._namespaces: dict[str, dict[str, Entry]] = {}

    def get(self, namespace: str, key: str, now: int) -> str | None:
        """Give the living text of a key and refresh its recency."""
        entries = self._namespaces.get(namespace, {})
        entry = entries.pop(key, None)
        if entry is None or entry[1] <= now:
            return None
        entries[key] = entry
        return entry[0]

    def put(self, namespace: str, key: str, text: str, now: int, expires: int, most: int) -> None:
        """Keep a text, then drop what is dead and what is more than ``most`` entries."""
        entries = self._namespaces.get(namespace, {})
        entries.pop(key, None)
        living = {other: entry for other, entry in entries.items() if entry[1] > now}
        if expires > now:
            living[key] = (text, expires)
        for oldest in list(living)[: len(living) - most if len(living) > most else 0]:
            del living[oldest]
        self._namespaces[namespace] = living

    def drop(self, namespace: str, key: str) -> None:
        """Forget one key."""
        self._namespaces.get(namespace, {}).pop(key, None)

    def clear(self, namespace: str) -> None:
        """Forget a namespace."""
        self._namespaces.pop(namespace, None)
