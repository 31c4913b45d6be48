"""Where data files and caches lie."""

from __future__ import annotations

import os

import pytest

from harnpy import resources


def test_the_data_is_there() -> None:
    assert os.path.isfile(resources.grammar_file("harn.lark"))
    assert os.path.isfile(os.path.join(resources.stdlib_dir(), "llm", "handlers.harn"))
    assert os.path.isfile(resources.package_file("llm", "catalog.toml"))


def test_the_cache_may_be_named_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNPY_CACHE_DIR", "some/folder")
    assert resources.user_cache_dir() == os.path.abspath("some/folder")
    monkeypatch.setenv("HARNPY_CACHE_DIR", "")
    assert resources.user_cache_dir() is None


def test_the_cache_follows_the_desktop_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HARNPY_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert resources.user_cache_dir() == "/xdg/harnpy"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home-of-somebody")
    assert resources.user_cache_dir() == "/home-of-somebody/.cache/harnpy"


@pytest.mark.parametrize("home", ["", "/", "relative"])
def test_without_a_home_nothing_is_cached(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    for name in ("HARNPY_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", home)
    assert resources.user_cache_dir() is None
