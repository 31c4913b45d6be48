"""Values on their way between the host and Harn: those with a form on the other side, and clear errors for the rest."""

from __future__ import annotations

import enum
import pathlib
import types
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harnpy

ECHO = "fn echo(x) { return x }\nfn kind(x) { return type_of(x) }\nenum E { A, B(x) }\nfn b(x) { return E.B(x) }"


@dataclass
class Point:
    x: int
    tags: list[str]


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@pytest.fixture(scope="module")
def module() -> harnpy.Module:
    return harnpy.Session(env={}).load(ECHO)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1,
        -(2**63),
        2**63 - 1,
        1.5,
        "ä",
        "",
        b"x",
        [1, [2]],
        {"a": {"b": 1}},
        timedelta(seconds=2),
        Decimal("1.50"),
    ],
)
def test_values_that_come_back_as_they_were(module: harnpy.Module, value: Any) -> None:
    found = module.call("echo", value)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ((1, 2), [1, 2]),
        (namedtuple("Pair", "a b")(1, 2), [1, 2]),
        (Point(1, ["t"]), {"x": 1, "tags": ["t"]}),
        ({"p": [Point(1, [])]}, {"p": [{"x": 1, "tags": []}]}),
        (frozenset([1]), [1]),
        (bytearray(b"x"), b"x"),
        (memoryview(b"x"), b"x"),
        (OrderedDict(b=1, a=2), {"a": 2, "b": 1}),
        (types.MappingProxyType({"a": 1}), {"a": 1}),
        (Level.HIGH, 3),
        (range(3), range(3)),
    ],
)
def test_values_that_have_another_form_in_harn(module: harnpy.Module, value: Any, found: Any) -> None:
    assert module.call("echo", value) == found


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (2**63, ValueError, "9223372036854775808 does not fit into Harn's 64-bit int"),
        ({"a": [2**70]}, ValueError, "does not fit"),
        ({1: 2}, TypeError, "keys of a Harn dict are strings, not int: 1"),
        (object(), TypeError, "Harn has no value like a object"),
        (
            datetime(2020, 1, 1, tzinfo=UTC),
            TypeError,
            r"like a datetime: hand over its isoformat\(\) or its timestamp\(\)",
        ),
        (date(2020, 1, 1), TypeError, "like a date: hand over"),
        (Colour.RED, TypeError, "like a Colour: hand over its value or its name"),
        ({1: 2}.values(), TypeError, "like a dict_values: hand over a list of its items"),
        (range(0, 10, 2), TypeError, "like a range: hand over a list of its items"),
        (pathlib.PurePosixPath("/x"), TypeError, "Harn has no value like a PurePosixPath"),
        ("a\ud800", ValueError, "a text holds half of a surrogate pair"),
        ({"\ud800": 1}, ValueError, "a text holds half of a surrogate pair"),
    ],
)
def test_values_without_a_form_in_harn(module: harnpy.Module, value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        module.call("echo", value)
    with pytest.raises(harnpy.HarnError, match=message):
        harnpy.run("f()", functions={"f": lambda: value})


def test_a_value_that_contains_itself(module: harnpy.Module) -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="contains itself"):
        module.call("echo", loop)


def test_kinds_in_harn(module: harnpy.Module) -> None:
    kinds = [({3}, "set"), (Decimal("1.5"), "decimal"), (range(3), "range"), (timedelta(1), "duration"), (b"", "bytes")]
    assert [module.call("kind", value) for value, _ in kinds] == [kind for _, kind in kinds]


def test_enum_values_are_variants(module: harnpy.Module) -> None:
    variant = module.call("b", {"k": 1})
    assert repr(variant) == "E.B({'k': 1})"
    assert module.call("echo", variant) == variant
    assert hash(variant) == hash(module.call("b", {"k": 1}))


def test_what_python_has_no_form_for_may_be_handed_in_again(module: harnpy.Module) -> None:
    with harnpy.Session() as session:
        loaded = session.load("fn make() { return atomic(1) }\nfn read(a) { return atomic_get(a) }")
        assert loaded.call("read", loaded.call("make")) == 1


def test_a_big_value() -> None:
    rows = [{"id": number, "text": "x" * 100} for number in range(20_000)]
    with harnpy.Session() as session:
        loaded = session.load("fn count(rows) { return len(rows) }\nfn echo(rows) { return rows }")
        assert loaded.call("count", rows) == 20_000
        assert loaded.call("echo", rows) == rows


DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(DATA)
def test_data_comes_back_as_it_was(value: Any) -> None:
    assert _ECHOING.call("echo", value) == value


_ECHOING = harnpy.Session(env={}).load(ECHO)
