"""``harnpy run`` and its options, as processes and in memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from harnpy.cli.main import cli


def process(
    *words: str, stdin: str | bytes = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "harnpy", *words],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, **(env or {})},
    )


@pytest.fixture
def program(tmp_path: Path):
    def write(text: str | bytes, name: str = "p.harn") -> str:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write


def test_a_file_with_arguments(program) -> None:
    path = program("harness.stdio.println(argv)\n")
    assert process("run", path, "--", "a", "--seed", "-e").stdout == b"[a, --seed, -e]\n"
    assert process("run", "--seed", "1", path, "--", "a").stdout == b"[a]\n"


def test_standard_input_and_code() -> None:
    assert process("run", "-", stdin="harness.stdio.println(7)").stdout == b"7\n"
    assert process("run", "-e", "harness.stdio.println(argv)", "--", "x", "y").stdout == b"[x, y]\n"
    assert b"<argument>:1:1" in process("run", "-e", "nowhere").stderr


def test_stdin_belongs_to_the_program(program) -> None:
    path = program("harness.stdio.println(harness.stdio.read_line())\n")
    assert process("run", path, stdin="first\nsecond\n").stdout == b"first\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fn main(harness: Harness) { return 3 }", 3),
        ("fn main(harness: Harness) { return 1000 }", 255),
        ("fn main(harness: Harness) { return -4 }", 0),
        ('fn main(harness: Harness) { return "x" }', 0),
        ('fn main(harness: Harness) { return Err("bad") }', 1),
        ("exit(5)", 5),
        ('throw "x"', 1),
        ("let = 1", 1),
        ("pipeline default(harness: Harness, task: unknown) { return 4 }", 4),
    ],
)
def test_exit_codes(run_harn, text: str, code: int) -> None:
    assert run_harn(text).code == code


def test_wrong_command_lines_are_usage_errors() -> None:
    for words in (["run"], ["run", "--nonsense"], ["frob"], ["run", "--max-depth", "3", "x.harn"], ["check"]):
        ended = CliRunner().invoke(cli, words)
        assert ended.exit_code == 2, words
        assert "Usage" in ended.output


def test_output_is_utf8_whatever_the_locale(program) -> None:
    path = program('harness.stdio.println("grüße 漢")\nthrow "ö"')
    ended = process("run", path, env={"LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"})
    assert ended.stdout.decode() == "grüße 漢\n"
    assert "Thrown: ö" in ended.stderr.decode()


def test_a_closed_pipe_ends_the_run_quietly(program) -> None:
    path = program("let i = 0\nwhile true {\n  harness.stdio.println(i)\n  i += 1\n}\n")
    running = subprocess.Popen(
        [sys.executable, "-m", "harnpy", "run", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    assert running.stderr is not None
    assert running.stdout.readline() == b"0\n"
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait(timeout=30) in (0, 141)


def test_an_interrupt_runs_clean_up_once(program) -> None:
    path = program(
        "fn main(harness: Harness) {\n"
        '  defer { harness.stdio.println("clean") }\n'
        '  harness.stdio.println("ready")\n'
        '  try { while true { } } catch (e) { harness.stdio.println("never") }\n'
        "}\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "harnpy", "run", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert out == b"clean\n"
    assert b"Traceback" not in err
    assert running.returncode == 130


def test_the_time_limit_stops_busy_and_sleeping_programs(program) -> None:
    for text in ("while true { }", "harness.clock.sleep_ms(60000)"):
        started = time.monotonic()
        ended = process("run", "--time-limit", "0.2", program(text))
        assert ended.returncode == 124
        assert b"time limit of 0.2 s" in ended.stderr
        assert time.monotonic() - started < 10


def test_virtual_time(run_harn) -> None:
    now = "harness.stdio.println(harness.clock.now_ms())\n"
    text = now + "harness.clock.sleep_ms(90000)\n" + now
    assert run_harn(text, virtual_time=1000).out == "1000\n91000\n"
    ended = CliRunner().invoke(cli, ["run", "--virtual-time", "5", "-e", text])
    assert ended.output == "5\n90005\n"


def test_virtual_time_takes_no_file_for_its_time(program) -> None:
    path = program("harness.stdio.println([harness.clock.now_ms(), argv])")
    for args, shown in (
        (["--virtual-time", path], "[0, []]"),
        (["--virtual-time", "5", path], "[5, []]"),
        (["--virtual-time=5", path, "--", "--virtual-time"], "[5, [--virtual-time]]"),
        ([path, "--virtual-time"], "[0, []]"),
    ):
        ended = CliRunner().invoke(cli, ["run", *args])
        assert ended.output == shown + "\n"


@pytest.mark.parametrize(("seconds", "code"), [("nan", 2), ("inf", 2), ("-1", 2), ("1e300", 0)])
def test_time_limits_of_every_size(seconds: str, code: int) -> None:
    ended = process("run", "--time-limit", seconds, "-e", "println(1)")
    assert ended.returncode == code
    assert b"Traceback" not in ended.stderr
    assert b"internal fault" not in ended.stderr


def test_a_far_deadline_is_no_fault(run_harn) -> None:
    assert run_harn("println(deadline 9999999999w { 1 })").out == "1\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_output_that_cannot_be_written_ends_the_program_with_the_reason() -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "harnpy", "run", "-e", "for i in 1 to 10 { println(i) }"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr == b"error: cannot write the output: No space left on device\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["run", "-e", 'print("no line break")'],
        ["doc", "println"],
        ["explain"],
        ["explain", "HARN-NAM-002"],
        ["builtins"],
        ["completion", "bash"],
        ["version", "--json"],
    ],
    ids=" ".join,
)
def test_every_command_tells_of_output_that_cannot_be_written(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([sys.executable, "-m", "harnpy", *words], stdout=full, stderr=subprocess.PIPE)
    assert (ended.returncode, ended.stderr) == (1, b"error: cannot write the output: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="a folder in use stays there")
@pytest.mark.parametrize(
    "words", [["run", "-e", "1"], ["run", "PROGRAM"], ["run", "--json", "-e", "1"], ["repl"]], ids=" ".join
)
def test_a_working_folder_that_is_gone_is_told(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "p.harn").write_text("println(1)")
    words = [word.replace("PROGRAM", str(tmp_path / "p.harn")) for word in words]
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"""
import os, sys
os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})
from harnpy.__main__ import main
sys.argv[1:] = {words!r}
main()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert ended.returncode == 1
    assert "the working folder is gone" in ended.stderr + ended.stdout
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="the system has no /dev/fd")
def test_a_program_from_a_pipe_keeps_the_name_that_it_was_given() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"nope()")
    os.close(writing)
    command = [sys.executable, "-m", "harnpy", "run", f"/dev/fd/{reading}"]
    ended = subprocess.run(command, pass_fds=[reading], capture_output=True, text=True)
    os.close(reading)
    assert f"--> /dev/fd/{reading}:1:1" in ended.stderr


@pytest.mark.skipif(os.name == "nt", reason="uses a POSIX shell")
def test_a_closed_standard_input_is_no_fault() -> None:
    command = f'"{sys.executable}" -m harnpy run'
    reading = "-e 'println(harness.stdio.read_line())' <&-"
    for words, code in (("- <&-", 1), ("-e 'println(1)' <&- >&-", 0), (reading, 0)):
        ended = subprocess.run(["sh", "-c", f"{command} {words}"], capture_output=True, check=False)
        assert ended.returncode == code
        assert b"internal fault" not in ended.stderr


def test_seeds_repeat(run_harn) -> None:
    text = "harness.stdio.println([harness.random.range(1, 1000000), harness.random.f64()])"
    assert run_harn(text, seed=5).out == run_harn(text, seed=5).out
    assert run_harn(text, seed=5).out != run_harn(text, seed=6).out
    assert run_harn(text).out != run_harn(text).out


def test_the_seed_may_stand_in_the_environment(program) -> None:
    path = program("harness.stdio.println(harness.random.range(1, 1000000))")
    outs = {process("run", path, env={"HARNPY_SEED": "5"}).stdout for _ in range(2)}
    assert outs == {process("run", "--seed", "5", path).stdout}
    wrong = process("run", path, env={"HARNPY_SEED": "five"})
    assert wrong.returncode == 2
    assert b"HARNPY_SEED" in wrong.stderr


def test_max_depth(run_harn) -> None:
    text = "fn f(n) { if n == 0 { return 0 }\n return 1 + f(n - 1) }\nharness.stdio.println(f(900))"
    assert run_harn(text).out == "900\n"
    ended = run_harn(text, max_depth=100)
    assert "Stack overflow: too many nested calls" in ended.err
    assert ended.code == 1


def test_mock_file_and_events(tmp_path: Path, run_harn) -> None:
    mock, events = tmp_path / "m.jsonl", tmp_path / "e.jsonl"
    mock.write_text('{"text": "pong"}\n')
    text = (
        'import {default_llm_caller} from "std/llm/caller"\nimport {with_logging} from "std/llm/handlers"\n'
        'const r = with_logging(default_llm_caller(), {})({prompt: "ping", system: nil, opts: {}, '
        'turn: {iteration: 0, session_id: "s", attempt: 1}})\nharness.stdio.println(r.value.text)\n'
    )
    ended = run_harn(text, llm_mock=str(mock), events=str(events))
    assert (ended.code, ended.out, ended.err) == (0, "pong\n", "")
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    assert [line["type"] for line in lines] == ["llm_call_log"]


def test_option_files_that_cannot_be_used_are_reported(tmp_path: Path, run_harn) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{\n")
    assert run_harn("", llm_mock=str(bad)).code == 1
    ended = run_harn("", llm_mock=str(tmp_path / "none.jsonl"))
    assert ended.code == 1
    assert "none.jsonl" in ended.err
    ended = run_harn("", events=str(tmp_path / "no" / "e.jsonl"))
    assert ended.code == 1
    assert "cannot write events" in ended.err


def test_an_internal_fault_is_one_line(run_harn, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("harnpy.session.run_program", broken)
    monkeypatch.delenv("HARNPY_DEBUG", raising=False)
    ended = run_harn("1")
    assert ended.code == 70
    assert ended.err == "internal fault of harnpy: ZeroDivisionError: oops (HARNPY_DEBUG=1 shows where)\n"
    monkeypatch.setenv("HARNPY_DEBUG", "1")
    assert "Traceback" in run_harn("1").err


def test_an_internal_fault_of_another_command_is_one_line() -> None:
    code = (
        "import sys, harnpy.cli.main as m; sys.argv = ['harnpy', 'check', 'x']\n"
        "def broken(**_): raise ZeroDivisionError('oops')\n"
        "m.check.callback = broken; from harnpy.__main__ import main; main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 70
    assert ended.stderr.startswith("internal fault of harnpy: ZeroDivisionError: oops")
    assert "Traceback" not in ended.stderr


def test_colour_only_when_wanted(program) -> None:
    path = program("nowhere")
    assert b"\x1b[" not in process("run", path).stderr
    assert b"\x1b[" in process("run", "--color", "always", path).stderr
    assert b"\x1b[" not in process("run", "--color", "never", path).stderr


def test_the_sandbox(tmp_path: Path, run_harn, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    monkeypatch.chdir(inside)
    monkeypatch.setenv("TMPDIR", str(inside))
    text = 'harness.fs.write_text("{}/a.txt", "x")'.replace("{}", "%s")
    assert run_harn(text % inside).code == 0
    refused = run_harn(text % outside)
    assert refused.code == 1
    assert "HARN-CAP-201" in refused.err
    assert run_harn(text % outside, write_root=(str(outside),)).code == 0
    assert run_harn(text % outside, no_sandbox=True).code == 0
    assert run_harn(text % outside, no_sandbox=True, deny=("fs.write_text",)).code == 1
    assert run_harn(text % outside, no_sandbox=True, deny=("process",)).code == 0
    assert run_harn(text % inside, deny=("fs",)).code == 1


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("[1, 2].appendin(3)", "did you mean `appending`?"),
        ('"a".uper()', "did you mean `upper`?"),
        ('harness.fs.write("a.txt", "b")', "did you mean `write_bytes` or `write_text`?"),
        ("harness.clock.slep_ms(1)", "did you mean `sleep_ms`?"),
    ],
)
def test_a_method_that_is_not_there_has_a_hint(run_harn, code, hint):
    ran = run_harn(code)
    assert ran.code == 1
    assert f"  = hint: {hint}\n" in ran.err


def test_no_hint_where_nothing_is_near(run_harn):
    assert "hint" not in run_harn("[1].zzzzzzzzzz()").err
    assert "hint" not in run_harn('throw "it has no method `appendin`"').err
