"""The code of generated functions that is kept between runs."""

from __future__ import annotations

import marshal
from typing import Any

import pytest

from harnpy.analysis import cache
from harnpy.runtime import shapes


def source(number: int) -> str:
    return f"answer = {number}"


def value_of(code: Any) -> int:
    scope: dict[str, int] = {}
    exec(code, scope)
    return scope["answer"]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin like a process of its own."""
    monkeypatch.setattr(shapes, "_made", {})
    monkeypatch.setattr(shapes, "_kept", None)
    monkeypatch.setattr(shapes, "_used", {})


def restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_made", {})
    monkeypatch.setattr(shapes, "_kept", None)
    monkeypatch.setattr(shapes, "_used", {})


def test_a_later_run_finds_what_an_earlier_one_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        shapes.compiled(source(number))
    shapes.keep()
    restart(monkeypatch)
    for number in range(shapes.FEW):
        shapes.compiled(source(100 + number))
    calls: list[str] = []
    monkeypatch.setattr(shapes, "_compile", lambda text: calls.append(text))
    assert value_of(shapes.compiled(source(3))) == 3
    assert calls == []


def test_a_run_without_news_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        shapes.compiled(source(number))
    shapes.keep()
    restart(monkeypatch)
    written: list[str] = []
    monkeypatch.setattr(cache, "store_data", lambda name, body: written.append(name))
    for number in range(20):
        shapes.compiled(source(number))
    shapes.keep()
    assert written == []


def test_a_file_that_grows_too_large_keeps_what_the_last_run_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100, 120):
        shapes.compiled(source(number))
    shapes.keep()
    restart(monkeypatch)
    monkeypatch.setattr(shapes, "MOST_BYTES", shapes._size(shapes._read()))
    for number in range(110, 130):
        shapes.compiled(source(number))
    shapes.keep()
    restart(monkeypatch)
    kept = shapes._read().keys()
    assert kept == {source(number) for number in range(110, 130)}


def test_small_programs_touch_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("touched")

    monkeypatch.setattr(cache, "load_data", refuse)
    monkeypatch.setattr(cache, "store_data", refuse)
    for number in range(shapes.FEW):
        assert value_of(shapes.compiled(source(number))) == number
    shapes.keep()


@pytest.mark.parametrize("data", [b"", b"junk", marshal.dumps({"a": 1})[:-1]])
def test_a_damaged_file_counts_as_none(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "load_data", lambda name: data)
    for number in range(2 * shapes.FEW):
        assert value_of(shapes.compiled(source(number))) == number


def test_data_that_somebody_changed_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("HARNPY_CACHE_DIR", str(tmp_path / "own"))
    cache.store_data("shapes", b"whole")
    assert cache.load_data("shapes") == b"whole"
    file = tmp_path / "own" / cache.data_name("shapes")
    file.write_bytes(file.read_bytes() + b"more")
    assert cache.load_data("shapes") is None
    file.chmod(0o666)
    assert cache.load_data("shapes") is None
    monkeypatch.setenv("HARNPY_NO_CACHE", "1")
    assert cache.load_data("shapes") is None
