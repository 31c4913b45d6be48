"""The envelope of ``--json`` as docs/machine-output.md describes it, of every command however it ends."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harnpy.cli.main import cli
from harnpy.version import __version__

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "machine-output.md").read_text(encoding="utf-8")
FIELDS = {"harnpy": str, "command": str | None, "ok": bool, "exit_code": int, "data": object, "diagnostics": list}
NUMBER = int | None
FINDING = {
    "severity": str,
    "code": str | None,
    "message": str,
    "file": str | None,
    "line": NUMBER,
    "column": NUMBER,
    "end_line": NUMBER,
    "end_column": NUMBER,
    "hint": str | None,
    "notes": list,
}


def is_envelope(found: dict[str, Any], code: int) -> None:
    assert list(found) == list(FIELDS)
    assert [name for name, kind in FIELDS.items() if not isinstance(found[name], kind)] == []
    assert (found["harnpy"], found["exit_code"], found["ok"]) == (__version__, code, code == 0)
    for finding in found["diagnostics"]:
        assert list(finding) == list(FINDING)
        assert [name for name, kind in FINDING.items() if not isinstance(finding[name], kind)] == []
        assert finding["severity"] in ("error", "warning")
        assert finding["code"] is None or re.fullmatch(r"HARN-[A-Z]{3}-\d{3}", finding["code"])
        assert all(type(note) is str for note in finding["notes"])


def process(*words: str, folder: Path = ROOT, **options: Any) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    env.pop("PYTHONUNBUFFERED", None)  # with it Python drops what a pipe does not take at once
    command = [sys.executable, "-m", "harnpy", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(command, text=True, cwd=folder, env=env, **pipes)


def ended(*words: str, folder: Path = ROOT) -> tuple[int, str]:
    with contextlib.chdir(folder):
        result = CliRunner().invoke(cli, list(words), prog_name="harnpy")
    assert result.stderr == "", result.stderr
    return result.exit_code, result.stdout


def answer(*words: str, folder: Path = ROOT) -> dict[str, Any]:
    code, out = ended(*words, folder=folder)
    found = json.loads(out)
    is_envelope(found, code)
    return found


def lines(*words: str, folder: Path = ROOT) -> list[dict[str, Any]]:
    code, out = ended("run", "--json", *words, folder=folder)
    found = [json.loads(line) for line in out.splitlines()]
    assert [each["event"] for each in found[:-1] if each["event"] not in ("stdout", "stderr", "run")] == []
    assert found[-1].pop("event") == "result"
    is_envelope(found[-1], code)
    return found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "harn.toml").write_text("")
    (tmp_path / "good.harn").write_text("@test\npipeline ok(task) { println(1) }\n")
    (tmp_path / "bad.harn").write_text("const x = )\n")
    (tmp_path / "fails.harn").write_text('@test\npipeline no(task) { throw "no" }\n')
    (tmp_path / "good.expected").write_text("2\n")
    return tmp_path


STRING_OR_NONE = str | None
ENTRY = {"name": str, "passed": bool, "reason": STRING_OR_NONE, "seconds": float, "stdout": str, "stderr": str}


@pytest.mark.parametrize(
    ("words", "code", "fields"),
    [
        (["builtins"], 0, {"name": str, "kind": str, "implemented": bool}),
        (["test", "good.harn"], 0, ENTRY),
        (["test", "fails.harn"], 1, ENTRY),
        (["test", "bad.harn"], 1, ENTRY),
        (["conformance", "good.harn"], 1, {"path": str, "failure": STRING_OR_NONE}),
        (["explain"], 0, {"code": str, "title": str, "cause": str, "example": str, "fixed": str, "fix": str}),
        (["explain", "par-1"], 0, {"code": str, "title": str, "cause": str, "example": str, "fixed": str, "fix": str}),
    ],
)
def test_data_that_is_a_list(files: Path, words: list[str], code: int, fields: dict[str, Any]) -> None:
    found = answer(*words, "--json", folder=files)
    assert (found["command"], found["exit_code"]) == (words[0], code)
    assert found["data"]
    for each in found["data"]:
        assert [name for name, kind in fields.items() if not isinstance(each[name], kind)] == []
        assert set(each) - set(fields) <= {"files"}
    assert f"| `{words[0]}` | list of `{{{', '.join(fields)}" in PAGE


def test_data_of_the_other_commands(files: Path) -> None:
    assert answer("version", "--json")["data"] == __version__
    assert answer("check", "--json", "good.harn", folder=files)["data"] == {"files": ["good.harn"]}
    assert answer("parse", "--json", "good.harn", folder=files)["data"]["kind"] == "Module"
    assert answer("parse", "--json", "bad.harn", folder=files)["data"] is None
    assert set(answer("completion", "--json", "bash")["data"]) == {"shell", "script"}
    assert answer("doc", "--json", "len")["data"][0]["name"] == "len"
    missing = answer("check", "--json", "none.harn", "bad.harn", folder=files)
    assert [finding["code"] for finding in missing["diagnostics"]] == ["HARN-IMP-001", "HARN-PAR-001"]


def test_the_page_names_every_command() -> None:
    assert [name for name in cli.commands if f"`{name}`" not in PAGE] == []


@pytest.mark.parametrize(
    ("words", "command", "message"),
    [
        (["version", "--json", "--nonsense"], "version", "No such option"),
        (["check", "--json"], "check", "Missing argument"),
        (["check", "--json", "--color", "pink", "x"], "check", "'pink' is not one of"),
        (["parse", "--json"], "parse", "Missing argument"),
        (["explain", "NOPE", "--json"], "explain", "There is no code 'NOPE'"),
        (["test", "--json", "nowhere"], "test", "does not exist"),
        (["test", "--json", "--filter", "zzz", "examples"], "test", "No test found"),
        (["conformance", "--json", "nowhere"], "conformance", "does not exist"),
        (["builtins", "--json", "more"], "builtins", "unexpected extra argument"),
        (["doc", "--json", "lenn"], "doc", "nothing is known"),
        (["completion", "--json", "tcsh"], "completion", "'tcsh' is not one of"),
        (["repl", "--json"], "repl", "No such option"),
        (["nonsense", "--json"], None, "No such command"),
        (["--json"], None, "No such option"),
    ],
)
def test_wrong_command_lines(words: list[str], command: str | None, message: str) -> None:
    found = answer(*words)
    assert (found["command"], found["exit_code"], found["data"]) == (command, 2, None)
    [finding] = found["diagnostics"]
    assert message in finding["message"]
    assert finding["hint"] == (f"harnpy {command} --help" if command else "harnpy --help")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Name a FILE"),
        (["--seed", "x", "-e", "1"], "'x' is not a valid integer"),
        (["--allow", "nonsense", "-e", "1"], "there is no capability"),
        (["--nonsense", "file.harn"], "No such option"),
    ],
)
def test_a_wrong_command_line_of_run_is_one_line(words: list[str], message: str) -> None:
    [line] = lines(*words)
    assert (line["command"], line["exit_code"], line["data"]) == ("run", 2, None)
    assert message in line["diagnostics"][0]["message"]


def test_json_behind_the_dashes_is_the_program_s() -> None:
    running = process("run", "nowhere.harn", "--nonsense", "--", "--json")
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (2, "")
    assert "Usage" in err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nowhere.harn"], 1, "cannot read nowhere.harn"),
        (["-e", "f("], 1, "Unexpected end of file"),
        (["-e", 'throw {a: "b"}'], 1, "Thrown: {a: b}"),
        (["--time-limit", "0.05", "-e", "while true { }"], 124, "the time limit of 0.05 s passed"),
        (["--limit", "steps=10", "-e", "while true { }"], 124, "more steps than its limit"),
        (["--events", "/nowhere/x", "-e", "1"], 1, "cannot write events"),
        (["--trace", "/nowhere/x", "-e", "1"], 1, "cannot write the trace"),
        (["--trace", "/dev/full", "-e", "1"], 1, "cannot write the trace to /dev/full: No space left on device"),
        (["--llm-mock", "nowhere", "-e", "1"], 1, "cannot read nowhere"),
    ],
)
def test_failed_runs_say_why_in_the_result(words: list[str], code: int, message: str) -> None:
    [line] = lines(*words)
    assert line["exit_code"] == code
    assert message in line["diagnostics"][0]["message"]


def test_usage_of_a_run() -> None:
    code = 'llm_mock({text: "x"})\nharness.llm.call("x", nil, {provider: "openai", model: "gpt-4o"})'
    [line] = lines("-e", code)
    assert line["data"]["usage"]["call_count"] == 1
    assert lines("-e", "1")[0]["data"] == {"value": None, "usage": None}


@pytest.mark.parametrize(
    ("code", "value"),
    [
        (
            'fn main(harness: Harness) { return {a: [1, 2.5, nil, true], b: "x"} }',
            {"a": [1, 2.5, None, True], "b": "x"},
        ),
        ("return 0", 0),
        ("return { x -> x }", None),
        ("return [{ x -> x }, 1.0 / 0.0]", [None, None]),
        ("let deep = []\nfor i in 1 to 500 { deep = [deep] }\nreturn deep", None),
        ("throw {a: 1}", None),
    ],
)
def test_the_result_has_what_main_gave_if_it_is_data(code: str, value: object) -> None:
    assert lines("-e", code)[-1]["data"]["value"] == value


def test_odd_texts_and_big_outputs_stay_lines_of_json() -> None:
    code = (
        'println(json_parse("\\"a\\\\nb \\\\u2028\\\\u0085 \\\\u001b[0m\\""))\n'
        'print(json_parse("\\"\\\\ud800\\""))\n'
        'eprintln("x".repeat(1000000))\n'
        "for i in 1 to 20000 { println(i) }\n"
        'agent_emit_event("s", "iteration_start", {n: 1.0 / 3, none: nil})'
    )
    found = lines("-e", code)[:-1]
    assert [each["text"] for each in found[:2]] == ["a\nb \u2028\u0085 \x1b[0m\n", "\ufffd"]
    assert len(next(each for each in found if each["event"] == "stderr")["text"]) == 1_000_001
    assert len([each for each in found if each["event"] == "stdout"]) == 20_002
    assert [each["data"]["n"] for each in found if each["event"] == "run"] == [pytest.approx(1 / 3)]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_that_is_stopped_ends_with_its_result(number: signal.Signals, code: int) -> None:
    running = process("run", "--json", "-e", 'println("go")\ntry { sleep_ms(60000) } finally { println("clean") }')
    assert running.stdout is not None
    first = running.stdout.readline()
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    found = [json.loads(line) for line in (first + out).splitlines()]
    assert err == ""
    assert [each.get("text") for each in found[:-1]] == ["go\n", "clean\n"]
    assert found[-1].pop("event") == "result"
    is_envelope(found[-1], code)
    assert running.returncode == code


def test_tests_that_are_stopped_answer_with_what_ran(tmp_path: Path) -> None:
    (tmp_path / "t.harn").write_text(
        '@test\npipeline a(task) { println(1) }\n@test\npipeline b(task) { write_file("up", "1")\n sleep_ms(60000) }\n'
    )
    running = process("test", "--json", "--no-sandbox", folder=tmp_path)
    while not (tmp_path / "up").exists() and running.poll() is None:
        os.sched_yield()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    found = json.loads(out)
    assert err == ""
    is_envelope(found, 130)
    assert [each["passed"] for each in found["data"]] == [True, False]


@pytest.mark.parametrize(
    "words",
    [
        (["run", "--json", "-e", 'while true { println("x".repeat(100)) }']),
        (["parse", "--json", "big.harn"]),
        (["parse", "--json", "x" * 100_000]),
        (["run", "--json", "--time-limit", "x" * 100_000]),
    ],
)
def test_a_reader_that_goes_away(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "big.harn").write_text("const x = [" + "1, " * 5000 + "]\n")
    running = process(*words, folder=tmp_path)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.read(1)
    running.stdout.close()
    err = running.stderr.read()
    running.stderr.close()
    assert (running.wait(timeout=60), err) == (141, "")


def test_a_full_disk_is_told() -> None:
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w") as full:
        running = process("builtins", "--json", stdout=full)
        _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (1, "error: cannot write the output: No space left on device\n")


def test_a_fault_of_harnpy_is_an_answer_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a gap")

    monkeypatch.setattr("harnpy.cli.explain.codes", broken)
    with pytest.raises(SystemExit) as left:
        cli(["explain", "--json"], prog_name="harnpy")
    assert left.value.code == 70
    found = json.loads(capsys.readouterr().out)
    is_envelope(found, 70)
    assert found["diagnostics"][0]["message"].startswith("internal fault of harnpy: RuntimeError: a gap")
