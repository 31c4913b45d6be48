"""Properties of lanes, overlays, stage gates and narrowing: random inputs against small models (agent 4, 5.1)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.slow

HEAD = """
import {agent_lane_explicit_target_paths, lane_policy, stage_gate_label, stage_gate_parse} from "std/agent/lanes"
import {with_overlay} from "std/agent/overlays"
const case = json_parse(harness.stdio.read_stdin())
"""
NO_TOOLS = "__harn_tool_surface_no_tools__"
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
CANDIDATE = re.compile(r"\w[\w./-]*\.[A-Za-z][A-Za-z0-9]{0,9}\b")
VERSION = re.compile(r"v?\d+(\.\d+)*\.(x|(a|b|rc|alpha|beta|dev|pre|post|final|snapshot)\d*)", re.IGNORECASE)
DOMAINS = "com org net edu gov mil io ai co uk eu info biz dev app example invalid localhost".split()


@pytest.fixture(scope="module")
def play():
    """Give ``play(program, case) -> value``: the program reads the case and prints its answer as JSON."""
    from harnpy.cli.program import run as run_source
    from harnpy.options import Options
    from harnpy.source import Source
    from harnpy.streams import memory_streams

    def run(program: str, case: Any) -> Any:
        streams, out, err = memory_streams(json.dumps(case))
        code = run_source(lambda: Source("property.harn", HEAD + program), Options(), streams)
        assert code == 0, "".join(err)
        return json.loads("".join(out))

    return run


def examples(count: int):
    return settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def targets(task: str) -> list[str]:
    """The rule of agent 4.3, step by step."""
    prose = EMAIL.sub(" ", URL.sub(" ", task))
    found = []
    for candidate in CANDIDATE.findall(prose):
        labels = candidate.lower().partition("/")[0].split(".")
        host = len(labels) > 1 and (labels[0] == "www" or labels[-1] in DOMAINS)
        initials = all(len(part) == 1 and part.isupper() for part in candidate.split("."))
        shortened = candidate.lower() in ("e.g", "i.e", "a.m", "p.m", "a.k.a", "ph.d")
        if not (host or initials or shortened or VERSION.fullmatch(candidate)) and candidate not in found:
            found.append(candidate)
    return found


PIECES = st.sampled_from(
    ["src", "a", "B", "é", "py", "com", "www", "v1", "2", "x", "rc1", "_", "e", "g", "tar", "gz", "abcdefghijk"]
)
GLUE = st.sampled_from([".", "/", "-", " ", "..", "./", "://", "@", ", ", "(", ")", ":", "\n", "`"])
TASKS = st.lists(st.one_of(PIECES, GLUE), max_size=25).map("".join)


@examples(60)
@given(tasks=st.lists(st.one_of(TASKS, st.text(max_size=30)), min_size=20, max_size=60))
def test_targets_of_a_task(play, tasks: list[str]) -> None:
    assert play("println(json_stringify(case.map(agent_lane_explicit_target_paths)))", tasks) == list(
        map(targets, tasks)
    )


@pytest.mark.parametrize("piece", ["a", "a.", "a.b/", ".-/", "1.", "é.", "a@", "x://", "fix src/a.py now; "])
def test_targets_of_a_long_task_take_little_time(play, piece: str) -> None:
    program = """
agent_lane_explicit_target_paths("warm.up")
const started = harness.clock.monotonic_ms()
agent_lane_explicit_target_paths(case)
println(harness.clock.monotonic_ms() - started)
"""
    best = min(play(program, (piece * 10_000)[:10_000]) for _ in range(3))
    assert best < 50


NAMES = st.lists(st.sampled_from(["look", "edit", "run", "deploy", "find", ""]), max_size=5)
SURFACES = st.fixed_dictionaries(
    {
        "own": NAMES,
        "keep": NAMES,
        "registry": NAMES.map(lambda names: [name for name in names if name]),
        "ceiling": st.one_of(st.none(), NAMES.map(lambda names: [name for name in names if name])),
        "as_list": st.booleans(),
    }
)
NARROW = """
const entries = case.registry.map({ name -> {name: name} })
const given = {
  tools: if case.as_list { entries } else { {tools: entries, more: 1} },
  policy: if case.ceiling == nil { nil } else { {tools: case.ceiling, side_effect_level: "network"} },
}
const rows = [{name: "l", tool_names: case.own, default: true}]
const options = {hard_keep: case.keep}
const once = lane_policy(rows, "t", given, options)
const twice = lane_policy(rows, "t", once, options)
fn names(tools) { return (if type_of(tools) == "dict" { tools.tools } else { tools }).map({ entry -> entry.name }) }
const told = once._lane_verdict.tool_names
println(json_stringify({tools: names(once.tools), policy: once.policy?.tools, same: once == twice, told: told}))
"""


@examples(60)
@given(case=SURFACES)
def test_narrowing_never_widens(play, case: dict[str, Any]) -> None:
    got = play(NARROW, case)
    own = list(dict.fromkeys(name for name in case["own"] if name))
    wanted = list(dict.fromkeys([*own, *(name for name in case["keep"] if name)])) if own else None
    ceiling = case["ceiling"]
    if wanted is None:
        assert (got["tools"], got["policy"], got["told"]) == (case["registry"], ceiling, None)
        return
    assert got["tools"] == [name for name in case["registry"] if name in wanted]
    assert got["told"] == wanted
    allowed = [name for name in ceiling if name in wanted] if ceiling else wanted
    assert got["policy"] == (allowed or [NO_TOOLS])
    assert got["same"]


WORD = st.text(st.characters(blacklist_characters=" =,]", blacklist_categories=("Z", "C")), min_size=1, max_size=8)
GATES = st.fixed_dictionaries(
    {
        "label": st.text(st.characters(blacklist_characters="[", blacklist_categories=("C",)), max_size=20),
        "lane": WORD,
        "stage": WORD,
        "allowed_kinds": st.lists(WORD.filter(lambda word: word != "-"), max_size=3, unique=True),
        "allowed_tools": st.lists(WORD.filter(lambda word: word != "-"), max_size=3, unique=True),
    }
)


@examples(60)
@given(gate=GATES)
def test_a_stage_gate_is_read_as_it_was_written(play, gate: dict[str, Any]) -> None:
    got = play("println(json_stringify(stage_gate_parse(stage_gate_label(case.label, case))))", gate)
    assert got == {key: value for key, value in gate.items() if key != "label"}


LINES = st.lists(st.sampled_from(["one", " two ", ""]), max_size=3)
OVERLAYS = st.fixed_dictionaries(
    {
        "rows": st.lists(
            st.fixed_dictionaries(
                {"mode": st.sampled_from(["agent", "plan"]), "lines": LINES},
                optional={
                    "lane": st.sampled_from(["l", "m", None, ""]),
                    "enabled": st.sampled_from([True, False, None]),
                },
            ),
            min_size=1,
            max_size=4,
        ),
        "lane": st.sampled_from([None, "l", "m", "", " "]),
        "overrides": st.dictionaries(st.sampled_from(["agent", "agent:l", "plan"]), LINES, max_size=2),
        "system": st.one_of(st.none(), st.text(max_size=5)),
        "fragments": st.lists(
            st.fixed_dictionaries({"id": st.sampled_from(["a", "overlay:agent"]), "body": WORD}), max_size=2
        ),
    }
)
OVERLAY = """
const given = {system: case.system, context_profile: {prompt_fragments: case.fragments}}
const options = {lane: case.lane, overrides: case.overrides}
const once = with_overlay(given, case.rows, "agent", options)
println(json_stringify({once: once, twice: with_overlay(once, case.rows, "agent", options)}))
"""


def overlay_body(case: dict[str, Any]) -> str:
    lane = case["lane"] if case["lane"] and case["lane"].strip() else None
    overrides = case["overrides"]
    lines = overrides.get(f"agent:{lane}") if lane else overrides.get("agent")
    if lines is None:
        lines = overrides.get("agent")
    if lines is None:
        rows = [row for row in case["rows"] if row["mode"] == "agent" and row.get("enabled") is not False]
        of_lane = [row for row in rows if lane is not None and row.get("lane") == lane]
        chosen = of_lane or [row for row in rows if row.get("lane") is None]
        lines = chosen[0]["lines"] if chosen else []
    return "\n".join(lines).strip()


@examples(80)
@given(case=OVERLAYS)
def test_an_overlay_only_adds(play, case: dict[str, Any]) -> None:
    got = play(OVERLAY, case)
    body = overlay_body(case)
    fragments = got["once"]["context_profile"]["prompt_fragments"]
    assert got["once"]["system"] == case["system"]
    assert fragments[: len(case["fragments"])] == case["fragments"]
    assert [part["body"] for part in fragments[len(case["fragments"]) :]] == ([body] if body else [])
    assert got["twice"] == got["once"]
