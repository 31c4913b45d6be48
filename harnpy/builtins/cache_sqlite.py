"""The cache store in an SQLite file that many processes may share (builtins 4.2)."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    Result = TypeVar("Result")

# How long one operation waits for other processes.
_PATIENCE = 10.0

_TABLE = """
    CREATE TABLE IF NOT EXISTS cache_entries (
        namespace TEXT NOT NULL,
        cache_key TEXT NOT NULL,
        value_json TEXT NOT NULL,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL,
        last_accessed_ms INTEGER NOT NULL,
        PRIMARY KEY (namespace, cache_key)
    )
"""
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS cache_recency ON cache_entries (namespace, last_accessed_ms)",
    "CREATE INDEX IF NOT EXISTS cache_expiry ON cache_entries (namespace, expires_at_ms)",
)
# The moment of use; later than every other of the namespace, even when the clock stands still.
_STAMP = "MAX(?, COALESCE((SELECT MAX(last_accessed_ms) + 1 FROM cache_entries WHERE namespace = ?), 0))"
_READ = "SELECT value_json, expires_at_ms FROM cache_entries WHERE namespace = ? AND cache_key = ?"
_TOUCH = f"UPDATE cache_entries SET last_accessed_ms = {_STAMP} WHERE namespace = ? AND cache_key = ?"  # noqa: S608 (our own constant)
_WRITE = f"INSERT OR REPLACE INTO cache_entries VALUES (?, ?, ?, ?, ?, {_STAMP})"  # noqa: S608 (our own constant)
_DROP = "DELETE FROM cache_entries WHERE namespace = ? AND cache_key = ?"
_DROP_DEAD = "DELETE FROM cache_entries WHERE namespace = ? AND expires_at_ms <= ?"
_COUNT = "SELECT COUNT(*) FROM cache_entries WHERE namespace = ?"
_DROP_OLDEST = """
    DELETE FROM cache_entries WHERE rowid IN (
        SELECT rowid FROM cache_entries WHERE namespace = ? ORDER BY last_accessed_ms, created_at_ms LIMIT ?
    )
"""
_CLEAR = "DELETE FROM cache_entries WHERE namespace = ?"


class SqliteStore:
    """One file; every operation is one transaction. A file that is no database is set aside and made anew."""

    def __init__(self, path: str, warn: Callable[[str], None]) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self._path = path
        self._warn = warn
        self._connection: sqlite3.Connection | None = None
        self._do(lambda connection: None)

    def get(self, namespace: str, key: str, now: int) -> str | None:
        """Give the living text of a key and refresh its recency."""
        return self._do(lambda connection: _get(connection, namespace, key, now))

    def put(self, namespace: str, key: str, text: str, now: int, expires: int, most: int) -> None:
        """Keep a text, then drop what is dead and what is more than ``most`` entries."""
        row = (namespace, key, text, now, expires, now, namespace)
        self._do(lambda connection: _put(connection, row, most))

    def drop(self, namespace: str, key: str) -> None:
        """Forget one key."""
        self._do(lambda connection: _change(connection, _DROP, (namespace, key)))

    def clear(self, namespace: str) -> None:
        """Forget a namespace."""
        self._do(lambda connection: _change(connection, _CLEAR, (namespace,)))

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _do(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run ``work``; a damaged file is replaced first.

        Raises:
            OSError: the file cannot be used.
        """
        try:
            try:
                return work(self._open())
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._rebuild()
                return work(self._open())
        except sqlite3.Error as error:
            self.close()
            raise OSError(str(error)) from None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _connect(self._path)
        return self._connection

    def _rebuild(self) -> None:
        """Set the damaged file aside, unless another process did so meanwhile."""
        self.close()
        with _locked(self._path + ".lock"):
            if not _is_damaged(self._path):
                return
            os.replace(self._path, self._path + ".damaged")
            for ending in ("-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(self._path + ending)
        self._warn(f"the cache {self._path} was damaged and is made anew (the old file: {self._path}.damaged)")


def _connect(path: str) -> sqlite3.Connection:
    """Open the file; several processes may do so at once, and the change to WAL may find it busy."""
    last = monotonic() + _PATIENCE
    while True:
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_TABLE)
            for index in _INDEXES:
                connection.execute(index)
            return connection
        except sqlite3.Error as error:
            connection.close()
            if not _is_busy(error) or monotonic() > last:
                raise
        sleep(0.01)


def _code(error: sqlite3.Error) -> int:
    """Give the primary code of an error; errors of the Python module itself have none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_busy(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _is_damage(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def _is_damaged(path: str) -> bool:
    try:
        connection = _connect(path)
        try:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
        finally:
            connection.close()
    except sqlite3.Error as error:
        return _is_damage(error)


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Hold a lock between processes: a transaction on a database of its own works on every system."""
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        connection.close()


def _in_transaction(connection: sqlite3.Connection, work: Callable[[], Result]) -> Result:
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work()
    except BaseException:
        # A damaged file may have ended the transaction already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return result


def _change(connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> None:
    connection.execute(statement, values)


def _get(connection: sqlite3.Connection, namespace: str, key: str, now: int) -> str | None:
    row = connection.execute(_READ, (namespace, key)).fetchone()
    if row is None:
        return None
    text, expires = row
    if type(text) is not str or type(expires) is not int or expires <= now:
        connection.execute(_DROP + " AND expires_at_ms = ?", (namespace, key, expires))
        return None
    connection.execute(_TOUCH, (now, namespace, namespace, key))
    return text


def _put(connection: sqlite3.Connection, row: Sequence[Any], most: int) -> None:
    namespace, now = row[0], row[3]

    def work() -> None:
        connection.execute(_WRITE, row)
        connection.execute(_DROP_DEAD, (namespace, now))
        surplus = connection.execute(_COUNT, (namespace,)).fetchone()[0] - most
        if surplus > 0:
            connection.execute(_DROP_OLDEST, (namespace, surplus))

    _in_transaction(connection, work)
