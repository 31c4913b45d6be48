"""A loop tells which of its options is probably misspelt; other unknown ones may be for the caller and are let be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

LOOP = """
const answer = { call -> {ok: true, value: {text: "all-ok"}} }
println(agent_loop(harness, "go", nil, {llm_caller: answer, OPTION}).status)
"""


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("polcy: {tools: []}", "policy"),
        ("max_iteration: 3", "max_iterations"),
        ("token_buget: 5", "token_budget"),
        ("temprature: 0.5", "temperature"),
    ],
)
def test_a_misspelt_option_is_told(run_harn, option: str, meant: str) -> None:
    ran = run_harn(LOOP.replace("OPTION", option))
    name = option.partition(":")[0]
    assert ran.out == "done\n"
    assert ran.err.startswith(
        f"warning: agent_loop: unknown option `{name}` (did you mean `{meant}`?)\n  --> test.harn:"
    )
    assert ran.err.endswith(f" {'^' * len(name)}\n")


@pytest.mark.parametrize(
    "option", ["escalate: true", "mode: 1", "_private: 1", "stage: 1", "user: 1", "tags: []", "tenant: 1"]
)
def test_options_of_a_caller_are_let_be(run_harn, option: str) -> None:
    ran = run_harn(LOOP.replace("OPTION", option))
    assert (ran.out, ran.err) == ("done\n", "")


def test_options_of_the_specification_are_known(run_harn, shared: Path) -> None:
    text = (shared / "spec" / "agent.md").read_text(encoding="utf-8")
    table = text.split("### 1.2 Options")[1].split("Profiles (explicit")[0]
    names = {
        name for row in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert len(names) > 60
    written = ", ".join(f"{name}: nil" for name in sorted(names - {"llm_caller"}))
    ran = run_harn(LOOP.replace("OPTION", written))
    assert (ran.out, ran.err) == ("done\n", "")
