"""JSON out of nearly JSON, schema checks (llm 3.2, 3.5)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.llm.output import find_json
from harnpy.llm.salvage import salvage_json
from harnpy.llm.schema import schema_errors

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
containers = st.lists(values) | st.dictionaries(st.text(), values)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ("```json\n{a: 1, b: [1, 2,],}\n``` done", {"a": 1, "b": [1, 2]}),
        ("{'a': 'it\\'s \"x\"'}", {"a": 'it\'s "x"'}),
        ('{"a": [1, {"b": "cut', {"a": [1, {"b": "cut"}]}),
        ('{"a":', {"a": None}),
        ('{"a": True, "b": None}', {"a": True, "b": None}),
        ('{"s": "x\ny"}', {"s": "x\ny"}),
    ],
)
def test_mended(text, value):
    assert salvage_json(text) == (True, value)


@pytest.mark.parametrize("text", ["", "no json", '{"k"', "{]"])
def test_beyond_mending(text):
    assert salvage_json(text)[0] is False


@given(containers)
def test_good_json_stays_what_it_is(value):
    assert salvage_json(json.dumps(value)) == (True, value)


@given(st.text(alphabet="{}[]\",:ab1 \n\\'", max_size=40))
def test_salvage_never_fails(text):
    found, _ = salvage_json(text)
    assert found in (True, False)


@given(containers, st.text(alphabet="abc xyz.\n", max_size=20), st.text(alphabet="abc xyz.\n", max_size=20))
def test_json_is_found_in_prose(value, before, after):
    assert find_json(before + json.dumps(value) + after) == (True, value)


@pytest.mark.parametrize(
    ("value", "schema", "errors"),
    [
        ({}, {"type": "object", "required": ["id"]}, ["at root: missing required key 'id'"]),
        ({"age": "9"}, {"properties": {"age": {"type": "int"}}}, ["at age: expected type 'int', got 'string'"]),
        (True, {"type": "integer"}, ["at root: expected type 'integer', got 'bool'"]),
        (1, {"type": ["string", "null"]}, ["at root: expected type 'string | null', got 'int'"]),
        (None, {"type": "string", "nullable": True}, []),
        ([1, "x"], {"items": {"type": "integer"}}, ["at [1]: expected type 'integer', got 'string'"]),
        ({"b": 1}, {"additionalProperties": False}, ["at root: unexpected key 'b'"]),
        (True, {"enum": [1]}, ["at root: value is not one of [1]"]),
        ("c", {"enum": ["a", None, True, {"b": 1}]}, ['at root: value is not one of ["a", null, true, {"b": 1}]']),
        (5, {"const": None}, ["at root: value must be null"]),
        (5, {"const": {"a": "é"}}, ['at root: value must be {"a": "é"}']),
        (1, {"const": True}, ["at root: value must be true"]),
        ([True], {"const": [1]}, ["at root: value must be [1]"]),
        ("abc", {"maxLength": 2}, ["at root: may have at most 2 characters, has 3"]),
        ("abc", {"pattern": "^a.c$"}, []),
        ("abd", {"pattern": "^a.c$"}, ["at root: value does not match the pattern ^a.c$"]),
        (5, {"minimum": 6}, ["at root: must be at least 6, is 5"]),
        (5, {"anyOf": [{"type": "string"}, {"minimum": 5}]}, []),
        (5, {"oneOf": [{"minimum": 1}, {"minimum": 2}]}, ["at root: value fits 2 of the 2 alternatives of oneOf"]),
        ({"n": {"n": 5}}, {"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"n": {"$ref": "#/$defs/t"}}}}}, []),
        ({"n": 1}, {"properties": {"n": {"$ref": "#/definitions/s"}}, "definitions": {"s": {"type": "string"}}},
         ["at n: expected type 'string', got 'int'"]),
    ],
)  # fmt: skip
def test_schema_errors(value, schema, errors):
    assert schema_errors(value, schema) == errors


keywords = st.sampled_from("type properties items required enum anyOf $ref pattern minimum minItems".split())
schemas = st.recursive(values, lambda inner: st.dictionaries(keywords, inner, max_size=4), max_leaves=8)


@given(values, schemas)
def test_any_schema_gives_errors_and_never_a_fault(value, schema):
    assert type(schema_errors(value, schema if type(schema) is dict else {})) is list
