"""The module cache: what it keeps, and that nothing bad in it ever reaches a program."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from harnpy import resources
from harnpy.analysis import cache, resolved
from harnpy.analysis.modules import load_source
from harnpy.analysis.packing import pack, unpack
from harnpy.analysis.resolve import resolve
from harnpy.source import Source
from harnpy.syntax.parser import parse

TEXT = """
import {x} from "./m"
pub type T = {a: int, b?: "lit" | nil}
@acp_tool(name: "n", list: [1, {k: true}])
fn f(a: T, b = [1, 2.5, "s", 5ms], ...rest) {
  let n = 0
  const g = { -> n = n + a.b }
  fn h() { return h() }
  return match a { {k: 1, j: v} if v -> { g() } [p, ...t] -> { t } _ -> { h() } }
}
pipeline p(harness: Harness) { for (k, v) in {a: 1} { println("${k}") } }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNPY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("HARNPY_NO_CACHE", raising=False)
    return tmp_path / "cache"


def source(text=TEXT):
    return Source("<test>", text)


def entries(folder):
    return sorted(folder.iterdir()) if folder.exists() else []


@pytest.fixture
def no_parsing(monkeypatch):
    """Give a function after whose call every parse fails the test."""

    def forbid():
        def fail(source):
            raise AssertionError("parsed in spite of the cache")

        monkeypatch.setattr("harnpy.syntax.parser.parse", fail)

    return forbid


def test_packing_keeps_the_tree():
    tree = resolve(parse(source()), source())
    assert repr(unpack(pack(tree))) == repr(tree)
    assert [pipeline.span for pipeline in unpack(pack(tree)).pipelines] == [tree.pipelines[0].span]


def test_bodies_stay_packed_until_they_are_needed():
    function = unpack(pack(resolve(parse(source()), source()))).declarations[0].function
    assert isinstance(function.packed, bytes)
    assert type(function.body) is resolved.Block
    assert function.body is function.body
    with pytest.raises(AttributeError):
        _ = function.no_such_field


def test_second_load_does_not_parse(folder, no_parsing):
    first = load_source(source())
    assert len(entries(folder)) == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    assert entries(folder)[0].stat().st_mode & 0o777 == 0o600
    no_parsing()
    assert repr(load_source(source())) == repr(first)


def test_other_text_other_entry(folder):
    load_source(source("println(1)\n"))
    load_source(source("println(2)\n"))
    assert len(entries(folder)) == 2


def test_rejected_programs_are_not_kept(folder):
    with pytest.raises(Exception, match="immutable"):
        load_source(source("const a = 1\na = 2\n"))
    assert entries(folder) == []


@pytest.mark.parametrize("damage", ["empty", "cut", "flip", "append", "foreign magic", "digest of junk"])
def test_damaged_entries_are_ignored_and_replaced(folder, damage, no_parsing):
    first = load_source(source())
    (entry,) = entries(folder)
    data = entry.read_bytes()
    broken = {
        "empty": b"",
        "cut": data[:-20],
        "flip": data[:100] + bytes([data[100] ^ 1]) + data[101:],
        "append": data + b"x",
        "foreign magic": b"x" + data[1:],
        "digest of junk": cache._MAGIC + cache.blake2b(b"junk", digest_size=cache.DIGEST_SIZE).digest() + b"junk",
    }[damage]
    entry.write_bytes(broken)
    assert repr(load_source(source())) == repr(first)
    assert entry.read_bytes() == data
    no_parsing()
    load_source(source())


def test_an_entry_of_another_kind_is_no_module(folder):
    load_source(source())
    (entry,) = entries(folder)
    body = pack(resolved.Block((0, 1), (), (), False))
    entry.write_bytes(cache._MAGIC + cache.blake2b(body, digest_size=cache.DIGEST_SIZE).digest() + body)
    assert type(load_source(source())) is resolved.Module


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_entries_that_others_can_write_are_never_loaded(folder, mode):
    load_source(source())
    (entry,) = entries(folder)
    entry.chmod(mode)
    key = cache.key_of(TEXT)
    assert cache.load(key) is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_folders_that_others_can_write_are_never_used(folder, mode):
    load_source(source())
    folder.chmod(mode)
    assert cache.load(cache.key_of(TEXT)) is None
    load_source(source("println(9)\n"))
    assert len(entries(folder)) == 1


def test_entries_of_another_owner_are_never_loaded(folder, monkeypatch):
    load_source(source())
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.load(cache.key_of(TEXT)) is None


def test_entries_that_are_links_are_never_loaded(folder, tmp_path):
    load_source(source())
    (entry,) = entries(folder)
    entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(tmp_path / "elsewhere")
    assert cache.load(cache.key_of(TEXT)) is None


@pytest.mark.parametrize("variable", [("HARNPY_NO_CACHE", "1"), ("HARNPY_CACHE_DIR", "")])
def test_the_environment_turns_it_off(folder, monkeypatch, variable):
    monkeypatch.setenv(*variable)
    load_source(source())
    assert entries(folder) == []


def test_option_turns_it_off(folder):
    load_source(source(), use_cache=False)
    assert entries(folder) == []


def test_a_folder_that_cannot_be_made_is_no_error(folder):
    folder.write_text("a file where the folder should be")
    assert type(load_source(source())) is resolved.Module


def test_writing_that_fails_is_no_error(folder, monkeypatch):
    def refuse(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    assert type(load_source(source())) is resolved.Module
    assert entries(folder) == []


def test_a_home_that_is_missing(monkeypatch):
    monkeypatch.delenv("HARNPY_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "")
    assert type(load_source(source())) is resolved.Module


def test_concurrent_writers_and_readers(folder):
    expected = repr(resolve(parse(source()), source()))
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: repr(load_source(source())), range(40)))
    assert set(results) == {expected}
    assert len(entries(folder)) == 1


def test_versions_have_entries_of_their_own(folder, monkeypatch):
    load_source(source())
    monkeypatch.setattr(cache, "__version__", "0.0.0")
    assert cache.load(cache.key_of(TEXT)) is None


def test_a_full_cache_makes_room(folder, monkeypatch):
    monkeypatch.setattr(cache, "MAX_ENTRIES", 6)
    for number in range(20):
        load_source(source(f"println({number})\n"))
    assert 3 <= len(entries(folder)) <= 7


def test_prebuilt_entries_come_first(tmp_path, folder, monkeypatch, no_parsing):
    library = tmp_path / "stdlib"
    (library / "llm").mkdir(parents=True)
    (library / "llm" / "one.harn").write_text(TEXT)
    (library / "two.harn").write_text("pub fn two() { return 2 }\n")
    monkeypatch.setattr(resources, "stdlib_dir", lambda: str(library))
    assert cache.build_stdlib_cache(str(tmp_path / "prebuilt")) == 2
    monkeypatch.setattr(resources, "prebuilt_cache_dir", lambda: str(tmp_path / "prebuilt"))
    no_parsing()
    assert type(load_source(source())) is resolved.Module
    assert entries(folder) == []
    (library / "two.harn").write_text("pub fn two() { return 3 }\n")
    with pytest.raises(AssertionError, match="in spite of the cache"):
        load_source(source("pub fn two() { return 3 }\n"))
