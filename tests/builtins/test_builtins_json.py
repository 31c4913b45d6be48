"""JSON: round trips, agreement with Python's json, place of faults, large texts."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest
from builtin_values import attempt
from hypothesis import given
from hypothesis import strategies as st

from harnpy.builtins.json_reading import parse
from harnpy.builtins.json_text import json_extract, json_parse
from harnpy.builtins.json_writing import compact_json, pretty_json
from harnpy.errors import HarnError
from harnpy.runtime.equality import equal

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=30,
)


def exactly(a: Any, b: Any) -> bool:
    """Equal, and of the same kinds all the way down."""
    if type(a) is not type(b):
        return False
    if type(a) is list:
        return len(a) == len(b) and all(exactly(x, y) for x, y in zip(a, b, strict=True))
    if type(a) is dict:
        return a.keys() == b.keys() and all(exactly(a[key], b[key]) for key in a)
    return bool(a == b)


@given(JSON)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert exactly(parse(compact_json(value)), value)
    assert exactly(parse(pretty_json(value)), value)


@given(JSON)
def test_python_reads_what_is_written(value: Any) -> None:
    assert equal(json.loads(compact_json(value)), value)


@given(JSON, st.booleans())
def test_what_python_writes_is_read(value: Any, ascii_only: bool) -> None:
    assert exactly(parse(json.dumps(value, ensure_ascii=ascii_only)), value)


@given(JSON)
def test_pretty_text_has_the_layout_of_python(value: Any) -> None:
    assert json.loads(pretty_json(value)) == json.loads(json.dumps(value))
    if not isinstance(value, float):
        lines = pretty_json(value).splitlines()
        assert [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()] == [
            len(line) - len(line.lstrip(" "))
            for line in json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).splitlines()
            if line.strip()
        ] or any("\n" in line for line in [pretty_json(value)])


@given(st.text(max_size=30))
def test_any_text_gives_a_value_or_the_failure_dict(text: str) -> None:
    error = attempt(json_parse, text)[1]
    if error is not None:
        assert error.value["error"] == "structured_parse_error"
        assert error.value["line"] >= 1
        assert error.value["column"] >= 1


@given(st.dictionaries(TEXT, JSON, max_size=3), st.text("abc .,\n", max_size=20), st.text("abc .,\n", max_size=20))
def test_a_dict_is_found_in_prose(value: dict[str, Any], before: str, after: str) -> None:
    text = compact_json(value)
    if "```" not in text:
        assert exactly(json_extract(before + text + after), value)


@pytest.mark.parametrize("marks", ["[" * 200_000, '{"a":' * 100_000, "[" * 300 + "]" * 300, '[{"a":' * 5000])
def test_deep_texts_are_refused(marks: str) -> None:
    with pytest.raises(HarnError) as caught:
        parse(marks)
    assert caught.value.value["kind"] in ("recursion_limit", "malformed")


def test_deep_values_are_refused() -> None:
    value: Any = []
    for _ in range(100_000):
        value = {"a": [value]}
    for write in (compact_json, pretty_json):
        with pytest.raises(HarnError) as caught:
            write(value)
        assert caught.value.value["kind"] == "recursion_limit"


def test_thirty_megabytes_take_seconds() -> None:
    row = '{"id": 12345, "name": "some name", "tags": ["a", "b"], "score": 0.25, "ok": true}'
    text = "[" + ",".join([row] * 30_000) + "]"
    start = time.perf_counter()
    value = parse(text)
    assert len(value) == 30_000
    assert parse(compact_json(value)) == value
    assert time.perf_counter() - start < 10


def test_long_numbers() -> None:
    assert parse("9" * 100) == 1e100
    assert type(parse("-9223372036854775808")) is int
    assert type(parse("-9223372036854775809")) is float
    assert math.copysign(1, parse("-0.0")) == -1
    with pytest.raises(HarnError):
        parse("9" * 5000)
