"""``--json`` of every command, ``explain``, completion and the rules of colour."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from harnpy.builtins import registry
from harnpy.cli.explain import codes
from harnpy.cli.lints import lints
from harnpy.cli.main import cli
from harnpy.cli.program import of_file, run
from harnpy.options import Options
from harnpy.runtime.program import check_program
from harnpy.streams import memory_streams

ROOT = Path(__file__).resolve().parent.parent.parent
AT_RUN_TIME = {"HARN-CAP-201", "HARN-ORC-011", "HARN-ORC-012"}


def invoke(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, list(words))
    return result.exit_code, result.stdout


def answer(*words: str) -> dict:
    code, out = invoke(*words)
    found = json.loads(out)
    assert found["exit_code"] == code
    assert found["ok"] is (code == 0)
    assert set(found) == {"harnpy", "command", "ok", "exit_code", "data", "diagnostics"}
    return found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "good.harn").write_text("@test\npipeline ok(task) { println(1) }\n")
    (tmp_path / "bad.harn").write_text("const x = )\n")
    (tmp_path / "good.expected").write_text("2\n")
    return tmp_path


def test_every_command_has_json_and_one_envelope(files: Path) -> None:
    good, bad = str(files / "good.harn"), str(files / "bad.harn")
    assert answer("version", "--json")["command"] == "version"
    assert answer("check", "--json", good)["diagnostics"] == []
    assert answer("check", "--json", bad)["diagnostics"][0]["code"] == "HARN-PAR-001"
    assert answer("parse", "--json", good)["data"]["kind"] == "Module"
    assert answer("parse", "--json", bad)["diagnostics"][0]["line"] == 1
    assert answer("builtins", "--json")["data"][0].keys() == {"name", "kind", "implemented"}
    assert answer("test", "--json", good)["data"][0]["stdout"] == "1\n"
    assert answer("conformance", "--json", good)["data"][0]["failure"]
    assert len(answer("explain", "--json")["data"]) == len(codes())
    without = {name for name, command in cli.commands.items() if "--json" not in str([p.opts for p in command.params])}
    assert without == {"repl"}


def run_lines(code: str, *words: str) -> list[dict]:
    ended = subprocess.run(
        [sys.executable, "-m", "harnpy", "run", "--json", *words, "-e", code], capture_output=True, text=True, cwd=ROOT
    )
    assert ended.stderr == ""
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert lines[-1]["exit_code"] == ended.returncode
    return lines


def test_run_as_json_gives_output_events_and_the_result() -> None:
    lines = run_lines('println("a")\neprintln("b")\nagent_emit_event("s", "tool_call", {n: 1})\nexit(3)')
    assert [line["event"] for line in lines] == ["stdout", "stderr", "run", "result"]
    assert lines[0]["text"] == "a\n"
    assert lines[2]["data"] == {"n": 1, "session_id": "s", "type": "tool_call"}
    assert (lines[3]["exit_code"], lines[3]["command"]) == (3, "run")


def test_run_as_json_reports_errors_as_diagnostics() -> None:
    [line] = run_lines("fn f() { throw 1 }\nf()")
    assert line["diagnostics"][0]["message"] == "Thrown: 1"
    assert line["diagnostics"][0]["notes"] == ["called at <argument>:2"]


def used_codes() -> set[str]:
    sources = [*(ROOT / "harnpy").rglob("*.py"), *(ROOT / "stdlib").rglob("*.harn"), *(ROOT / "grammar").iterdir()]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    return set(re.findall(r"HARN-[A-Z]{3}-\d{3}", text))


def test_every_code_is_explained() -> None:
    assert used_codes() - set(codes()) == set()
    for entry in codes().values():
        assert set(entry) - {"files"} == {"title", "cause", "example", "fixed", "fix"}


def given(folder: Path, code: str, kind: str) -> str:
    """Give what harnpy says about an example."""
    entry = codes()[code]
    for name, text in {**entry.get("files", {}), "example.harn": entry[kind]}.items():
        (folder / name).write_text(text, encoding="utf-8")
    path = str(folder / "example.harn")
    if code in AT_RUN_TIME:
        streams, _, err = memory_streams()
        run(of_file(path), Options(time_limit=20.0), streams)
        return "".join(err)
    try:
        return str([(each.code, each.message) for each in check_program(of_file(path)(), registry, lints)])
    except Exception as error:
        return str(error)


@pytest.mark.parametrize("code", sorted(codes()))
def test_the_example_of_a_code_gives_it_and_the_mended_one_does_not(code: str, tmp_path: Path) -> None:
    assert code in given(tmp_path, code, "example")
    assert "HARN-" not in given(tmp_path, code, "fixed")


def test_explain_shows_a_page_for_short_and_long_codes() -> None:
    code, page = invoke("explain", "par-1")
    assert code == 0
    assert page.startswith("HARN-PAR-001: Unexpected token\n")
    assert page == invoke("explain", "HARN-PAR-001")[1]
    assert invoke("explain", "HARN-XYZ-1")[0] == 2
    assert "(did you mean HARN-PAR-00" in answer("explain", "--json", "PRA-001")["diagnostics"][0]["message"]
    assert "HARN-OWN-001  Assignment to an immutable binding" in invoke("explain")[1]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_is_printed(shell: str) -> None:
    code, text = invoke("completion", shell)
    assert code == 0
    assert "_HARNPY_COMPLETE" in text


def test_completion_completes_commands_and_options() -> None:
    def complete(line: str) -> str:
        env = {
            **os.environ,
            "_HARNPY_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(line.count(" ")),
        }
        program = "import sys; sys.argv = ['harnpy']; from harnpy.__main__ import main; main()"
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, cwd=ROOT).stdout

    assert "plain,explain" in complete("harnpy ex")
    assert "plain,--virtual-time" in complete("harnpy run --virt")


def test_no_color_and_color(tmp_path: Path) -> None:
    bad = tmp_path / "bad.harn"
    bad.write_text("const x = )\n")

    def err(*words: str, **env: str) -> str:
        command = [sys.executable, "-m", "harnpy", "check", *words, str(bad)]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **env}).stderr

    assert "\x1b[" not in err()
    assert "\x1b[" in err("--color", "always", NO_COLOR="1")
    assert "\x1b[" not in err("--color", "never")
