"""What is done with the text of a reply takes time in proportion to its length, whatever stands in it."""

from __future__ import annotations

import time

import pytest

from harnpy.llm.output import find_json
from harnpy.llm.salvage import salvage_json
from harnpy.llm.text_tools import parse_text_calls
from harnpy.llm.visible import visible_text

TOOLS = [{"name": "t", "parameters": {}}]
SMALL, LARGE = 2_000, 16_000

WORK = {
    "markup": lambda n: parse_text_calls("<p>one</p>\n" * n, TOOLS, "text"),
    "calls": lambda n: parse_text_calls("<tool_call>t({a: 1})</tool_call>\n" * n, TOOLS, "text"),
    "bare_calls": lambda n: parse_text_calls("t({a: 1})\n" * n, TOOLS, "text"),
    "fences": lambda n: parse_text_calls('```tool\n{"name": "t"}\n```\n' * n, TOOLS, "json"),
    "answers": lambda n: parse_text_calls("<user_response>x</user_response>\n" * n, TOOLS, "json"),
    "salvage": lambda n: salvage_json("{" + ", ".join(f"k{i}: True" for i in range(n)) + "}"),
    "find_json": lambda n: find_json("{ [ x " * n),
    "visible": lambda n: visible_text("<think>a</think> <done>b</done>\n\n\n[result of a] b [end of a]\n" * n),
}


@pytest.mark.parametrize("name", WORK)
def test_time_grows_with_length(name):
    def seconds(size: int) -> float:
        taken = []
        for _ in range(2):
            start = time.perf_counter()
            WORK[name](size)
            taken.append(time.perf_counter() - start)
        return min(taken)

    # Eight times the length: linear work takes about 8 times, quadratic 64 times.
    assert seconds(LARGE) < 30 * max(seconds(SMALL), 0.005)
