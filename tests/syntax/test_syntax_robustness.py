"""No input breaks the parser: depth, size, noise (cases S07, language 3.8)."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.errors import RejectedProgram
from harnpy.source import Source
from harnpy.syntax import parser, table
from harnpy.syntax.format import format_module
from harnpy.syntax.kinds import CONTINUATIONS
from harnpy.syntax.parser import parse
from harnpy.syntax.tokens import CONTEXTUAL_WORDS, RESERVED

MANY = 20_000
PIECES = [
    *sorted(RESERVED | CONTEXTUAL_WORDS | CONTINUATIONS),
    *'{ } ( ) [ ] -> ? : , ; = ! - @ & | ... += "s" r"q" 1 1.5 2ms a B _ // /* */ \\ # $ "${ }" """ '.split(),
    "\n",
]
SAMPLE = """
import {a, b} from "m"
pub fn f(x: int, y = 2, ...z) -> list<int> { return [x, ...z].map({ v -> v ?? y }) }
const t = "a ${f(1)[0]} b" |> g(_)
match t { E.V(a, _) | 1 if a > 2 -> { } {k: 1, j: n} -> { } [h, ...r] -> { } }
try { select { v from ch { } timeout 5ms { } } } catch (e: T) { throw e } finally { }
let {k: q = 1, ...rest} = parallel each xs with {max_concurrent: 2} { x -> x ? [1] : {a: x?[0]} }
@test(a: [1, b.c]) pipeline p(h: Harness) { emit 1 }
"""


def attempt(text):
    """Parse; only a refusal with exactly one finding may come out."""
    try:
        parse(Source("test.harn", text))
    except RejectedProgram as refusal:
        (finding,) = refusal.diagnostics
        assert finding.code
        assert 0 <= finding.span[0] <= finding.span[1] <= len(text)
        return finding.message
    return None


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text):
    attempt(text)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))
def test_any_tokens(text):
    attempt(text)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(SAMPLE)), st.sampled_from(PIECES), st.integers(0, 3))
def test_damaged_programs(at, piece, cut):
    attempt(SAMPLE[:at])
    attempt(SAMPLE[:at] + piece + SAMPLE[at + cut :])


def test_the_sample_is_a_program():
    assert attempt(SAMPLE) is None


@settings(max_examples=200, deadline=None)
@given(st.text('{}"\\$ab', max_size=12))
def test_any_string_survives_in_a_hole(value):
    literal = '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") + '"'
    outer = parse(Source("test.harn", f'"<${{{literal}}}>"')).body[0].value
    assert [part if isinstance(part, str) else part.value for part in outer.parts] == ["<", value, ">"]


@pytest.mark.parametrize(
    "text",
    [
        "+".join("a" * MANY),
        "a" + "()" * MANY,
        "a" + ".b" * MANY,
        "a" + "!" * MANY,
        "a" + "?[0]" * MANY,
        "**".join("a" * MANY),
        "-" * MANY + "a",
        "!" * MANY + "a",
        "try* " * MANY + "a",
        "a ? b : " * MANY + "c",
        " else ".join(["if a { }"] * MANY),
        "(" * MANY,
        "[" * MANY,
        "{a: " * MANY,
        "{ -> " * MANY,
        '"${' * 300 + "a" + '}"' * 300,
        "@a " * MANY + "fn f() { }",
        "let x: " + "fn(" * MANY,
        "let x: A" + " ?" * MANY + " = 1",
    ],
    ids=lambda text: text[:12],
)
def test_depth_is_bounded(text):
    assert "nested too deeply at 1:" in attempt(text)


def test_depth_limit_from_both_sides():
    assert attempt("(" * 256 + "a" + ")" * 256) is None
    assert attempt("(" * 257 + "a" + ")" * 257) == "nested too deeply at 1:257"
    nested = "{ -> " * 256 + "1" + " }" * 256
    assert len(format_module(parse(Source("test.harn", nested)))) > 256
    with pytest.raises(RejectedProgram, match=r"nested too deeply.*1:4"):
        parse(Source("test.harn", "((((a))))"), max_nesting=3)


def test_chains_just_below_the_limit_are_usable():
    text = " + ".join(["a"] * (parser.MAX_DEPTH - 10))
    assert format_module(parse(Source("test.harn", text))) == text + "\n"


@pytest.mark.parametrize(
    "text",
    [
        "[" + "a < b, " * MANY + "]",
        "[" + "a ? b, " * MANY + "]",
        "a\n" * MANY,
        "\n" * MANY,
        "match x {" + "1 -> { }" * MANY + "}",
        '"' + "${a}" * MANY + '"',
        '"""' + "\\${" * MANY + '"""',
        "type A = " + "|".join("B" * MANY),
        "// x\n" * MANY,
        "1" * MANY + ".0",
    ],
    ids=lambda text: text[:12],
)
def test_width_is_not_bounded(text):
    assert attempt(text) is None


def program(lines):
    """Make a program of about ``lines`` lines."""
    rng = random.Random(lines)
    parts = []
    while len(parts) < lines - 200:
        i = rng.randrange(1000)
        parts += [
            f"fn f{i}(a, b = {i}) {{",
            f"  let x = [a, b, {i}].map({{ v -> v * 2 + {i} }})",
            f'  if x[0] > {i} && b != nil {{ return {{k: x, name: "n${{a}}"}} }}',
            "  return x?.y ?? call(a, {b: b})",
            "}",
        ]
    parts += ['const s = """', *["text"] * 197, '"""']
    return "\n".join(parts)


def seconds(lines):
    source = Source("test.harn", program(lines))
    begin = time.process_time()
    parse(source)
    return time.process_time() - begin


def test_time_is_linear():
    seconds(1000)
    ratios = []
    for _ in range(3):
        ratios.append(seconds(20_000) / seconds(5_000))
        if ratios[-1] < 5.0:  # 4 times the lines; 1.25 times the time per line is the gate
            return
    pytest.fail(f"20,000 lines against 5,000: {ratios}")


def test_the_grammar_is_loaded_once():
    parse(Source("test.harn", "a"))
    first = table.table({})
    parse(Source("test.harn", "b"))
    assert table.table({}) is first
