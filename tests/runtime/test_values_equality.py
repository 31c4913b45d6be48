"""Equality, keys and order: laws that hold for random values."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harnpy.runtime.convert import fit, int_from_text, to_float, to_int, wrap
from harnpy.runtime.display import display
from harnpy.runtime.equality import contains, equal, index_in, key_of, make_set
from harnpy.runtime.ordering import compare, less, less_equal, sorted_by_keys, sorted_values
from harnpy.runtime.values import Duration, Pair, RangeValue, SetValue, is_decimal, ok

SMALL = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.0, 1.0, -0.0, 1.5, math.nan, math.inf]),
    st.sampled_from(["", "a", "1"]),
    st.sampled_from([b"", b"a", Duration(1), Duration(0), RangeValue(0, 1, True), Decimal("1.0"), Decimal(1)]),
)
VALUES = st.recursive(
    SMALL,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
        st.lists(inner, max_size=3).map(make_set),
        st.builds(Pair, inner, inner),
        inner.map(ok),
    ),
    max_leaves=5,
)


def has_nan(value: Any) -> bool:
    return "NaN" in display(value)


def plain_equal(a: Any, b: Any) -> bool:
    """Equality written down naively, for kinds of its own."""
    if type(a) in (int, float) and type(b) in (int, float):
        return bool(a == b)
    if type(a) is not type(b):
        return False
    if type(a) is list:
        return len(a) == len(b) and all(plain_equal(x, y) for x, y in zip(a, b, strict=True))
    if type(a) is dict:
        return a.keys() == b.keys() and all(plain_equal(a[key], b[key]) for key in a)
    if type(a) is SetValue:
        left, right = list(a.members.values()), list(b.members.values())
        return len(left) == len(right) and all(any(plain_equal(x, y) for y in right) for x in left)
    if type(a) is Pair:
        return plain_equal([a.first, a.second], [b.first, b.second])
    if type(a) is Duration:
        return bool(a.ms == b.ms)
    if type(a) is RangeValue:
        return (a.start, a.end, a.exclusive) == (b.start, b.end, b.exclusive)
    if is_decimal(a) or not hasattr(a, "variant"):
        return bool(a == b)
    return a.variant == b.variant and plain_equal(list(a.fields), list(b.fields))


@given(VALUES, VALUES)
def test_equality_is_the_naive_one_and_symmetric(a: Any, b: Any) -> None:
    assert equal(a, b) == plain_equal(a, b) == equal(b, a)


@given(VALUES, VALUES)
def test_keys_agree_with_equality(a: Any, b: Any) -> None:
    assert (key_of(a) == key_of(b)) == equal(a, b)
    if equal(a, b):
        assert hash(key_of(a)) == hash(key_of(b))


@given(VALUES)
def test_a_value_equals_itself_unless_nan_takes_part(value: Any) -> None:
    # A set is its members, so one with NaN in it is still itself.
    if "set(" not in display(value):
        assert equal(value, value) == (not has_nan(value))


@given(st.lists(VALUES, max_size=5), VALUES)
def test_membership(items: list[Any], item: Any) -> None:
    wanted = [index for index, member in enumerate(items) if equal(member, item)]
    assert index_in(items, item) == (wanted[0] if wanted else -1)
    assert contains(items, item) == bool(wanted)
    assert contains(make_set(items), item) == bool(wanted)


@given(VALUES, VALUES)
def test_order_has_no_contradictions(a: Any, b: Any) -> None:
    assert compare(a, b) == -compare(b, a)
    assert less(a, b) == (compare(a, b) < 0)
    if less(a, b):
        assert less_equal(a, b)
        assert not less_equal(b, a)
    if equal(a, b):
        assert not less(a, b)


NUMBERS = st.lists(st.integers(-9, 9) | st.floats(allow_nan=False))


@given(NUMBERS)
def test_sorting_numbers(items: list[float]) -> None:
    assert sorted_values(items) == sorted(items)
    assert sorted_by_keys([[item] for item in items], items) == [[item] for item in sorted(items)]


@given(st.lists(st.lists(st.integers(-3, 3) | st.booleans(), max_size=3)))
def test_sorting_is_stable_and_ascending(items: list[Any]) -> None:
    result = sorted_values(items)
    assert sorted(map(id, result)) == sorted(map(id, items))
    if all(type(part) is int for item in items for part in item):
        assert result == sorted(items)
        assert all(compare(a, b) <= 0 for a, b in pairwise(result))


@given(st.lists(VALUES, max_size=6))
def test_sorting_anything_loses_nothing(items: list[Any]) -> None:
    assert sorted(map(id, sorted_values(items))) == sorted(map(id, items))


@given(st.integers())
def test_sixty_four_bits(number: int) -> None:
    assert -(2**63) <= wrap(number) < 2**63
    assert (wrap(number) - number) % 2**64 == 0
    assert fit(number) == number if abs(number) < 2**53 else True
    inside = -(2**63) <= number < 2**63
    assert (type(fit(number)) is int) == inside
    assert to_int(str(number)) == (number if inside else None)
    assert int_from_text(f"+{abs(number)}") == (abs(number) if abs(number) < 2**63 else None)


@given(st.floats())
def test_floats_to_ints(number: float) -> None:
    got = to_int(number)
    if math.isfinite(number) and -(2**63) <= math.trunc(number) < 2**63:
        assert got == math.trunc(number)
    else:
        assert got is None
    assert to_float(str(number)) == number or math.isnan(number)
