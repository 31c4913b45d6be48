"""Operations on lists, dicts and texts of 100,000 items take time in proportion to their size."""

from __future__ import annotations

import time

import pytest

SMALL, LARGE = 12_500, 100_000

# Each program works on `n` items and must not slow down per item.
PROGRAMS = {
    "append": "let xs = []\nfor i in range(n) { xs = xs + [i] }",
    "push": "let xs = []\nfor i in range(n) { xs = xs.appending(i) }",
    "index": "let xs = range(n).to_list()\nlet s = 0\nfor i in range(n) { s = s + xs[i] }",
    "set_item": "let xs = range(n).to_list()\nfor i in range(n) { xs[i] = i + 1 }",
    "dict_put": 'let d = {}\nfor i in range(n) { d["k${i}"] = i }',
    "dict_get": 'let d = {}\nfor i in range(n) { d["k${i}"] = i }\nlet s = 0\nfor i in range(n) { s = s + d["k${i}"] }',
    "dict_walk": 'let d = {}\nfor i in range(n) { d["k${i}"] = i }\nlet s = 0\nfor e in d { s = s + e.value }',
    "group_by": "const g = range(n).to_list().group_by({ x -> x % 10 })",
    "sort": "const s = range(n).to_list().reversed().sorted()",
    "unique": "const s = set(range(n).to_list())",
    "map_filter": "const xs = range(n).to_list()\nconst s = xs.map({ x -> x * 2 })"
    ".filter({ x -> x % 3 == 0 }).reduce(0, { a, x -> a + x })",
    "text": 'let t = ""\nfor i in range(n) { t = t + "x" }',
    "join_split": 'const parts = join(range(n).to_list(), ",").split(",")',
    "json": "const back = json_parse(json_stringify(range(n).to_list().map({ x -> {a: x} })))",
    "equality": "const a = range(n).to_list()\nconst same = a == range(n).to_list()",
    "channel": 'const ch = channel("c", n)\nfor i in range(n) { send(ch, i) }\n'
    "close_channel(ch)\nlet s = 0\nfor v in ch { s = s + v }",
    "lines": 'const l = "a\\n".repeat(n).lines().count',
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_time_grows_with_size(run_harn, name: str) -> None:
    def seconds(size: int) -> float:
        start = time.perf_counter()
        ran = run_harn(f"const n = {size}\n{PROGRAMS[name]}")
        assert (ran.code, ran.err) == (0, "")
        return time.perf_counter() - start

    seconds(100)
    # Eight times the size: linear work takes about 8 times, quadratic 64 times.
    ratios = []
    for _ in range(3):
        ratios.append(seconds(LARGE) / seconds(SMALL))
        if ratios[-1] < 24:
            return
    assert min(ratios) < 24, ratios
