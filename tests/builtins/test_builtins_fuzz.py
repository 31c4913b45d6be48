"""Random values to every builtin and method: a value or a Harn error, never a Python exception."""

from __future__ import annotations

from typing import Any

import pytest
from builtin_values import VALUES, attempt, make_context
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harnpy.builtins import registry
from harnpy.builtins.table import FUNCTIONS, METHODS
from harnpy.runtime.calls import call
from harnpy.runtime.display import display
from harnpy.runtime.values import Builtin, Value, is_decimal, type_of

PURE = """
output log_lines conversion hash_values results assertions text letter_case regex collections sets numbers randomness
statistics json_text json_pointer jq toml_text csv_text schema schema_edit schema_export hashes encodings urls uuids
byte_strings dates date_parsing durations timers traces store tools tool_binding tool_define tool_texts
templates hosts cache string_methods list_methods list_callbacks dict_methods set_methods range_methods
""".split()

CALLS = sorted((name, None) for name, row in FUNCTIONS.items() if row.partition(":")[0] in PURE)
CALLS += [
    (name, kind)
    for kind, methods in sorted(METHODS.items())
    for name, row in sorted(methods.items())
    if row.partition(":")[0] in PURE
]

PLAIN = (type(None), bool, int, float, str, bytes, list, dict)


def is_harn_value(value: Any) -> bool:
    if type(value) is int:
        return -(2**63) <= value < 2**63
    return type(value) in PLAIN or isinstance(value, Value) or is_decimal(value)


def receiver_of(kind: str) -> st.SearchStrategy[Any]:
    from harnpy.runtime.equality import make_set
    from harnpy.runtime.values import RangeValue

    makers = {
        "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
        "list": st.lists(VALUES, max_size=5),
        "dict": st.dictionaries(st.text("abé", max_size=3), VALUES, max_size=4),
        "set": st.lists(VALUES, max_size=5).map(make_set),
        "range": st.builds(RangeValue, st.integers(-9, 9), st.integers(-9, 9), st.booleans()),
    }
    return makers[kind]


@pytest.mark.parametrize(("name", "kind"), CALLS, ids=lambda part: part or "")
def test_every_builtin_survives_random_arguments(name: str, kind: str | None, tmp_path_factory: Any) -> None:
    ctx = make_context(str(tmp_path_factory.getbasetemp()), max_string=1_000_000, max_list=1_000_000)
    found = registry.function(name) if kind is None else registry.method(kind, name)
    assert isinstance(found, Builtin)
    receiver = [] if kind is None else [receiver_of(kind)]

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.tuples(*receiver, *([VALUES] * 4)), st.integers(0, 4))
    def check(args: tuple[Any, ...], count: int) -> None:
        given_args = list(args[: count + len(receiver)])
        before = display(given_args)
        result, error = attempt(call, ctx, found, list(given_args))
        outcome = result if error is None else error.value
        assert is_harn_value(outcome), type_of(outcome)
        display(outcome)
        assert display(given_args) == before

    check()
