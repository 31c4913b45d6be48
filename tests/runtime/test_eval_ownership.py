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


def test_an_unusable_count_turns_into_copy_always() -> None:
    readings = iter(range(100))
    assert ownership._calibrate(lambda f: next(readings), ownership._count_taken_out) == (0, 0)


def test_written_code_counts_behind_a_try() -> None:
    """From 3.14 on a count depends on whether a ``try`` comes before it; code with and without must count alike."""
    assert ownership.WRITTEN_BY_LOCAL == ownership.WRITTEN_BY_PLACE - 1 > 0
    for before in ("", "        try: int('1')\n        except FAULTS: raise\n"):
        names: dict[str, Any] = {"getrefcount": getrefcount}
        body = "        container = f[0]\n        return getrefcount(container)\n"
        exec(f"def make():\n    def node(f):\n{ownership.PROLOGUE}{before}{body}    return node", names)
        assert names["make"]()([[1]]) == ownership.WRITTEN_BY_PLACE
