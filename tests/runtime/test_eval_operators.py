"""Properties of the arithmetic operators, and agreement of compiled code with them."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from eval_trees import local, make_compiler
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError
from harnpy.runtime import operators
from harnpy.runtime.equality import equal
from harnpy.runtime.ordering import less, less_equal
from harnpy.runtime.values import INT_MAX, INT_MIN, Duration

ints = st.integers(INT_MIN, INT_MAX) | st.integers(-3, 3) | st.sampled_from([INT_MIN, INT_MAX, 2**30, -(2**30)])
floats = st.floats() | st.sampled_from([0.0, -0.0, 1.0])
scalars = st.none() | st.booleans() | ints | floats | st.text(max_size=3)
values = scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.text(max_size=2), scalars, max_size=2)
values = values | st.builds(Duration, st.integers(-5, 5))


@given(ints, ints)
def test_quotient_and_remainder_make_up_the_dividend(a: int, b: int) -> None:
    assume(b != 0 and not (a == INT_MIN and b == -1))
    quotient, rest = operators.divide(a, b), operators.modulo(a, b)
    assert quotient * b + rest == a
    assert abs(rest) < abs(b)
    assert rest == 0 or (rest < 0) == (a < 0)


@given(ints, ints, st.sampled_from(["+", "-", "*"]))
def test_int_results_have_64_bits_or_are_floats(a: int, b: int, op: str) -> None:
    exact = {"+": a + b, "-": a - b, "*": a * b}[op]
    result = operators.BINARY[op](a, b)
    if INT_MIN <= exact <= INT_MAX:
        assert type(result) is int
        assert result == exact
    else:
        assert type(result) is float
        assert result == float(exact)


@given(st.decimals(allow_nan=False, allow_infinity=False))
@example(Decimal("1.2345678901234567890123456789012345"))
def test_the_negative_of_a_decimal_is_exact(value: Decimal) -> None:
    assert operators.negate(value) == operators.subtract(0, value)


@given(floats, floats)
def test_float_division_is_that_of_ieee_754(a: float, b: float) -> None:
    result = operators.divide(a, b)
    if b != 0.0:
        assert result == a / b or math.isnan(result)
    elif a == 0.0 or math.isnan(a):
        assert math.isnan(result)
    else:
        assert math.isinf(result)
        assert (result > 0) == (math.copysign(1, a) == math.copysign(1, b))


@given(st.one_of(ints, floats), st.one_of(ints, floats))
def test_power_of_any_numbers_is_a_number(a: float, b: float) -> None:
    result = operators.power(a, b)
    assert type(result) in (int, float)
    if type(result) is int:
        assert INT_MIN <= result <= INT_MAX


def outcome(function: Any, *args: Any) -> tuple[str, Any]:
    """Give the value or the error text of a call; NaN as a text, since it is not itself."""
    try:
        value = function(*args)
    except HarnError as error:
        return "error", error.value
    if type(value) is float:
        return "float", repr(value)
    return type(value).__name__, value.ms if type(value) is Duration else value


COMPARE = {
    "<": less,
    "<=": less_equal,
    ">": lambda a, b: less(b, a),
    ">=": lambda a, b: less_equal(b, a),
    "==": equal,
    "!=": lambda a, b: not equal(a, b),
}


@pytest.mark.parametrize("op", [*operators.BINARY, *COMPARE])
@settings(deadline=None)
@given(a=values, b=values)
def test_compiled_operator_gives_what_the_general_one_gives(op: str, a: Any, b: Any) -> None:
    compiler = make_compiler()
    general = operators.BINARY.get(op) or COMPARE[op]
    span = (0, 1)
    constant = [type(value) in (int, float, str, bool, type(None)) for value in (a, b)]
    expected = outcome(general, a, b)
    for left in [local(0), *[r.Const(span, a)] * constant[0]]:
        for right in [local(1), *[r.Const(span, b)] * constant[1]]:
            run = compiler.expr(r.Binary(span, op, left, right))
            assert outcome(run, [a, b]) == expected


@given(values)
def test_compiled_negation_gives_what_the_general_one_gives(a: Any) -> None:
    run = make_compiler().expr(r.Negate((0, 1), local(0)))
    assert outcome(run, [a]) == outcome(operators.negate, a)


@pytest.mark.parametrize(
    ("function", "left", "right", "text"),
    [
        (operators.add, 1, "a", "Type error: Cannot add int and string"),
        (operators.subtract, 1, "a", "Type error: Cannot subtract string from int"),
        (operators.multiply, True, 2, "Type error: Cannot multiply bool and int"),
        (operators.divide, "a", 2, "Runtime error: Cannot divide string by int"),
        (operators.modulo, None, 2, "Runtime error: Cannot modulo nil by int"),
        (operators.power, "a", 2, "Runtime error: Cannot exponentiate string by int"),
        (operators.divide, 1, 0, "Division by zero"),
        (operators.modulo, 1.5, 0.0, "Division by zero"),
    ],
)
def test_error_texts(function: Any, left: Any, right: Any, text: str) -> None:
    with pytest.raises(HarnError) as caught:
        function(left, right)
    assert caught.value.value == text


def test_huge_repetition_is_refused_before_it_is_made() -> None:
    with pytest.raises(HarnError):
        operators.multiply("ab", 2**40)
