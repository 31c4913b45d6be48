"""Signals to ``harnpy run`` on a terminal: clean-up runs, the exit code tells of the signal, nothing is left behind."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest
from pseudo_terminal import CTRL_C

pytestmark = pytest.mark.slow

BODIES = {
    "busy": "while true { }",
    "asleep": "sleep(600000)",
    "branches": "parallel each [1, 2] { x -> sleep(600000) }",
    "catching": 'while true { try { sleep(1)\n throw "x" } catch (e) { } }',
    "deadlines": "while true { try { deadline 5ms { sleep(100) } } catch (e) { } }",
    "reading": "harness.stdio.read_line()",
    "a password": "harness.term.read_password()",
    "printing": "while true { println(1) }",
    "a spawned task": "const t = spawn { while true { sleep(1) } }\nawait(t)",
}
PROGRAM = """
fn main(harness: Harness) {
  defer { harness.fs.write_text("cleaned", "x") }
  try { println("begun")
  %s
  } finally { println("cleaning") }
}
"""
ENDS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.fixture
def run(terminal, tmp_path: Path):
    def start(text: str, *options: str, **settings: object):
        (tmp_path / "p.harn").write_text(text)
        started = terminal("run", "--no-sandbox", *options, "p.harn", **settings)
        started.expect("begun")
        return started

    return start


def cleaned(folder: Path) -> bool:
    return (folder / "cleaned").exists()


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_one_ctrl_c_ends_the_run_after_its_clean_up(run, tmp_path: Path, body: str) -> None:
    running = run(PROGRAM % body)
    running.type(CTRL_C)
    assert running.close() == 130
    assert cleaned(tmp_path)
    assert "cleaning" in running.raw
    assert "Traceback" not in running.raw
    assert running.kept_modes()


@pytest.mark.parametrize(("number", "code"), ENDS)
@pytest.mark.parametrize("options", [(), ("--json",), ("--trace", "t.html")])
def test_each_signal_has_its_exit_code(run, tmp_path: Path, number: int, code: int, options: tuple[str, ...]) -> None:
    running = run(PROGRAM % BODIES["asleep"], *options)
    running.signal(number)
    assert running.close() == code
    assert cleaned(tmp_path)
    assert "Traceback" not in running.raw
    assert not options or options[0] == "--json" or (tmp_path / "t.html").exists()


@pytest.mark.parametrize("body", ["asleep", "printing", "reading", "a password"])
def test_a_closed_terminal_lets_clean_up_run(run, tmp_path: Path, body: str) -> None:
    assert run(PROGRAM % BODIES[body]).hang_up() == 129
    assert cleaned(tmp_path)


@pytest.mark.parametrize("clean_up", ["while true { }", "sleep(600000)", "parallel each [1, 2] { x -> sleep(600000) }"])
def test_a_second_ctrl_c_breaks_clean_up_off(run, tmp_path: Path, clean_up: str) -> None:
    body = f'try {{ sleep(600000) }} finally {{ println("deep")\n{clean_up} }}'
    running = run(PROGRAM % body)
    running.type(CTRL_C)
    running.expect("deep")
    running.type(CTRL_C)
    assert running.close() == 130
    assert "Traceback" not in running.raw


def test_a_model_call_and_a_child_end_with_the_run(run, tmp_path: Path) -> None:
    server = socket.create_server(("127.0.0.1", 0))  # it takes the connection and never answers
    call = 'harness.llm.call("x", nil, {provider: "openai", model: "gpt-4o"})'
    child = 'harness.process.run({mode: "shell", command: "echo $$ > pid; exec sleep 600"})'
    wait = 'while !harness.fs.exists("pid") || harness.fs.read_text("pid") == "" { sleep(1) }'
    running = run(
        PROGRAM % f'const calls = [{{ _ -> {call} }}, {{ _ -> {child} }}, {{ _ -> {wait}\n println("started") }}]\n'
        "parallel each calls { work -> work(1) }",
        OPENAI_API_KEY="x",
        OPENAI_BASE_URL=f"http://127.0.0.1:{server.getsockname()[1]}/v1",
    )
    running.expect("started")
    connection, _ = server.accept()
    running.type(CTRL_C)
    assert running.close() == 130
    connection.close()
    server.close()
    assert cleaned(tmp_path)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_program_that_is_still_being_read_is_given_up(terminal, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.harn")
    running = terminal("run", "p.harn")
    writer = os.open(tmp_path / "p.harn", os.O_WRONLY)  # waits until it is opened for reading
    running.type(CTRL_C)
    assert running.close() == 130
    os.close(writer)
    assert "Traceback" not in running.raw


def test_the_program_under_test_cleans_up_and_no_other_test_runs(terminal, tmp_path: Path) -> None:
    (tmp_path / "t.harn").write_text(
        'pub fn test_a(harness: Harness) {\n  defer { harness.fs.write_text("cleaned", "x") }\n'
        '  harness.fs.write_text("begun", "x")\n  sleep(600000)\n}\npub fn test_b() { }\n'
    )
    running = terminal("test", "t.harn")
    while not (tmp_path / "begun").exists():
        os.sched_yield()
    running.type(CTRL_C)
    assert running.close() == 130
    assert cleaned(tmp_path)
    assert "test_b" not in running.raw
