"""Regular expressions: agreement with Python's engine where both have the same meaning, and linear time."""

from __future__ import annotations

import re
import time

import pytest
from builtin_values import attempt, make_context
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.builtins import regex
from harnpy.builtins.regex_classes import LAST, combined, negated, read_ranges, union
from harnpy.errors import HarnError

ATOMS = st.sampled_from(["a", "b", "é", "日", r"\w", r"\W", r"\d", r"\s", r"\S", ".", "[aé]", "[^b]", r"[\w-]", " "])
EDGES = st.sampled_from([r"\b", r"\B", "^", r"\z"])


def _quantified(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda part, times: f"(?:{part}){times}", inner, st.sampled_from(["", "?", "+", "*?", "{1,2}"]))


PATTERNS = st.recursive(
    ATOMS | EDGES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.builds(lambda a, b: f"(?:{a}|{b})", inner, inner),
        _quantified(inner),
        inner.map(lambda part: f"({part})"),
    ),
    max_leaves=6,
)
TEXTS = st.text(st.sampled_from("ab é日1_-\n"), max_size=12)


@settings(max_examples=400, deadline=None)
@given(PATTERNS, TEXTS)
def test_matches_agree_with_python(pattern: str, text: str) -> None:
    # Python has no \B in an empty text, and goes on differently after empty matches and empty loop turns.
    if not text and r"\B" in pattern:
        return
    wanted = [match.group() for match in re.finditer(pattern.replace(r"\z", r"\Z"), text)]
    got = regex.regex_match(pattern, text)
    assert (got is None) == (not wanted)
    if "" not in wanted and "" not in (got or []):
        assert (got or []) == wanted


@given(st.text(max_size=8), st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_any_pattern_gives_a_result_or_a_harn_error(pattern: str, text: str) -> None:
    for function, args in (
        (regex.regex_match, (pattern, text)),
        (regex.regex_split, (text, pattern)),
        (regex.regex_captures, (pattern, text)),
    ):
        error = attempt(function, *args)[1]
        assert error is None or error.value.startswith("Invalid regex: ")


@given(st.text(max_size=20))
@settings(max_examples=100, deadline=None)
def test_split_pieces_and_matches_give_the_text_back(text: str) -> None:
    pieces = regex.regex_split(text, r"\W+") or []
    matches = regex.regex_match(r"\W+", text) or []
    assert "".join(a + b for a, b in zip(pieces, [*matches, ""], strict=True)) == text


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a|aa)+$", r"(\w+\s?)+\z", "([a-z]+)*[0-9]"])
def test_patterns_that_others_choke_on(pattern: str) -> None:
    start = time.perf_counter()
    regex.regex_match(pattern, "a" * 20_000 + "!")
    assert time.perf_counter() - start < 2


def test_a_megabyte_is_no_trouble() -> None:
    text = "word é " * 150_000
    start = time.perf_counter()
    assert len(regex.regex_match("[a-z]+", text) or []) == 150_000
    assert time.perf_counter() - start < 10


def test_replacement_is_bounded() -> None:
    ctx = make_context(".", max_string=1000)
    with pytest.raises(HarnError, match="at most 1000"):
        regex.regex_replace(ctx, "a", "b" * 100, "a" * 100)


RANGES = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 300)).map(lambda span: (min(span), max(span))), max_size=5
).map(lambda spans: union([spans]))


@given(RANGES, RANGES)
def test_class_arithmetic(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    def points(ranges: list[tuple[int, int]]) -> set[int]:
        return {point for first, last in ranges for point in range(first, min(last, 400) + 1)}

    assert points(combined("&&", left, right)) == points(left) & points(right)
    assert points(combined("--", left, right)) == points(left) - points(right)
    assert points(combined("~~", left, right)) == points(left) ^ points(right)
    assert negated(negated(left)) == left


def test_classes_are_read_from_the_engine() -> None:
    assert read_ranges("[a-c]") == [(97, 99)]
    assert read_ranges("[^a]")[-1] == (98, 0xD7FF) or read_ranges("[^a]")[-1][1] == LAST
