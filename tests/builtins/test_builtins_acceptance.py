"""The acceptance checks of section 8 of the reference, one test a row."""

from __future__ import annotations

from pathlib import Path

import pytest

# Statements, and what they print.
CHECKS: list[tuple[str, str]] = [
    ('println(to_string({b: 1, a: [nil, "x"]}))', "{a: [nil, x], b: 1}"),
    ('println([to_int(" 42 "), to_int(-3.9), to_int("4.0"), to_int(true)])', "[42, -3, nil, 1]"),
    ("println([round(-2.5), to_string(pow(2, 63))])", "[-3, 9223372036854776000]"),
    (
        'println([split("a b"), "a,b".split(), split("hi", "") == ["", "h", "i", ""]])',
        "[[a, b], [a, b], true]",
    ),
    ('println([substring("lantern", 2, 3), "lantern".substring(2, 5), "lantern"[-3:]])', "[nte, nte, ern]"),
    ('println([format("{x}-{y}", {x: 1}), format("{}/{}", 3)])', "[1-{y}, 3/{}]"),
    ('println([regex_match("o+", "foo too"), regex_match("z", "a")])', "[[oo, oo], nil]"),
    ('println(regex_replace("(?<n>[0-9]+)h", "$n hours", "5h 7h"))', "5 hours 7 hours"),
    ('println(try { regex_match("(a)\\\\1", "aa") } catch (e) { e.starts_with("Invalid regex: ") })', "true"),
    ("println(json_stringify({n: 2.0, s: set(1, 1)}))", '{"n":2.0,"s":[1]}'),
    ('println(json_extract("ok: {\\"k\\": [1]} end", "k"))', "[1]"),
    (
        'const r = schema_check({age: "9"}, {type: "dict", properties: {age: {type: "int"}}, required: ["id"]})\n'
        "println([is_err(r), unwrap_err(r).errors])",
        "[true, [at root: missing required key 'id', at age: expected type 'int', got 'string']]",
    ),
    ("println([{q: 1, p: 2}.keys(), [3, 1].sorted(), [1, 2, 3].last(2)])", "[[p, q], [1, 3], [2, 3]]"),
    (
        "println([[1, 2, 3, 4].partition({ n -> n > 2 }), partition([1, 2, 3, 4], { n -> n > 2 })])",
        "[[[3, 4], [1, 2]], {match: [3, 4], no_match: [1, 2]}]",
    ),
    ("println((1 to 4).map({ n -> n * n }).to_list())", "[1, 4, 9, 16]"),
    ("println(try { (5).foo() } catch (e) { e })", "Type error: value of type int has no method `foo`"),
    ("const c = atomic(4)\nprintln([atomic_add(c, 3), atomic_get(c)])", "[4, 7]"),
    (
        "const c = atomic(1)\nparallel each range(10).to_list() { i -> atomic_add(c, 1) }\nprintln(atomic_get(c))",
        "11",
    ),
    (
        'mock_time(0)\ncircuit_breaker("x", 2, 50)\n'
        'const a = [circuit_record_failure("x"), circuit_record_failure("x"), circuit_check("x")]\nadvance_time(50)\n'
        'println(a + [circuit_check("x"), circuit_try("x"), circuit_try("x"), circuit_record_failure("x"), '
        'circuit_check("x")])',
        "[false, true, open, half_open, probe, open, true, open]",
    ),
    ("mock_time(1000)\nsleep(250)\nprintln([now_ms(), monotonic_ms()])", "[1250, 250]"),
    (
        'import {cache_get, cache_put} from "std/cache"\nmock_time(0)\n'
        'cache_put("k", {v: 1}, {backend: "mem", ttl: "1s"})\nconst first = cache_get("k", {backend: "mem"}).hit\n'
        'advance_time(1000)\nprintln([first, cache_get("k", {backend: "mem"}).hit])',
        "[true, false]",
    ),
    (
        'println([error_category("upstream said 529"), error_category({category: "auth"}), error_category(7)])',
        "[overloaded, auth, generic]",
    ),
    (
        'println(render_string("{{ for k, v in d }}{{ k }}={{ v }};{{ end }}", {d: {b: 2, a: 1}}))',
        "a=1;b=2;",
    ),
    ('println(render_string("{{x}} {{ y.z }}", {}))', "{{x}} "),
    (
        'println(tool_count(tool_define(tool_registry(), "t", "d", {parameters: {}, handler: { a -> a }})))',
        "1",
    ),
]


@pytest.mark.parametrize(("program", "printed"), CHECKS)
def test_acceptance(run_harn, program: str, printed: str) -> None:
    ran = run_harn(program)
    assert (ran.code, ran.err, ran.out) == (0, "", printed + "\n")


def test_every_row_of_the_reference_is_here(shared: Path) -> None:
    section = (shared / "spec" / "builtins.md").read_text(encoding="utf-8").partition("## 8. ")[2]
    rows = [line for line in section.splitlines() if line.startswith(("| `", "| ten "))]
    assert len(rows) == len(CHECKS)
