"""The cache stores in files and SQLite: many processes, damage, eviction, and what is on the disk."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from harnpy.builtins.cache_files import FileStore
from harnpy.builtins.cache_sqlite import SqliteStore

ROOT = Path(__file__).resolve().parent.parent.parent
HOUR = 3_600_000

WORKER = """
import sys
from harnpy.builtins.cache_{module} import {name}
quoted = '"{{}}"'.format
path, worker, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
store = {make}
for turn in range(turns):
    store.put("own", f"{{worker}}-{{turn}}", quoted(f"{{worker}}:{{turn}}" * 50), turn, {hour}, 100000)
    store.put("shared", "k", quoted(f"{{worker}}" * 4000), turn, {hour}, 100000)
    text = store.get("shared", "k", turn)
    assert text is not None and len(text) == 4002 and len(set(text)) == 2, text and text[:50]
"""
STORES = {
    "sqlite": ("sqlite", "SqliteStore", "SqliteStore(path, lambda text: print(text, file=sys.stderr))"),
    "fs": ("files", "FileStore", "FileStore(path)"),
}


@pytest.fixture
def open_store() -> Iterator[Callable[[str, Path], SqliteStore | FileStore]]:
    """Give ``open(kind, path)``; what it opened is closed when the test ends. No damage is expected."""
    opened: list[SqliteStore] = []

    def open_one(kind: str, path: Path) -> SqliteStore | FileStore:
        if kind == "fs":
            return FileStore(str(path))
        opened.append(SqliteStore(str(path), pytest.fail))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


def query(path: Path, statement: str) -> list[Any]:
    """Run a statement on an SQLite file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement).fetchall()


@pytest.mark.parametrize(("kind", "damaged"), [("fs", False), ("sqlite", False), ("sqlite", True)])
def test_eight_processes_lose_nothing_and_see_no_torn_value(
    kind: str, damaged: bool, tmp_path: Path, open_store
) -> None:
    module, name, make = STORES[kind]
    code = WORKER.format(module=module, name=name, make=make, hour=HOUR)
    path, turns = tmp_path / "store", 25
    if damaged:
        path.write_bytes(b"this is no database" * 400)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path), str(worker), str(turns)], env=env, stderr=subprocess.PIPE
        )
        for worker in range(8)
    ]
    errors = [worker.communicate()[1].decode() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 8
    assert "".join(errors).count("\n") == (1 if damaged else 0)
    store = open_store(kind, path)
    for worker in range(8):
        for turn in range(turns):
            assert store.get("own", f"{worker}-{turn}", 0) == f'"{f"{worker}:{turn}" * 50}"'


def test_a_damaged_sqlite_file_is_made_anew_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "llm.sqlite"
    path.write_bytes(b"this is no database" * 400)
    warnings: list[str] = []
    store = SqliteStore(str(path), warnings.append)
    store.put("n", "k", "1", 0, HOUR, 10)
    assert store.get("n", "k", 0) == "1"
    assert len(warnings) == 1
    assert "was damaged" in warnings[0]
    assert (tmp_path / "llm.sqlite.damaged").read_bytes().startswith(b"this is no database")
    store.close()


def test_damage_while_the_file_is_open(tmp_path: Path) -> None:
    path = tmp_path / "llm.sqlite"
    warnings: list[str] = []
    store = SqliteStore(str(path), warnings.append)
    for number in range(300):
        store.put("n", f"k{number}", f'"{number}"' * 50, 0, HOUR, 1000)
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    assert store.get("n", "k1", 0) is None
    store.put("n", "k", "1", 0, HOUR, 10)
    assert store.get("n", "k", 0) == "1"
    assert len(warnings) == 1
    store.close()


@pytest.mark.parametrize("kind", sorted(STORES))
def test_entries_live_until_their_moment_and_the_least_recent_go_first(kind: str, tmp_path: Path, open_store) -> None:
    store = open_store(kind, tmp_path / "store")
    for key in "abc":
        store.put("n", key, f'"{key}"', 0, 1000, 3)
    assert store.get("n", "a", 0) == '"a"'
    store.put("n", "d", '"d"', 0, 2000, 3)
    assert [store.get("n", key, 0) is not None for key in "abcd"] == [True, False, True, True]
    assert store.get("n", "a", 999) == '"a"'
    assert store.get("n", "a", 1000) is None
    store.put("n", "e", '"e"', 1500, 3000, 3)
    assert [store.get("n", key, 0) is not None for key in "cde"] == [False, True, True]
    store.put("n", "f", '"f"', 5, 5, 3)
    assert store.get("n", "f", 5) is None
    store.clear("n")
    assert store.get("n", "d", 0) is None


@pytest.mark.parametrize("kind", ["mem", *sorted(STORES)])
def test_257_entries_evict_just_the_least_recently_used(kind: str, tmp_path: Path, run_harn, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run_harn(
        f"""
        import {{cache_get, cache_put}} from "std/cache"
        mock_time(0)
        const o = {{backend: "{kind}", path: "store"}}
        for i in 1 to 256 {{ cache_put("k${{i}}", i, o) }}
        cache_get("k1", o)
        cache_put("k257", 257, o)
        println((1 to 257).filter({{ i -> !cache_get("k${{i}}", o).hit }}).to_list())
        """
    )
    assert (ran.out, ran.err) == ("[2]\n", "")


def test_the_layout_of_the_files(tmp_path: Path, run_harn, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run_harn(
        """
        import {cache_put} from "std/cache"
        mock_time(1000)
        cache_put("key", {a: [1, 2.0]}, {backend: "fs", path: "files", namespace: "n", ttl: 5})
        cache_put("key", {a: [1, 2.0]}, {backend: "sqlite", path: "db", namespace: "n", ttl: 5})
        cache_put("default", 1)
        """
    )
    assert ran.err == ""
    (entry,) = (tmp_path / "files" / "n").iterdir()
    assert len(entry.stem) == 64
    assert json.loads(entry.read_text()) == {
        "key": "key",
        "value": {"a": [1, 2.0]},
        "created_at_ms": 1000,
        "expires_at_ms": 6000,
        "last_accessed_ms": 1000,
    }
    columns = "namespace, cache_key, value_json, created_at_ms, expires_at_ms"
    assert query(tmp_path / "db", f"SELECT {columns} FROM cache_entries") == [("n", "key", '{"a":[1,2.0]}', 1000, 6000)]
    assert (tmp_path / ".harn" / "cache" / "llm.sqlite").exists()


def test_damaged_entries_are_misses_and_go_away(tmp_path: Path, run_harn, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = """
        import {cache_get, cache_put} from "std/cache"
        const o = [{backend: "fs", path: "files"}, {backend: "sqlite", path: "db"}]
        """
    run_harn(code + 'for each in o { cache_put("k", 1, each) }')
    (entry,) = (tmp_path / "files" / "default").iterdir()
    entry.write_text('{"key": "k", "val')
    query(tmp_path / "db", "UPDATE cache_entries SET value_json = '{broken'")
    ran = run_harn(code + 'println(o.map({ each -> cache_get("k", each).hit }))')
    assert (ran.out, ran.err) == ("[false, false]\n", "")
    assert not entry.exists()
    assert query(tmp_path / "db", "SELECT * FROM cache_entries") == []


def test_a_store_that_cannot_be_used_warns_once_and_misses(tmp_path: Path, run_harn, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    ran = run_harn(
        """
        import {cache_get, cache_put, with_cache} from "std/cache"
        for path in ["file/db", "../outside"] {
          for backend in ["fs", "sqlite"] {
            const o = {backend: backend, path: path}
            println([cache_put("k", 1, o).stored, cache_get("k", o).hit, with_cache("k", { -> 5 }, o)])
          }
        }
        """
    )
    assert ran.out == "[false, false, 5]\n" * 4
    lines = ran.err.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("warning: the ") and " is not used: " in line for line in lines)
    assert sum("HARN-CAP-201" in line for line in lines) == 2


def test_values_survive_the_end_of_the_run(tmp_path: Path, run_harn, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind in ("fs", "sqlite"):
        code = 'import {with_cache} from "std/cache"\n'
        code += f'print(with_cache("k", {{ -> NUMBER }}, {{backend: "{kind}", path: "{kind}", ttl: "1h"}}))'
        assert [run_harn(code.replace("NUMBER", number)).out for number in "12"] == ["1", "1"]


def test_texts_that_no_file_can_hold(tmp_path: Path, run_harn, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = """
        import {cache_get, cache_put} from "std/cache"
        for backend in ["mem", "fs", "sqlite"] {
          const o = {backend: backend, path: backend, ttl: "1h", namespace: argv[0]}
          cache_put("k" + argv[0], [argv[0]], o)
          print(cache_get("k" + argv[0], o).value)
        }
        println(cache_put("k", 1, {backend: "fs", path: json_parse("\\"a\\\\u0000b\\"")}).stored)
        println(cache_put("k", 1, {backend: "sqlite", path: "p".repeat(5000)}).stored)
        println(cache_get("k", {backend: "mem", ttl: 9000000000000000}).hit)
    """
    ran = run_harn(code, argv=["\udcff"])
    assert ran.code == 0
    assert ran.out == "[?][?][?]false\nfalse\nfalse\n"
    assert ran.err.count("is not used") == 2


def test_a_file_store_remembers_only_what_it_holds(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    for number in range(20):
        store.put("n", f"k{number}", '"x"', number, 10_000, 3)
    store.drop("n", "k19")
    assert len(store._known) <= 3


def test_runs_in_several_threads_may_write_the_same_file(tmp_path: Path) -> None:
    stores = [FileStore(str(tmp_path)) for _ in range(4)]

    def write(store: FileStore) -> None:
        for number in range(50):
            store.put("n", "k", f'"{number}"', number, 10_000, 3)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, stores))  # raises what one of them raised
    assert FileStore(str(tmp_path)).get("n", "k", 100) == '"49"'
