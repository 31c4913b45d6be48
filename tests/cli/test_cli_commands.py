"""The other commands: ``check``, ``parse``, ``version``, ``conformance``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harnpy.cli.main import cli
from harnpy.version import __version__


def invoke(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.fixture
def write(tmp_path: Path):
    def write_file(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write_file


def test_version() -> None:
    for words in (["version"], ["--version"]):
        assert invoke(*words).output == f"harnpy {__version__}\n"


def test_help_names_every_command() -> None:
    shown = invoke("--help").output
    for command in ("run", "check", "parse", "conformance", "version"):
        assert command in shown


def test_check_reports_every_file(write) -> None:
    good = write("good.harn", "const x = 1\nharness.stdio.println(x)\n")
    bad = write("bad.harn", "const x = 1\nx = 2\nx = 3\n")
    assert (invoke("check", good).exit_code, invoke("check", good).output) == (0, "")
    ended = invoke("check", good, bad)
    assert ended.exit_code == 1
    assert "error[HARN-OWN-001]" in ended.output
    assert "bad.harn:2:1" in ended.output
    assert "bad.harn:3:1" in ended.output


def test_check_does_not_run(write) -> None:
    assert invoke("check", write("p.harn", 'throw "x"')).exit_code == 0


def test_check_as_json(write) -> None:
    bad = write("bad.harn", "const x = 1\nx = 2\n")
    findings = json.loads(invoke("check", "--json", bad).output)["diagnostics"]
    assert [(finding["code"], finding["line"], finding["column"]) for finding in findings] == [("HARN-OWN-001", 2, 1)]


@pytest.mark.parametrize("command", [("check",), ("run",), ("parse", "--json")])
def test_files_that_cannot_be_read(write, tmp_path: Path, command: tuple[str, ...]) -> None:
    for path in (tmp_path / "none.harn", tmp_path, write("latin.harn", b'"\xff"')):
        ended = invoke(*command, path)
        assert ended.exit_code == 1, path
        assert path.name in ended.output
        assert "Traceback" not in ended.output


def test_parse(write) -> None:
    path = write("p.harn", "const x = [1, 2.5, 3s]\n")
    assert (invoke("parse", path).exit_code, invoke("parse", path).output) == (0, "")
    tree = json.loads(invoke("parse", "--json", path).output)["data"]
    assert tree["kind"] == "Module"
    assert '"IntLit"' in json.dumps(tree)
    ended = invoke("parse", write("bad.harn", "const = 1\n"))
    assert ended.exit_code == 1
    assert "bad.harn:1:7" in ended.output


def test_conformance_compares(write, tmp_path: Path) -> None:
    write("a.harn", "harness.stdio.println(1)\n")
    write("a.expected", "1\n")
    write("b.harn", 'throw "x"\n')
    write("b.error", "Thrown: x\nb.harn:1:1\nexit: 1\n")
    (tmp_path / "lib").mkdir()
    write("lib/m.harn", "this is no program")
    assert invoke("conformance", tmp_path).output == "2 passed, 0 failed\n"
    write("a.expected", "2\n")
    write("b.error", "Thrown: y\nexit: 3\n")
    ended = invoke("conformance", tmp_path)
    assert ended.exit_code == 1
    for text in ("-2\n", "+1\n", "not in the output: Thrown: y", "'exit: 3' is asked for", "0 passed, 2 failed"):
        assert text in ended.output
    assert "1 failed" in invoke("conformance", tmp_path, "--filter", "a.harn").output
    assert invoke("conformance", tmp_path, "--filter", "zzz").exit_code == 2


def test_conformance_wants_one_expectation(write, tmp_path: Path) -> None:
    write("a.harn", "1\n")
    assert "exactly one of" in invoke("conformance", tmp_path).output
    write("a.expected", "")
    write("a.error", "")
    assert "exactly one of" in invoke("conformance", tmp_path).output


def test_conformance_blesses(write, tmp_path: Path) -> None:
    write("a.harn", "harness.stdio.println(1)\n")
    write("b.harn", 'throw "x"\n')
    assert invoke("conformance", tmp_path, "--bless").exit_code == 0
    assert (tmp_path / "a.expected").read_text() == "1\n"
    assert (tmp_path / "b.error").read_text() == "error: Thrown: x\n"
    assert invoke("conformance", tmp_path).exit_code == 0


def test_conformance_gives_arguments_environment_and_replies(write, tmp_path: Path) -> None:
    write(
        "a.harn",
        'harness.stdio.println([argv, harness.env.get("A"), harness.env.get("PATH"), harness.llm.call("x").text])\n',
    )
    write("a.args", "--seed\n3\n--\none two\n")
    write("a.env", "A=b=c\n")
    write("a.llm-mock.jsonl", '{"text": "hi"}\n')
    write("a.expected", "[[one two], b=c, nil, hi]\n")
    ended = invoke("conformance", tmp_path)
    assert ended.exit_code == 0, ended.output


def test_what_stands_beside_a_program_and_makes_no_sense_fails_that_program_only(write, tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    write("cases/a.harn", "println(1)")
    write("cases/a.expected", "1\n")
    write("cases/a.args", "--no-such-option")
    write("cases/b.harn", "println(1)")
    (tmp_path / "cases/b.expected").write_bytes(b"\xff")
    write("cases/c.harn", "println(1)")
    write("cases/c.expected", "1\n")
    result = CliRunner().invoke(cli, ["conformance", str(tmp_path / "cases")])
    assert result.exit_code == 1
    assert "No such option '--no-such-option'" in result.output
    assert "1 passed, 2 failed" in result.output


def test_other_ends_of_lines_are_seen_in_the_difference(write, tmp_path: Path) -> None:
    write("a.harn", "println(1)")
    write("a.expected", "1\r\n")
    assert "-1\\r\n+1\n" in CliRunner().invoke(cli, ["conformance", str(tmp_path / "a.harn")]).output


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("command", ["test", "conformance"])
def test_a_named_pipe_in_a_folder_is_not_waited_for(write, tmp_path: Path, command: str) -> None:
    (tmp_path / "all").mkdir()
    write("all/a.harn", "fn test_a() { assert(true) }")
    write("all/a.expected", "")
    os.mkfifo(tmp_path / "all/pipe.harn")
    folder = str(tmp_path / "all")
    words = [sys.executable, "-m", "harnpy", command, folder]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, "1 passed, 0 failed" in ended.stdout) == (0, True)


def test_conformance_programs_leave_nothing_behind(write, tmp_path: Path) -> None:
    write("a.harn", 'mock_time(5)\nharness.llm.mock_enqueue({text: "left"})\nmock_stdin("x")\n')
    write("a.expected", "")
    write(
        "b.harn",
        "harness.stdio.println([harness.clock.now_ms() > 1000, harness.llm.mock_calls(), harness.stdio.read_line()])\n",
    )
    write("b.expected", "[true, [], nil]\n")
    ended = invoke("conformance", tmp_path)
    assert ended.exit_code == 0, ended.output
