"""Harn values for the tests of builtins: hand-made callables, a context without a program, random values."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st

from harnpy.builtins.randomness import Rng
from harnpy.errors import HarnError
from harnpy.runtime.clock import Clock
from harnpy.runtime.context import Context
from harnpy.runtime.equality import make_set
from harnpy.runtime.limits import Limits
from harnpy.runtime.values import (
    Builtin,
    Duration,
    EnumType,
    EnumValue,
    Pair,
    RangeValue,
    StructType,
    StructValue,
    err,
    ok,
)

POINT = StructType("Point", (("x", None, False),))
SHAPE = EnumType("Shape", {"Dot": None, "Box": ("w",)})


def _throw(*args: Any) -> Any:
    raise HarnError("from the callback", thrown=True)


IDENTITY = Builtin("identity", lambda value=None: value)
CONSTANT = Builtin("constant", lambda: 7)
THROWING = Builtin("throwing", _throw)


def make_context(folder: str, **limits: int) -> Context:
    """A context as a session makes it, with output in ``ctx.services["out"]`` and no scheduler."""
    ctx = Context()
    out: list[str] = []
    ctx.services = {"out": out, "cwd": folder, "env": {}}
    ctx.write_out = out.append
    ctx.write_err = out.append
    ctx.random = random.Random(1)
    ctx.clock = Clock()
    ctx.clock.mock(1_700_000_000_123)
    ctx.limits = Limits(**limits)
    ctx.scheduler = SimpleNamespace(local=lambda name, default=None: default, set_local=lambda name, value: None)  # type: ignore[assignment]
    return ctx


def attempt(function: Callable[..., Any], *args: Any) -> tuple[Any, HarnError | None]:
    """Give what a function gives, and the error that it raises instead."""
    try:
        return function(*args), None
    except HarnError as error:
        return None, error


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-3, 9),
    st.floats(),
    st.sampled_from([0.0, -0.0, 1.0, 1e15, 1e300, float(2**63), 5e-324]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["", "a", "a,b", "{}", "{a}", "(", "[a-z&&[b]]", "\\b\\w+", "%Y-%m", "2024-02-30", "/a/0", "int", "é", "👍🏽"]
        + ['{"a": [1]}', "```\n1\n```", "https://a:b@c.de:1/x?y=1#z", "a = 1", ".a[]", "UTC", "~", "x" * 300, "$1${a}"]
        + ["debug", "dict", "left", "NFC", "%", "=", "abc=", "ff"]
    ),
    st.binary(max_size=6),
    st.integers(-(2**63), 2**63 - 1).map(Duration),
    st.builds(RangeValue, st.integers(-9, 9), st.integers(-9, 9), st.booleans()),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.sampled_from([IDENTITY, CONSTANT, THROWING, POINT, SHAPE, EnumValue(SHAPE, "Dot", ()), Decimal("0.10"), Rng(1)]),
)

_KEYS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    st.sampled_from(
        ["type", "properties", "items", "union", "enum", "pattern", "required", "$ref", "timestamp", "year", "month"]
        + ["day", "_type", "tools", "key", "value", "scheme", "host", "default", "name", "handler", "headers", "const"]
    ),
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(_KEYS, inner, max_size=4),
        st.lists(inner, max_size=4).map(make_set),
        st.builds(Pair, inner, inner),
        inner.map(ok),
        inner.map(err),
        inner.map(lambda value: StructValue(POINT, {"x": value})),
        inner.map(lambda value: EnumValue(SHAPE, "Box", (value,))),
    )


VALUES = st.recursive(_SCALARS, _containers, max_leaves=8)
