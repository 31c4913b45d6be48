"""Methods: agreement with plain Python on random lists, inputs left alone, and linear time."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest
from builtin_values import IDENTITY, VALUES, make_context
from hypothesis import given
from hypothesis import strategies as st

from harnpy.builtins import registry
from harnpy.runtime.calls import call
from harnpy.runtime.equality import equal
from harnpy.runtime.values import Builtin

CTX = make_context(".")
INTS = st.lists(st.integers(-50, 50), max_size=12)


def method(kind: str, name: str, *args: Any) -> Any:
    found = registry.method(kind, name)
    assert found is not None
    return call(CTX, found, list(args))


@given(INTS, st.integers(-4, 14), st.integers(-4, 14))
def test_parts_of_lists(xs: list[int], a: int, b: int) -> None:
    assert method("list", "slice", xs, a, b) == xs[a:b]
    assert method("list", "take", xs, a) == xs[: max(a, 0)]
    assert method("list", "skip", xs, a) == xs[max(a, 0) :]
    assert method("list", "take", xs, a) + method("list", "skip", xs, a) == xs
    assert method("list", "last", xs, 3) == xs[-3:]
    assert method("list", "reversed", xs) == xs[::-1]
    assert [item for part in method("list", "chunk", xs, a) for item in part] == xs


@given(INTS)
def test_whole_lists(xs: list[int]) -> None:
    assert method("list", "sorted", xs) == sorted(xs)
    assert method("list", "unique", xs) == list(dict.fromkeys(xs))
    assert method("list", "sum", xs) == sum(xs)
    assert method("list", "min", xs) == min(xs, default=None)
    assert method("list", "max", xs) == max(xs, default=None)
    assert method("list", "sorted_by", xs, Builtin("negated", lambda x: -x)) == sorted(xs, key=lambda x: -x)
    odd, even = method("list", "partition", xs, Builtin("odd", lambda x: x % 2))
    assert odd == [x for x in xs if x % 2]
    assert even == [x for x in xs if not x % 2]


@given(st.lists(VALUES, max_size=6))
def test_lists_of_anything(xs: list[Any]) -> None:
    assert method("list", "map", xs, IDENTITY) == xs or not equal(xs, xs)
    assert len(method("list", "sorted", xs)) == len(xs)
    groups = method("list", "group_by", xs, IDENTITY)
    assert sum(len(group) for group in groups.values()) == len(xs)
    counts = method("list", "tally", xs)
    assert sum(counts.values()) == len(xs)
    if equal(xs, xs):
        assert equal(method("list", "to_set", xs), method("list", "to_set", method("list", "unique", xs)))


@given(st.dictionaries(st.text("abc", max_size=2), st.integers(), max_size=6))
def test_dicts(fields: dict[str, int]) -> None:
    assert method("dict", "keys", fields) == sorted(fields)
    assert method("dict", "values", fields) == [fields[key] for key in sorted(fields)]
    assert method("dict", "merging", fields, {"a": 1}) == {**fields, "a": 1}
    assert method("dict", "removing", fields, "a") == {key: fields[key] for key in fields if key != "a"}
    assert method("dict", "rekeyed", fields, IDENTITY) == fields


@given(st.lists(st.integers(-5, 5)), st.lists(st.integers(-5, 5)))
def test_sets(a: list[int], b: list[int]) -> None:
    left, right = method("list", "to_set", a), method("list", "to_set", b)

    def members(name: str) -> set[int]:
        return set(method("set", name, left, right).members.values())

    assert members("union") == set(a) | set(b)
    assert members("intersect") == set(a) & set(b)
    assert members("difference") == set(a) - set(b)
    assert members("symmetric_difference") == set(a) ^ set(b)
    assert method("set", "is_subset", left, right) == (set(a) <= set(b))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("unique", ()),
        ("sorted", ()),
        ("sorted_by", (IDENTITY,)),
        ("group_by", (IDENTITY,)),
        ("tally", ()),
        ("to_set", ()),
        ("join", (",",)),
        ("chunk", (7,)),
        ("window", (3,)),
        ("flat_map", (IDENTITY,)),
        ("max", ()),
        ("contains", ("none",)),
        ("index_of", (-1,)),
    ],
)
def test_methods_are_linear(name: str, args: tuple[Any, ...]) -> None:
    def took(size: int) -> float:
        items = [index * 7919 % size for index in range(size)]
        times = []
        gc.disable()
        for _ in range(3):
            start = time.process_time()
            method("list", name, items, *args)
            times.append(time.process_time() - start)
        gc.enable()
        return min(times)

    # Quadratic work would take minutes at this size; the slack is for a busy machine.
    assert took(100_000) < 40 * took(10_000) + 0.5
