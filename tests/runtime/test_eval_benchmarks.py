"""The benchmark programs: Harn and Python must do the same work, or their ratio says nothing."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

SIZES = {"fib": 10, "nested_for": 7, "nested_while": 7, "nbody": 3}
# These need a server, real time or another package; the benchmarks compare their results themselves.
APART = {"agent_turn", "branches", "model_calls"}
FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "programs"


def python_bench(name: str) -> Any:
    """Load the Python side by its path."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.bench


@pytest.mark.parametrize("name", sorted({path.stem for path in FOLDER.glob("*.harn")} - APART))
def test_both_sides_give_the_same_result(name: str, run_harn: Any) -> None:
    size = SIZES.get(name, 50)
    text = (FOLDER / f"{name}.harn").read_text(encoding="utf-8")
    ran = run_harn(f"{text}\nprintln(json_stringify(bench({size})))\n")
    expected = python_bench(name)(size)
    assert ran.err == ""
    assert eval(ran.out) == pytest.approx(expected)
