"""The display form: floats against Python's shortest digits, and values of any depth."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.errors import HarnError
from harnpy.runtime.display import display, float_text
from harnpy.runtime.equality import equal, key_of, make_set
from harnpy.runtime.ordering import compare
from harnpy.runtime.values import Duration, Pair, StructType, StructValue, Value, ok


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_read_back_and_have_no_exponent(x: float) -> None:
    text = float_text(x)
    assert float(text) == x
    assert "e" not in text.lower()
    digits = format(Decimal(repr(x)), "f")
    assert text.removesuffix(".0") == digits.removesuffix(".0")


@given(st.floats(-1e15, 1e15).filter(float.is_integer))
def test_integral_floats_below_1e15_show_one_decimal(x: float) -> None:
    shown = float_text(x)
    assert shown.endswith(".0") == (abs(x) < 1e15)


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0ms"), (999, "999ms"), (1000, "1s"), (-60_000, "-1m"), (5_400_000, "90m"), (86_400_000, "24h"), (-1, "-1ms")],
)
def test_durations(ms: int, text: str) -> None:
    assert display(Duration(ms)) == text


def nested(wrap: Any, depth: int = 100_000) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = wrap(value)
    return value


POINT = StructType("P", (("x", None, False),))


@pytest.mark.parametrize(
    "wrap",
    [
        lambda value: [value],
        lambda value: {"k": value},
        lambda value: Pair(value, 0),
        ok,
        lambda value: StructValue(POINT, {"x": value}),
    ],
)
def test_depth_is_no_trouble(wrap: Any) -> None:
    one, two = nested(wrap), nested(wrap)
    assert display(one) == display(two)
    assert equal(one, two)
    assert not equal(one, wrap(two))
    assert key_of(one) == key_of(two)
    assert compare(one, two) == 0


def test_sets_are_shown_in_insertion_order() -> None:
    assert display(make_set(["b", "a", "b", 1, True, 1.0])) == "set(b, a, 1, true)"


class _Own(Value):
    __slots__ = ()
    type_name = "own"

    def display_text(self) -> str:
        return "<own>"

    def equals(self, other: _Own) -> bool:
        return False


def test_kinds_defined_elsewhere_say_how_they_look_and_compare() -> None:
    value = _Own()
    assert display([value, Value()]) == "[<own>, <unknown>]"
    assert not equal(value, value)
    assert len(make_set([value, value]).members) == 2


def nested_sets(depth: int) -> Any:
    value = make_set([])
    for _ in range(depth):
        value = make_set([[value]])
    return value


def test_sets_nest_only_so_deep() -> None:
    assert equal(nested_sets(199), nested_sets(199))
    with pytest.raises(HarnError, match="sets are nested deeper than 200"):
        nested_sets(1000)


def test_a_text_beyond_all_memory_is_refused() -> None:
    value: Any = ["x"] * 1000
    for _ in range(60):
        value = [value] * 10
    with pytest.raises(HarnError, match="too large to be shown"):
        display(value)
