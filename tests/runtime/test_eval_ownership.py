"""The reference counts by which assignments tell that a container has one owner."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import pytest

from harnpy.runtime import ownership


def in_place(f: list[Any]) -> bool:
    container = f[0]
    return getrefcount(container) == ownership.OWNED_BY_PLACE


def taken_out(f: list[Any]) -> bool:
    container = f[0]
    f[0] = None
    return getrefcount(container) == ownership.OWNED_BY_LOCAL


def test_this_python_counts_as_expected() -> None:
    assert ownership.OWNED_BY_LOCAL == ownership.OWNED_BY_PLACE - 1 > 0


@pytest.mark.parametrize("make", [lambda: [1], lambda: {"k": 1}])
def test_one_owner_is_told_from_two(make: Any) -> None:
    assert in_place([make()])
    assert taken_out([make()])
    second = make()
    assert not in_place([second])
    assert not taken_out([second])
    holder = {"held": make()}
    assert not in_place([holder["held"]])


def test_an_unusable_count_turns_into_copy_always(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter(range(100))
    monkeypatch.setattr(ownership, "_count_in_place", lambda f: next(readings))
    assert ownership._calibrate() == (0, 0)
