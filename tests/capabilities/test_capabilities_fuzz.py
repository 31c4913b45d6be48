"""Random values to every harness method: a value or a Harn error, never a Python exception."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from builtin_values import VALUES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harnpy.capabilities.harness import build_harness
from harnpy.capabilities.methods import METHODS, parse
from harnpy.errors import Exit, HarnError
from harnpy.options import Options
from harnpy.runtime.calls import call
from harnpy.runtime.display import display
from harnpy.runtime.values import Value, is_decimal, type_of
from harnpy.session import Session
from harnpy.streams import memory_streams

HARNESS = build_harness()
PLAIN = (type(None), bool, int, float, str, bytes, list, dict)
# Model calls and sessions have tests of their own.
CALLS = [
    (capability, method)
    for capability in sorted(METHODS)
    if capability not in ("llm", "agent")
    for method in sorted(parse(METHODS[capability]))
    if HARNESS.members[capability].methods.implements(method)
]


def is_harn_value(value: Any) -> bool:
    if type(value) is int:
        return -(2**63) <= value < 2**63
    return type(value) in PLAIN or isinstance(value, Value) or is_decimal(value)


@pytest.mark.parametrize(("capability", "method"), CALLS, ids=[".".join(row) for row in CALLS])
def test_methods_survive_random_arguments(
    capability: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("a,b\nx")
    builtin = HARNESS.members[capability].methods[method]
    session = Session(Options(env={"A": "x"}, virtual_time=1_700_000_000_000), memory_streams("a\nb\n")[0])
    ctx = session.context

    def attempt(args: list[Any]) -> Any:
        try:
            return call(ctx, builtin, args)
        except HarnError as error:
            return error.value
        except Exit as end:
            return end.code

    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(VALUES, max_size=4))
    def check(args: list[Any]) -> None:
        before = display(args)
        outcome = attempt(list(args))
        assert is_harn_value(outcome), type_of(outcome)
        display(outcome)
        assert display(args) == before

    limit = sys.getrecursionlimit()
    try:
        ctx.scheduler.run(lambda: check())
    finally:
        # Hypothesis and the run both change it; the run leaves a limit that somebody else set.
        sys.setrecursionlimit(limit)
        session.close()
