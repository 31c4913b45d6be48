"""Grapheme clusters (Unicode annex 29)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.builtins.graphemes import graphemes

CLUSTERS = [
    "a",
    "e\u0301",
    "o\u0308\u0301",
    "\r\n",
    "\n",
    "👍🏽",
    "👨‍👩‍👧‍👦",
    "❤️",
    "🏳️‍🌈",
    "🇩🇪",
    "1️⃣",
    "각",
    "\u1100\u1161\u11a8",
    "नि",
    "क्षि",
    "\u0600\u0661",
    "x\u200d",
]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_one_cluster(cluster: str) -> None:
    assert graphemes(cluster) == [cluster]


def test_neighbours_stay_apart() -> None:
    assert graphemes("🇩🇪🇫🇷🇮") == ["🇩🇪", "🇫🇷", "🇮"]
    assert graphemes("a👍b") == ["a", "👍", "b"]
    assert graphemes("\r\r\n\u0301") == ["\r", "\r\n", "\u0301"]
    assert graphemes("x\u200d👍") == ["x\u200d", "👍"]
    assert graphemes("가각") == ["가", "각"]


@given(st.lists(st.sampled_from([cluster for cluster in CLUSTERS if cluster not in ("\u0600\u0661", "\n")])))
def test_joined_clusters_are_found_again(parts: list[str]) -> None:
    # Letters between them keep neighbours from joining.
    assert graphemes("|".join(parts)) == [piece for part in parts for piece in ("|", part)][1:]


@given(st.text())
def test_nothing_is_lost(text: str) -> None:
    assert "".join(graphemes(text)) == text
