"""The coding agent of examples/, against a live provider: a server on loopback, chosen by one environment variable."""

from __future__ import annotations

import os
import shutil

import pytest
from stub import Answer, Stub
from wires import Anthropic, OpenAi

EDIT = {"path": "src/prices.py", "old": "full * discount_percent", "new": "full * discount_percent / 100"}
TURNS = (
    ("", [("run", {"command": "python3 -m unittest -q"})]),
    ("It is fine now.", []),
    ("", [("edit", EDIT)]),
    ("all-ok", []),
)


@pytest.mark.skipif(shutil.which("python3") is None, reason="the tests of the example project need python3")
@pytest.mark.parametrize("wire", [OpenAi(), Anthropic()], ids=lambda wire: wire.name)
def test_the_example_mends_the_project_with_a_live_provider(run_harn, root, monkeypatch, wire):
    monkeypatch.chdir(root)
    stops = ("stop", "tool_calls") if wire.name == "openai" else ("end_turn", "tool_use")
    answers = []
    for number, (text, calls) in enumerate(TURNS):
        named = [(f"c{number}", name, given) for name, given in calls]
        answers.append(Answer(200, wire.whole_body(text, calls=named, stop=stops[bool(calls)])))
    program = root / "examples" / "fix_failing_test" / "agent.harn"
    with Stub(*answers) as stub:
        environment = {**wire.environment(stub.url), "HARN_LLM_PROVIDER": wire.name, "HARN_LLM_MODEL": "m"}
        environment |= {"HARN_LLM_STREAM": "0", "PATH": os.environ["PATH"]}
        ran = run_harn(program.read_text(), name=str(program), allow=("process",), env=environment)
        bodies = [asked.json for asked in stub.requests]
    assert (ran.code, ran.err) == (0, "")
    assert "run: done (natural) after 4 model calls" in ran.out
    assert "after: tests pass" in ran.out
    assert len(bodies) == 4
    # The gate did not believe the second reply, and said so.
    assert "The tests still fail." in str(bodies[2])
