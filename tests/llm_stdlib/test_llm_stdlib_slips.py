"""Misspelt call options in the ``opts`` of a caller: dropped with a warning, for own keys may stand there, too."""

from __future__ import annotations

import pytest

from harnpy.llm.options import ACCEPTED
from harnpy.llm.spelling import near_miss

_PROGRAM = """
import {default_llm_caller} from "std/llm/caller"
const caller = default_llm_caller()
for _ in 1 to 3 { caller({prompt: "p", system: nil, opts: {provider: "mock"} + OPTIONS}) }
"""


def test_a_slip_is_told_once(run_harn):
    ran = run_harn(_PROGRAM.replace("OPTIONS", "{max_token: 10, modle: 1, judge: 2, score: 3, _own: 4, seed: nil}"))
    assert ran.code == 0
    assert [line for line in ran.err.splitlines() if line.startswith(("warning", "  -->"))] == [
        "warning: llm_call: option `max_token` is not handed on (did you mean `max_tokens`?)",
        "  --> test.harn:4:81",
        "warning: llm_call: option `modle` is not handed on (did you mean `model`?)",
        "  --> test.harn:4:96",
    ]


@pytest.mark.parametrize("name", [*ACCEPTED, "tool", "score", "judge", "samples", "llm_caller", "audit", "_temperatur"])
def test_names_that_are_no_slips(name):
    assert near_miss(name, ACCEPTED) is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [("modle", "model"), ("max_token", "max_tokens"), ("temprature", "temperature"), ("timout_ms", "timeout_ms"),
     ("budgte", "budget"), ("effrot", "effort"), ("providr", "provider")],
)  # fmt: skip
def test_names_that_are_slips(name, meant):
    assert near_miss(name, ACCEPTED) == meant
