"""Real programs parse: the user's pages, the standard library, the samples of the specification."""

from __future__ import annotations

import re
import time

import pytest

from harnpy.source import Source
from harnpy.syntax.format import format_module
from harnpy.syntax.parser import parse

_BLOCK = re.compile(r"^( *)```harn[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_PROGRAM_CELL = re.compile(r"^\| \d+ \| (.*) \| [^|]*\|$", re.MULTILINE)


def blocks(path):
    """Give the Harn blocks of a page; the signature that the callers page sketches is no program."""
    found = [match.group(2) for match in _BLOCK.finditer(path.read_text(encoding="utf-8"))]
    return [text for text in found if not text.startswith("fn(call) -> LlmCallerResult\n")]


def check(text, label):
    module = parse(Source(label, text))
    assert parse(Source(label, format_module(module))) == module


def test_the_pages(shared):
    count = 0
    for page in sorted((shared / "seeds").glob("*.txt")):
        for text in blocks(page):
            check(text, page.name)
            count += 1
    assert count >= 20


def test_blocks_of_the_specification(shared):
    for page in sorted((shared / "spec").glob("*.md")):
        for text in blocks(page):
            check(text, page.name)


def test_program_rows_of_the_language_reference(shared):
    """Section 18: code spans that stand side by side are lines of one program."""
    page = (shared / "spec" / "language.md").read_text(encoding="utf-8")
    rows = _PROGRAM_CELL.findall(page[page.index("## 18") : page.index("## 19")])
    for row in rows:
        program = "\n".join(double or single for double, single in re.findall(r"`` (.*?) ``|`([^`]+)`", row))
        check(program.replace("\\|", "|"), "language 18")
    assert len(rows) == 40


def test_the_standard_library(root):
    for path in sorted((root / "stdlib").rglob("*.harn")):
        text = path.read_text(encoding="utf-8")
        check(text, str(path))


def test_conformance_programs_that_run_parse(root):
    for path in sorted((root / "conformance").rglob("*.expected")):
        data = path.with_suffix(".harn").read_bytes()
        parse(Source(path.name, data.decode("utf-8").removeprefix("\ufeff")))


def test_speed_is_in_the_right_order():
    text = "\n".join(f'const x{i} = f(a, {{b: {i}}}).map({{ v -> v + {i} }}) ?? "t${{a}}"' for i in range(2000))
    parse(Source("warm", "a"))
    best = 9.0
    for _ in range(3):
        begin = time.process_time()
        parse(Source("test.harn", text))
        best = min(best, time.process_time() - begin)
    assert 2000 / best > 2000, f"{2000 / best:.0f} lines/s"


@pytest.mark.parametrize(
    "text",
    [
        'const a = nil ??\n  "x"\nconst b = 2\n  + 3\nconst c = 10 -\n  4\n'
        "const d = true\n  && false\n  || 1\n    == 1\nconst e = [3, 1]\n  |> len",
        "fn counter() {\n  let n = 0\n  return {bump: { -> n = n + 1 }, now: { -> n }}\n}",
        "gen fn up(n) throws E where T: A + B { for i in 1 to n { emit i } }",
        'cost_route {\n  budget: 1\n  mode: "x"\n  f()\n}',
        "eval_pack e {\n  cases [1]\n}",
    ],
)
def test_more_programs(text):
    check(text, "test.harn")
