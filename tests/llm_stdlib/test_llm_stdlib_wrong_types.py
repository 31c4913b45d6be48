"""Options, callers and calls of wrong types give errors of Harn or envelopes, never a fault of harnpy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STDLIB = Path(__file__).resolve().parents[2] / "stdlib"
MODULES = {
    f"std/{path.relative_to(STDLIB).with_suffix('').as_posix()}": path
    for path in [*sorted((STDLIB / "llm").glob("*.harn")), STDLIB / "agent" / "options.harn"]
}
ODD = """[
  nil, true, 0, -1, 1.5, "", "x", [], [1, nil], {}, {a: nil}, {opts: 3}, {ok: 1},
  set([1]), { _a -> 7 }, { _a -> throw "x" }, 5ms,
]"""


def public_functions(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    names = re.findall(r"^pub fn (\w+)", text, re.MULTILINE)
    for imported in re.findall(r"^pub import \{([^}]*)\}", text, re.MULTILINE):
        names += [name.strip() for name in imported.split(",") if name.strip()]
    return [name for name in names if not name.startswith("__")]


@pytest.mark.parametrize("module", MODULES)
def test_wrong_types(module: str, run_harn) -> None:
    names = public_functions(MODULES[module])
    if not names:
        assert module.rpartition("/")[2] not in ("handlers", "caller"), "modules of programs export something"
        return
    calls = "".join(
        f"""
  try {{ tried({name}()) }} catch (e) {{ e }}
  for x in odd {{
    try {{ tried({name}(x)) }} catch (e) {{ e }}
    for y in odd {{
      try {{ tried({name}(x, y)) }} catch (e) {{ e }}
    }}
    try {{ tried({name}("p", nil, x)) }} catch (e) {{ e }}
    try {{ tried({name}({{ _c -> x }}, x, x)) }} catch (e) {{ e }}
  }}"""
        for name in names
    )
    program = f"""import {{{", ".join(names)}}} from "{module}"
const odd = {ODD}
fn tried(value) {{
  if type_of(value) != "closure" {{ return nil }}
  try {{ value({{prompt: "p", system: nil, opts: {{}}}}) }} catch (e) {{ e }}
  for x in odd {{ try {{ value(x) }} catch (e) {{ e }} }}
}}
fn main(harness: Harness) {{
  harness.llm.mock_enqueue({{match: "*", text: "all-ok"}}){calls}
  println("ok")
}}
"""
    ran = run_harn(program, virtual_time=0, env={})
    assert ran.code == 0, ran.err
    assert ran.out.endswith("ok\n")
