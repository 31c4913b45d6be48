"""The three cache stores against a plain model: the same answers to any series of operations."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.builtins.cache_files import FileStore
from harnpy.builtins.cache_memory import MemoryStore
from harnpy.builtins.cache_sqlite import SqliteStore


class Model:
    """What the rules of builtins 4.2 say, in the plainest way: a list of entries, least recent first."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, str, int]] = []

    def _take(self, namespace: str, key: str) -> tuple[str, str, str, int] | None:
        found = next((entry for entry in self.entries if entry[:2] == (namespace, key)), None)
        if found is not None:
            self.entries.remove(found)
        return found

    def get(self, namespace: str, key: str, now: int) -> str | None:
        entry = self._take(namespace, key)
        if entry is None or entry[3] <= now:
            return None
        self.entries.append(entry)
        return entry[2]

    def put(self, namespace: str, key: str, text: str, now: int, expires: int, most: int) -> None:
        self._take(namespace, key)
        self.entries.append((namespace, key, text, expires))
        self.entries = [entry for entry in self.entries if entry[0] != namespace or entry[3] > now]
        own = [entry for entry in self.entries if entry[0] == namespace]
        for entry in own[: max(0, len(own) - most)]:
            self.entries.remove(entry)

    def drop(self, namespace: str, key: str) -> None:
        self._take(namespace, key)

    def clear(self, namespace: str) -> None:
        self.entries = [entry for entry in self.entries if entry[0] != namespace]


NAMESPACES = st.sampled_from(["a", "b"])
KEYS = st.sampled_from("pqrst")
OPERATIONS = st.one_of(
    st.tuples(st.just("get"), NAMESPACES, KEYS),
    st.tuples(st.just("put"), NAMESPACES, KEYS, st.integers(0, 99).map(str), st.integers(0, 30), st.integers(1, 4)),
    st.tuples(st.just("drop"), NAMESPACES, KEYS),
    st.tuples(st.just("clear"), NAMESPACES),
    st.tuples(st.just("wait"), st.integers(0, 20)),
)


def answers(store: Any, operations: list[tuple[Any, ...]]) -> list[str | None]:
    """Carry the operations out and give what the look-ups gave; at the end everything is looked up once."""
    found, now = [], 1000
    for name, *args in operations:
        if name == "wait":
            now += args[0]
        elif name == "get":
            found.append(store.get(*args, now))
        elif name == "put":
            namespace, key, text, ttl, most = args
            store.put(namespace, key, text, now, now + ttl, most)
        else:
            getattr(store, name)(*args)
    return found + [store.get(namespace, key, now) for namespace in "ab" for key in "pqrst"]


@pytest.mark.parametrize("kind", ["mem", "fs", "sqlite"])
def test_a_store_does_what_the_model_does(kind: str) -> None:
    @settings(max_examples=60 if kind == "mem" else 25, deadline=None)
    @given(st.lists(OPERATIONS, max_size=25))
    def check(operations: list[tuple[Any, ...]]) -> None:
        with TemporaryDirectory() as folder:
            store: Any
            if kind == "mem":
                store = MemoryStore()
            elif kind == "fs":
                store = FileStore(str(Path(folder) / "files"))
            else:
                store = SqliteStore(str(Path(folder) / "db"), pytest.fail)
            assert answers(store, operations) == answers(Model(), operations)
            if kind == "sqlite":
                store.close()

    check()
