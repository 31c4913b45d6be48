"""Properties of generated programs: only diagnostics, format and reparse, caches, copy on write, order of branches.

``HARNPY_FUZZ_EXAMPLES`` is the number of examples of all properties together (2,000 when it is not set).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from fuzz_programs import programs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harnpy.analysis import cache
from harnpy.analysis.modules import load_source
from harnpy.analysis.resolved import Node
from harnpy.cli.program import run
from harnpy.errors import RejectedProgram
from harnpy.options import Options
from harnpy.runtime import paths, templates
from harnpy.source import Source
from harnpy.streams import memory_streams
from harnpy.syntax.format import format_module
from harnpy.syntax.parser import parse

pytestmark = pytest.mark.slow

sys.path.append(str(Path(__file__).resolve().parent.parent / "syntax"))
import syntax_strategies

PROPERTIES = 5
EXAMPLES = max(1, int(os.environ.get("HARNPY_FUZZ_EXAMPLES", "2000")) // PROPERTIES)
fuzz = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
DAMAGE = ["", "{", "}", "(", ")", '"', "${", "->", "?", "nil", "\n", "for ", "=", "...", "1", "@", "_ "]


def outcome(text: str, **options) -> tuple[int, str, str]:
    """Run a program: exit code, output, messages."""
    streams, out, err = memory_streams()
    given_options = {"virtual_time": 0, "time_limit": 20.0, "max_depth": 200, "seed": 1, **options}
    code = run(lambda: Source("fuzz.harn", text), Options(**given_options), streams)
    return code, "".join(out), "".join(err)


@fuzz
@given(syntax_strategies.modules, st.integers(0, 10_000), st.sampled_from(DAMAGE), st.integers(0, 3))
def test_nothing_but_diagnostics(module, place, damage, cut) -> None:
    text = format_module(module)
    at = place % (len(text) + 1)
    code, _, messages = outcome(text[:at] + damage + text[at + cut :], time_limit=2.0, max_depth=64)
    assert code != 70, messages
    assert "Traceback" not in messages
    assert code != 1 or messages.lstrip().startswith(("error", "warning")), messages


@fuzz
@given(syntax_strategies.modules)
def test_format_and_reparse_agree(module) -> None:
    text = format_module(module)
    again = parse(Source("fuzz.harn", text))
    assert again == module, text
    assert format_module(again) == text


def shape(value):
    """Give a resolved tree as plain tuples."""
    if isinstance(value, Node):
        return type(value).__name__, *[shape(getattr(value, name)) for name in value.FIELDS]
    if isinstance(value, (tuple, list)):
        return [shape(item) for item in value]
    return (type(value).__name__, repr(value))


@fuzz
@given(syntax_strategies.modules | programs().map(lambda text: parse(Source("fuzz.harn", text))))
def test_cached_and_fresh_trees_agree(module) -> None:
    source = Source("fuzz.harn", format_module(module))
    try:
        fresh = load_source(source, use_cache=False)
    except RejectedProgram:
        return
    again = cache.decode(cache.encode(fresh))
    assert again is not None
    assert shape(again) == shape(fresh)


@fuzz
@given(programs())
def test_caches_and_limits_change_no_result(text) -> None:
    many = text.replace("LIMIT", "0")
    expected = outcome(many, no_cache=True)
    assert expected[0] in (0, 1), expected[2]
    assert outcome(many) == expected  # writes the cache
    assert outcome(many) == expected  # reads it
    assert results(outcome(text.replace("LIMIT", "1"), no_cache=True)) == results(expected)


def results(ended: tuple[int, str, str]) -> tuple[int, str]:
    """Without the messages, whose places move with the text."""
    return ended[:2]


@fuzz
@given(programs())
def test_copying_always_changes_no_result(text) -> None:
    text = text.replace("LIMIT", "3")
    expected = outcome(text, no_cache=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OWNED_BY_PLACE", "OWNED_BY_LOCAL"):
            patch.setitem(templates._shared, name, 0)
            patch.setattr(paths, name, 0)
        assert outcome(text, no_cache=True) == expected
