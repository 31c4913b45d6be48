"""The shared matrix of faults and replies, for a provider that speaks the Responses API (llm 15)."""

from __future__ import annotations

import inspect
import types

import pytest
import test_llm_matrix_callers
import test_llm_matrix_deadlines
import test_llm_matrix_guards
import test_llm_matrix_network
import test_llm_matrix_replies
import test_llm_matrix_status
import test_llm_matrix_streams
import test_llm_matrix_tls
from responses_wire import RESPONDER

pytestmark = pytest.mark.slow

MODULES = (
    test_llm_matrix_callers, test_llm_matrix_deadlines, test_llm_matrix_guards, test_llm_matrix_network,
    test_llm_matrix_replies, test_llm_matrix_status, test_llm_matrix_streams, test_llm_matrix_tls,
)  # fmt: skip
# What holds for the variables of a built-in provider, or is written in the form of one wire.
LEFT_OUT = {
    "test_a_key_that_no_header_can_hold", "test_a_missing_key_stops_before_any_connection",
    "test_an_end_after_the_stop_reason_is_complete", "test_more_forms_of_nothing",
    "test_no_part_of_an_odd_key_comes_back", "test_nothing_is_asked_once_more_and_then_transient",
    "test_cached_tokens_are_counted", "test_stream_call_hands_out_pieces", "test_tool_results_go_back",
}  # fmt: skip


def _names(mark: pytest.Mark) -> list[str]:
    if mark.name != "parametrize":
        return []
    names = mark.args[0]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def _for_responses(function: types.FunctionType) -> types.FunctionType:
    """The same test for the one wire."""
    copy = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    copy.__dict__.update(function.__dict__)
    marks = [mark for mark in getattr(function, "pytestmark", []) if _names(mark) != ["wire"]]
    copy.pytestmark = marks
    return pytest.mark.parametrize("wire", [RESPONDER], ids=["responses"])(copy)


for _module in MODULES:
    for _name, _value in list(vars(_module).items()):
        if type(_value).__name__ == "FixtureFunctionDefinition":
            globals()[_name] = _value
        elif _name.startswith("test_") and inspect.isfunction(_value) and _name not in LEFT_OUT:
            _marks = [mark for mark in getattr(_value, "pytestmark", []) if _names(mark) == ["wire"]]
            if _marks and any(type(wire).__name__ == "OpenAi" for wire in _marks[0].args[1]):
                globals()[_name] = _for_responses(_value)
