"""The cache store in files: one JSON document per entry, written by rename (builtins 4.2)."""

from __future__ import annotations

import contextlib
import os
from hashlib import sha256

from harnpy.errors import HarnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # what the file was when it was read (time of change, size); moments of expiry, last use and creation
    Known = tuple[tuple[int, int], tuple[int, int, int]]

_ENDING = ".json"


class FileStore:
    """A folder with one folder per namespace."""

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self._folder = folder
        self._known: dict[str, Known] = {}
        self._stamp = 0

    def get(self, namespace: str, key: str, now: int) -> str | None:
        """Give the living text of a key and refresh its recency; a damaged or dead file is removed."""
        from harnpy.builtins.json_writing import compact_json

        path = self._file(namespace, key)
        entry = _read(path)
        if entry is None or entry["key"] != key or entry["expires_at_ms"] <= now:
            self._remove(path)
            return None
        entry["last_accessed_ms"] = self._next_stamp(now)
        # Another process may have removed it meanwhile: then it is written anew, which does no harm.
        _write(path, entry)
        return compact_json(entry["value"])

    def put(self, namespace: str, key: str, text: str, now: int, expires: int, most: int) -> None:
        """Keep a text, then drop what is dead and what is more than ``most`` entries."""
        from harnpy.builtins.json_reading import parse

        os.makedirs(os.path.join(self._folder, namespace), exist_ok=True)
        entry = {
            "key": key,
            "value": parse(text),
            "created_at_ms": now,
            "expires_at_ms": expires,
            "last_accessed_ms": self._next_stamp(now),
        }
        _write(self._file(namespace, key), entry)
        self._evict(namespace, now, most)

    def drop(self, namespace: str, key: str) -> None:
        """Forget one key."""
        self._remove(self._file(namespace, key))

    def clear(self, namespace: str) -> None:
        """Forget a namespace."""
        for path in self._files(namespace):
            self._remove(path)

    def _file(self, namespace: str, key: str) -> str:
        return os.path.join(self._folder, namespace, sha256(key.encode("utf-8", "replace")).hexdigest() + _ENDING)

    def _files(self, namespace: str) -> list[str]:
        folder = os.path.join(self._folder, namespace)
        try:
            return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(_ENDING)]
        except FileNotFoundError:
            return []

    def _remove(self, path: str) -> None:
        self._known.pop(path, None)
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)

    def _next_stamp(self, now: int) -> int:
        self._stamp = max(now, self._stamp + 1)
        return self._stamp

    def _evict(self, namespace: str, now: int, most: int) -> None:
        living = []
        for path in self._files(namespace):
            moments = self._moments(path)
            if moments is not None and moments[0] > now:
                living.append((moments[1:], path))
            else:
                self._remove(path)
        living.sort()
        for _, path in living[: max(0, len(living) - most)]:
            self._remove(path)

    def _moments(self, path: str) -> tuple[int, int, int] | None:
        """Give the moments of an entry; files that did not change are not read again."""
        try:
            found = os.stat(path)
        except OSError:
            return None
        version = (found.st_mtime_ns, found.st_size)
        known = self._known.get(path)
        if known is not None and known[0] == version:
            return known[1]
        entry = _read(path)
        if entry is None:
            return None
        moments = (entry["expires_at_ms"], entry["last_accessed_ms"], entry["created_at_ms"])
        self._known[path] = (version, moments)
        return moments


def _read(path: str) -> dict[str, Any] | None:
    """Give the entry in a file, or ``None`` when there is none that can be read."""
    from harnpy.builtins.json_reading import parse

    try:
        with open(path, encoding="utf-8") as file:
            entry = parse(file.read())
    except (OSError, UnicodeError, HarnError):
        return None
    numbers = ("created_at_ms", "expires_at_ms", "last_accessed_ms")
    if type(entry) is not dict or "value" not in entry or "key" not in entry:
        return None
    return entry if all(type(entry.get(name)) is int for name in numbers) else None


def _write(path: str, entry: dict[str, Any]) -> None:
    """Write an entry beside its place and rename it there, so that nobody reads half of it."""
    from harnpy.builtins.json_writing import compact_json

    # Runs in other threads may write the same entry: each has a file of its own.
    beside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    with open(beside, "w", encoding="utf-8") as file:
        file.write(compact_json(entry))
    os.replace(beside, path)
