"""What start-up does not import: the price of a module is paid only by programs that need it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Runs a command line in this process and prints which modules it left behind.
PROBE = """
import sys
before = set(sys.modules)
sys.argv = ["harnpy", *sys.argv[1:]]
from harnpy.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("\\n" + " ".join(sorted(set(sys.modules) - before)))
"""
HEAVY = {
    "asyncio", "attr", "attrs", "click", "dataclasses", "datetime", "decimal", "email", "enum", "greenlet", "httpx",
    "json", "lark", "logging", "pathlib", "random", "re", "re2", "socket", "ssl", "tempfile", "typing", "urllib",
}  # fmt: skip


def imported(*arguments: str) -> set[str]:
    code = f"import sys; sys.path[:0] = {sys.path!r}\n" + PROBE
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name for name in ended.stdout.splitlines()[-1].split() if "." not in name}


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help"), ("check", "--help")])
def test_help_loads_neither_http_nor_parser(arguments: tuple[str, ...]) -> None:
    assert imported(*arguments) & {"httpx", "lark", "attrs", "asyncio", "re2", "greenlet"} == set()


def test_version_loads_nothing_heavy() -> None:
    assert imported("--version") & HEAVY == set()


def test_warm_run_loads_nothing_heavy(tmp_path: Path) -> None:
    program = tmp_path / "hello.harn"
    program.write_text('harness.stdio.println("hello")\n')
    imported("run", str(program))
    assert imported("run", str(program)) & HEAVY == set()


def test_a_warm_run_that_calls_a_model_on_the_mock_needs_no_http(tmp_path: Path) -> None:
    program = tmp_path / "ask.harn"
    program.write_text('harness.stdio.println(harness.llm.call("ping", nil, {provider: "mock"}).text)\n')
    imported("run", str(program))
    assert imported("run", str(program)) & {"httpx", "lark", "attrs", "click"} == set()
