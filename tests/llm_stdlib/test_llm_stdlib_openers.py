"""Texts of 50,000 opening brackets are looked through for JSON in time (S36)."""

from __future__ import annotations

import pytest

PROGRAM = """
import {with_coerce} from "std/llm/handlers"

fn main(harness: Harness) {
  const text = OPENER.repeat(50000)
  const caller = with_coerce({ _c -> {ok: true, value: {text: text}} }, {on_text_json: true})
  const began = monotonic_ms()
  const envelope = caller({prompt: "p", system: nil, opts: {}, turn: {iteration: 0, session_id: "", attempt: 1}})
  println([envelope.value.has("data"), monotonic_ms() - began < 5000])
}
"""


@pytest.mark.parametrize("opener", ["{", "[", '{"a":', "{}{", "a {"])
def test_unclosed_brackets(run_harn, opener: str) -> None:
    quoted = '"' + opener.replace('"', '\\"') + '"'
    ran = run_harn(PROGRAM.replace("OPENER", quoted))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(", true]\n")
