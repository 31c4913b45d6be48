"""Properties of what std/llm reads out of texts: JSON in prose, token estimates, votes."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.slow

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
PROSE = st.text(st.characters(exclude_characters='{}[]"`', exclude_categories=("Cs",)), max_size=30)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.text(max_size=12))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)


def answer(run_harn, program: str, case: Any) -> Any:
    ran = run_harn(program, stdin=json.dumps(case), virtual_time=0)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


COERCE = """
import {with_coerce} from "std/llm/handlers"
const case = json_parse(harness.stdio.read_stdin())
const caller = with_coerce({ _call -> {ok: true, value: {text: case}} }, {on_text_json: true, lower_keys: false})
println(json_stringify(caller({prompt: "p", system: nil, opts: {}}).value.data))
"""


@QUICK
@given(before=PROSE, value=OBJECTS, after=PROSE, fenced=st.booleans())
def test_json_is_found_in_prose(run_harn, before, value, after, fenced) -> None:
    text = json.dumps(value)
    inner = f"\n```json\n{text}\n```\n" if fenced else text
    assert answer(run_harn, COERCE, before + inner + after) == value


@QUICK
@given(text=st.text(st.characters(exclude_categories=("Cs",)), max_size=60) | st.text('{}[]"\\`:,a1\n', max_size=40))
def test_any_text_gives_data_or_none(run_harn, text) -> None:
    found = answer(run_harn, COERCE, text)
    assert found is None or isinstance(found, dict | list)


ESTIMATE = """
import {estimate_text_tokens} from "std/llm/budget"
println(estimate_text_tokens(json_parse(harness.stdio.read_stdin())))
"""
CJK = re.compile("[\u4e00-\u9fff\u3041-\u3096\u30a1-\u30fa\uac00-\ud7a3]")


@QUICK
@given(text=st.text(st.sampled_from("abc d.,;{}->=`é日ひカ한🙂"), max_size=40))
def test_estimate(run_harn, text) -> None:
    code = any(mark in text for mark in ("```", "=>", "->", "{", "}", ";"))
    divisor = 1.0 if CJK.search(text) else 3.5 if code else 4.0
    assert answer(run_harn, ESTIMATE, text) == math.ceil(len(text) / divisor)


VOTE = """
import {self_consistency} from "std/llm/ensemble"
const case = json_parse(harness.stdio.read_stdin())
for text in case { harness.llm.mock_enqueue({text: text}) }
const options = {provider: "mock", n: len(case), extract: { text -> if text == "-" { nil } else { text } }}
const result = self_consistency("q", nil, options)
println(json_stringify({ok: result.ok, answer: result.answer, count: result.answer_count, entropy: result.entropy}))
"""


@QUICK
@given(texts=st.lists(st.sampled_from(["a", "b", "c", "-"]), min_size=2, max_size=12))
def test_the_vote_is_a_count_and_the_first_seen_wins_a_tie(run_harn, texts) -> None:
    votes = Counter(text for text in texts if text != "-")
    got = answer(run_harn, VOTE, texts)
    if not votes:
        assert got["ok"] is False
        return
    winner, count = votes.most_common(1)[0]
    total = votes.total()
    entropy = -sum(n / total * math.log2(n / total) for n in votes.values())
    assert (got["answer"], got["count"]) == (winner, count)
    assert abs(got["entropy"] - entropy) < 1e-9
