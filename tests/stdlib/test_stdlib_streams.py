"""The namespace ``stream``: random arguments give values or Harn errors; endless sources do not keep a run."""

from __future__ import annotations

from typing import Any

import pytest
from builtin_values import VALUES, attempt, make_context
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harnpy.capabilities.harness import stream_handle
from harnpy.runtime.calls import call
from harnpy.runtime.iterators import END, Iter

NAMES = stream_handle().methods.keys()
# They wait on the scheduler when they are pulled: here only their arguments are checked.
WAITING = ("merge", "race", "debounce", "throttle")


@pytest.mark.parametrize("name", NAMES)
def test_random_arguments(name: str, tmp_path_factory: Any) -> None:
    ctx = make_context(str(tmp_path_factory.getbasetemp()))
    function = stream_handle().methods[name]

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(VALUES, max_size=4))
    def check(args: list[Any]) -> None:
        result, _ = attempt(call, ctx, function, list(args))
        if type(result) is Iter and name not in WAITING:
            for _ in range(20):
                item, error = attempt(result.pull)
                if error is not None or item is END:
                    break

    check()


FOREVER = """
gen fn forever(ms) {
  let i = 0
  while true {
    i = i + 1
    harness.clock.sleep_ms(ms)
    emit i
  }
}
mock_time(0)
"""


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("stream.first(stream.merge(forever(5), forever(7)))", "1"),
        ("stream.collect(stream.race(forever(5), forever(7)), 2)", "[1, 2]"),
        ("stream.collect(stream.debounce(forever(30), 10), 2)", "[1, 2]"),
        ("stream.collect(stream.merge(forever(5)), 0)", "[]"),
        (
            "try { deadline 50ms { stream.collect(stream.merge(forever(5), forever(7))) } } catch (e) { e }",
            "Deadline exceeded",
        ),
    ],
)
def test_endless_sources_do_not_keep_the_run(run_harn: Any, code: str, shown: str) -> None:
    ran = run_harn(f"{FOREVER}print({code})", time_limit=20)
    assert (ran.code, ran.out, ran.err) == (0, shown, "")


def test_a_cancelled_reader_ends(run_harn: Any) -> None:
    code = "const t = spawn { stream.collect(stream.merge(forever(5))) }\nharness.clock.sleep_ms(20)\ncancel(t)\n"
    ran = run_harn(FOREVER + code + "print(now_ms())", time_limit=20)
    assert (ran.code, ran.out, ran.err) == (0, "20", "")
