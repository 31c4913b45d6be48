"""Every ``harn`` block of the documentation runs and prints what the page says (conformance/docs/README.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from pages import ALL, fences

from harnpy.cli.tests import find_tests, run_test
from harnpy.options import Options

ROOT = Path(__file__).resolve().parent.parent
COMPANIONS = ROOT / "conformance" / "docs"
SEEDS = {"callers": "001_*.txt", "lanes": "000_*.txt"}
BLOCK = re.compile(r"^```(harn[^\n]*)\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
SECTION = re.compile(r"^## (\d+)[^\n]*\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """One fenced block: where it stands, the words behind the fence, its text, and the output that follows it."""

    page: Path
    line: int
    info: str
    text: str
    output: str | None


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2], match[3])
        for match in BLOCK.finditer(text)
    ]


def companion(name: str) -> dict[int, list[Block]]:
    """Read what stands around the blocks of a seed page: number of the block -> its ``before`` and ``after``."""
    path = COMPANIONS / f"{name}.md"
    sections = SECTION.finditer(path.read_text(encoding="utf-8"))
    return {
        int(section[1]): [Block(path, 0, m[1], m[2], m[3]) for m in BLOCK.finditer(section[2])] for section in sections
    }


# A block that is a file of its page is run by the commands of the page (tests/project/test_project_walk.py).
OWN = [
    block
    for page in ALL
    for block, fence in zip(blocks_of(page), [f for f in fences(page) if f.info.startswith("harn")], strict=True)
    if fence.file is None
]
SEED_BLOCKS = [(name, number) for name in SEEDS for number in sorted(companion(name))]


@pytest.fixture
def any_reply(tmp_path: Path) -> str:
    """A fixture of replies that answers every model call with ``all-ok``."""
    path = tmp_path / "replies.jsonl"
    path.write_text('{"match": "*", "text": "all-ok"}\n', encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("block", OWN, ids=lambda block: f"{block.page.relative_to(ROOT)}:{block.line}")
def test_block_of_our_documentation(block: Block, run_harn, any_reply: str) -> None:
    assert block.info in ("harn", "harn,error"), "blocks of our own pages run"
    ran = run_harn(block.text, name=f"{block.page.name}:{block.line}", llm_mock=any_reply, virtual_time=0, env={})
    if block.info == "harn,error":
        assert ran.code != 0
        assert [line for line in (block.output or "").splitlines() if line not in ran.out + ran.err] == []
        return
    assert ran.code == 0, ran.err
    if block.output is not None:
        assert ran.out == block.output


WITH_TESTS = [block for block in OWN if "fn test_" in block.text or "@test" in block.text]


@pytest.mark.parametrize("block", WITH_TESTS, ids=lambda block: f"{block.page.relative_to(ROOT)}:{block.line}")
def test_tests_in_a_block_pass(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "block.harn"
    path.write_text(block.text, encoding="utf-8")
    found = find_tests(str(path))
    assert found
    for each in found:
        result = run_test(each, Options(env={"HARN_LLM_CALLS_DISABLED": "1"}))
        assert result.reason == "", result.err


@pytest.mark.parametrize(("page", "number"), SEED_BLOCKS)
def test_block_of_a_seed_page(page: str, number: int, shared: Path, run_harn, any_reply: str) -> None:
    [seed] = (shared / "seeds").glob(SEEDS[page])
    around = companion(page)[number]
    parts = {part.info.removeprefix("harn "): part.text for part in around}
    block = parts.get("instead", blocks_of(seed)[number - 1].text)
    [expected] = [part.output for part in around if part.output is not None]
    ran = run_harn(
        parts.get("before", "") + block + parts.get("after", ""),
        name=f"{page}:{number}",
        llm_mock=any_reply,
        virtual_time=0,
        env={},
    )
    assert ran.code == 0, ran.err
    assert ran.out == expected


@pytest.mark.parametrize("page", SEEDS)
def test_every_block_of_a_seed_page_is_run(page: str, shared: Path) -> None:
    [seed] = (shared / "seeds").glob(SEEDS[page])
    assert sorted(companion(page)) == list(range(1, len(blocks_of(seed)) + 1))


def public_names(module: Path) -> list[str]:
    """Names that a module of the standard library gives to programs."""
    text = module.read_text(encoding="utf-8")
    names = re.findall(r"^pub fn (\w+)", text, re.MULTILINE)
    for imported in re.findall(r"^pub import \{([^}]*)\}", text, re.MULTILINE):
        names += [name.strip() for name in imported.split(",") if name.strip()]
    return [name for name in names if not name.startswith("__")]


MODULE_PAGES = [page for page in sorted((ROOT / "docs" / "stdlib" / "llm").glob("*.md")) if page.stem != "README"]


@pytest.mark.parametrize("page", MODULE_PAGES, ids=lambda page: page.stem)
def test_every_public_function_has_an_example(page: Path) -> None:
    folder = "agent" if page.stem.startswith("agent_") else "llm"
    module = ROOT / "stdlib" / folder / (page.stem.removeprefix("agent_") + ".harn")
    examples = "".join(block.text for block in blocks_of(page))
    assert [name for name in public_names(module) if f"{name}(" not in examples] == []
