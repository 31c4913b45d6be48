"""Arguments of wrong types give errors of Harn or values, never a fault of harnpy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

AGENT = Path(__file__).resolve().parents[2] / "stdlib" / "agent"
MODULES = [
    *["lanes", "overlays", "presets", "preflight", "stance", "tool_annotations", "postturn", "tool_surface"],
    *["state", "primitives", "events", "judge", "options", "host_tools", "turn"],
]
ODD = """[
  nil, true, 0, -1, 1.5, "", "x", [], [1, nil], [{}], [{name: 1, default: true, match: {keywords: 5}}], {}, {tools: 3},
  [{name: "a", default: true, tool_kinds: 4, tool_names: [nil, 5, []]}], [{mode: 1, lines: [nil, 5]}],
  {tools: [nil, 1, {}]}, {provider: 5}, {model: 5, tools: []}, {ladder: 5}, {ladder: "none"},
  {hard_keep: 5, lane: 5, overrides: {x: 5}, classifier: 5}, {lane: [], stage: 5, allowed_kinds: 7},
  {read_only_stance: {armed: true, hard_keep: 5}, tools: [nil], policy: 5},
  {iteration_budget: 5, models: [5], llm_options: 5},
  rows, set([1]), { _a -> 7 }, { _a -> throw "x" }, 5ms,
]"""


def public_functions(module: str) -> list[str]:
    text = (AGENT / f"{module}.harn").read_text(encoding="utf-8")
    names = re.findall(r"^pub fn (\w+)", text, re.MULTILINE)
    for imported in re.findall(r"^pub import \{([^}]*)\}", text, re.MULTILINE):
        names += [name.strip() for name in imported.split(",") if name.strip()]
    return [name for name in names if module in ("postturn", "tool_surface") or not name.startswith("__")]


@pytest.mark.parametrize("module", MODULES)
def test_wrong_types(module: str, run_harn) -> None:
    names = public_functions(module)
    calls = "".join(
        f"""
  try {{ {name}() }} catch (e) {{ e }}
  for x in odd {{
    try {{ {name}(x) }} catch (e) {{ e }}
    for y in odd {{
      try {{ {name}(x, y) }} catch (e) {{ e }}
      try {{ {name}(x, "agent", y) }} catch (e) {{ e }}
      try {{ {name}("repair", x, y) }} catch (e) {{ e }}
      try {{ {name}(rows, x, y, y) }} catch (e) {{ e }}
    }}
  }}"""
        for name in names
    )
    program = f"""import {{{", ".join(names)}}} from "std/agent/{module}"
const rows = [{{name: "a", default: true, tool_names: ["t"], mode: "agent", lines: ["l"]}}]
const odd = {ODD}
fn main(harness: Harness) {{
  harness.llm.mock_enqueue({{match: "*", text: "all-ok"}}){calls}
  println("ok")
}}
"""
    ran = run_harn(program, virtual_time=0, env={})
    assert ran.code == 0, ran.err
    assert ran.out.endswith("ok\n")
