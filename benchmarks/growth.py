"""Growth: twice the work should take twice the time, and at most 2.3 times as long; quadratic growth would be 4."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

from benchmarks.harn import inside_a_run, load, load_text
from benchmarks.row import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT = 2.3
# Short loops are at the mercy of the memory allocator and of other load; still far from 4.
GATE = 2.8

# Name, size, and the body of a loop over ``i``; a program starts with ``xs = []``, ``s = ""`` and ``d = {}``.
_LOOPS = {
    "xs = xs + [i]": 100_000,
    "xs = xs.appending(i)": 100_000,
    "xs = [...xs, i]": 100_000,
    "xs += [i]": 100_000,
    's = s + "piece"': 100_000,
    's = s + "a" + to_string(i)': 100_000,
    's = "${s}piece"': 100_000,
    's += "piece"': 100_000,
    "d[to_string(i)] = i": 100_000,
    "d = d + {last: i}": 100_000,
    "d.items = (d.items ?? []) + [i]": 20_000,
    "d.items = d.items ?? []\n    d.items = d.items.appending(i)": 20_000,
    'd["k"] = (d["k"] ?? []) + [i]': 20_000,
    "d.a = d.a ?? {}\n    d.a[to_string(i)] = i": 20_000,
    "let part = d.items ?? []\n    d.items = nil\n    part = part + [i]\n    d.items = part": 20_000,
}
_FRAME = """
fn bench(size) {
  let xs = []
  let s = ""
  let d = {}
  for i in 0 to size exclusive {
    LOOP
  }
  return len(xs) + len(s) + len(d)
}
"""
_IMPORTS = "imports"
_STRINGS, _UPDATES = "strings", "updates"


def _name(loop: str) -> str:
    return "growth: " + "; ".join([line.strip() for line in loop.split("\n")])


NAMES = (*[_name(loop) for loop in _LOOPS], *[f"growth: {name}" for name in (_STRINGS, _UPDATES, _IMPORTS)])


def rows(names: set[str], rounds: int) -> Iterator[Row]:
    """Measure the named rows."""
    rounds = min(rounds, 5)
    for loop, size in _LOOPS.items():
        if _name(loop) in names:
            yield inside_a_run(lambda context, loop=loop, size=size: _loop(context, loop, size, rounds))
    for name, size in ((_STRINGS, 50_000), (_UPDATES, 20_000)):
        if f"growth: {name}" in names:
            yield inside_a_run(lambda context, name=name, size=size: _program(context, name, size, rounds))
    if f"growth: {_IMPORTS}" in names:
        yield _imports(rounds)


def _loop(context: Any, loop: str, size: int, rounds: int) -> Row:
    bench = load_text(context, "growth.harn", _FRAME.replace("LOOP", loop))
    return _compared(_name(loop), bench, size, rounds, GATE)


def _program(context: Any, name: str, size: int, rounds: int) -> Row:
    return _compared(f"growth: {name}", load(context, name), size, rounds)


def _compared(name: str, bench: Callable[[Any], Any], size: int, rounds: int, gate: float = LIMIT) -> Row:
    bench(size // 20)
    once, twice = interleaved(rounds, lambda: bench(size), lambda: bench(2 * size))
    return Row(name, twice / once, LIMIT, gate, f"{once * 1000:.1f} ms for {size:,}")


def _imports(rounds: int) -> Row:
    """Load programs of 60 and of 120 modules that all import each other's neighbours."""
    from harnpy.analysis.modules import load_graph, read_source

    with tempfile.TemporaryDirectory() as folder:

        def program(count: int) -> Callable[[], object]:
            for number in range(count):
                body = f"pub fn value_{number}() {{ return {number} }}\n"
                if number:
                    body = f'import {{value_{number - 1}}} from "./m{count}_{number - 1}"\n{body}'
                with open(os.path.join(folder, f"m{count}_{number}.harn"), "w", encoding="utf-8") as file:
                    file.write(body)
            entry = os.path.join(folder, f"m{count}_{count - 1}.harn")
            return lambda: load_graph(read_source(entry), use_cache=False)

        few, many = program(60), program(120)
        few()
        once, twice = interleaved(rounds, few, many)
    return Row(f"growth: {_IMPORTS}", twice / once, LIMIT, GATE, f"{once * 1000:.1f} ms for 60 modules")
