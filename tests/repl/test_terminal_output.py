"""What commands show on a terminal: progress, colour, width, closed pipes, suspending, completion of the shell."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pseudo_terminal import ROOT, Terminal

from harnpy.cli.progress import Progress

pytestmark = pytest.mark.slow

USAGE = {"input_tokens": 5, "output_tokens": 2, "known_cost_usd": 0.01}
CALL = 'harness.llm.call("x", nil, {provider: "openai", model: "gpt-4o"}).text'
REPLY = {
    "id": "1",
    "object": "chat.completion",
    "model": "gpt-4o",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "answered"}}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500},
}


class Waiting:
    """A server that takes one request and answers it when it is told to."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.env = {
            "OPENAI_API_KEY": "x",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1",
        }

    def answer(self) -> None:
        """Answer the call that waits."""
        connection, _ = self._socket.accept()
        with connection:
            received = b""
            while b"\r\n\r\n" not in received:
                received += connection.recv(65536)
            body = json.dumps(REPLY).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def server() -> Iterator[Waiting]:
    made = Waiting()
    yield made
    made.close()


def progress(now: list[float], width: int = 200) -> tuple[Progress, list[str]]:
    written: list[str] = []
    return Progress(written.append, lambda: now[0], lambda: width), written


def test_progress_is_quiet_at_first_and_changes_seldom() -> None:
    now = [0.0]
    line, written = progress(now)
    line.began(None)
    now[0] = 1.9
    line.ended(None, USAGE)
    assert written == []
    now[0] = 2.5
    line.began(None)
    assert written == ["\r\x1b[K1 calls in flight, 1 done, 7 tokens, 0.0100 USD"]
    now[0] = 2.55
    line.failed(None, ValueError())
    assert len(written) == 1
    now[0] = 2.7
    line.show()
    assert written[1] == "\r\x1b[K0 calls in flight, 1 done, 1 failed, 7 tokens, 0.0100 USD"


def test_progress_makes_way_for_output_and_never_stands_in_a_line_that_a_program_began() -> None:
    now = [0.0]
    line, written = progress(now)
    out = line.guard(written.append)
    now[0] = 3.0
    line.began(None)
    out("a\n")
    assert written[1:] == ["\r\x1b[K", "a\n"]
    out("begun")
    now[0] = 4.0
    line.show()
    out(" ended\n")
    assert written[3:] == ["begun", " ended\n"]
    line.show()
    line.close()
    line.show()
    assert written[5:] == ["\r\x1b[K1 calls in flight, 0 done, 0 tokens, 0.0000 USD", "\r\x1b[K"]


def test_progress_is_no_wider_than_the_terminal() -> None:
    now = [0.0]
    line, written = progress(now, width=20)
    now[0] = 3.0
    line.began(None)
    assert written == ["\r\x1b[K1 calls in flight, "]


def test_a_call_that_takes_long_is_shown_and_the_line_is_gone_before_the_output(terminal, server) -> None:
    running = terminal("run", "-e", f"println({CALL})", **server.env)
    running.expect("1 calls in flight, 0 done")
    server.answer()
    assert running.close() == 0
    screen = running.raw.split("\r\x1b[K")
    assert screen[-1] == "answered\r\n"


def test_no_progress_where_nobody_could_read_it(terminal, server, tmp_path: Path) -> None:
    running = terminal("run", "-e", f"println({CALL})", TERM="dumb", **server.env)
    server.answer()
    assert running.close() == 0
    assert running.raw == "answered\r\n"


@pytest.mark.parametrize(
    ("words", "env", "coloured"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),
        ([], {"TERM": "dumb"}, False),
        (["--color=never"], {}, False),
        (["--color=always"], {"NO_COLOR": "1", "TERM": "dumb"}, True),
    ],
)
@pytest.mark.parametrize("command", ["run", "check"])
def test_findings_are_coloured_on_a_terminal_unless_that_is_not_wanted(
    terminal, tmp_path: Path, command: str, words: list[str], env: dict[str, str], coloured: bool
) -> None:
    (tmp_path / "bad.harn").write_text("const x = )\n")
    running = terminal(command, *words, "bad.harn", **env)
    assert running.close() == 1
    assert "HARN-PAR-001" in running.raw
    assert ("\x1b[" in running.raw) is coloured


def test_the_width_of_the_terminal_is_seen(terminal) -> None:
    running = terminal("run", "-e", "println(harness.term.width())", width=47)
    assert running.close() == 0
    assert running.raw == "47\r\n"


LONG = "let i = 0\nwhile i < 200000 { println(i)\n i += 1 }\n"


@pytest.mark.parametrize(
    "words",
    [
        ["run", "long.harn"],
        ["run", "--json", "long.harn"],
        ["parse", "--json", "wide.harn"],
        ["builtins"],
        ["explain"],
        ["doc", "std/llm/handlers"],
        ["repl"],
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_ends_every_command_quietly(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "long.harn").write_text(LONG)
    (tmp_path / "wide.harn").write_text("const x = 1\n" * 5000)
    reading, writing = os.pipe()
    with open(tmp_path / "in", "w+b") as typed:
        typed.write(LONG.encode())
        typed.seek(0)
        running = subprocess.Popen(
            [sys.executable, "-m", "harnpy", *words],
            stdin=typed,
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    os.close(writing)
    os.read(reading, 10)
    os.close(reading)
    err = running.communicate(timeout=60)[1]
    # What fits into the pipe at once may all have been written before the reader went.
    assert (running.returncode, err) in ((141, b""), (0, b""))


class Shell:
    """An interactive bash on a terminal, with ``harnpy`` on its path."""

    def __init__(self, folder: Path) -> None:
        (folder / "harnpy").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m harnpy "$@"\n')
        (folder / "harnpy").chmod(0o755)
        words = [shutil.which("bash") or "bash", "--norc", "--noprofile", "-i"]
        path = f"{folder}{os.pathsep}{os.environ['PATH']}"
        self.terminal = Terminal(folder, command=words, PATH=path, PS1="$ ")
        self.expect, self.type = self.terminal.expect, self.terminal.type

    def run(self, line: str) -> None:
        """Run a command line to its end."""
        self.type(f'{line}; echo re""ady\n')
        self.expect("ready\n")


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    made = Shell(tmp_path)
    made.run("set +o history")
    yield made
    made.terminal.end()


def test_a_run_that_was_suspended_goes_on(shell) -> None:
    shell.type('harnpy run -e \'println("o" + "ne"); harness.stdio.read_line(); println("t" + "wo")\'\n')
    shell.expect("one")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.run("true")
    shell.type("fg\n")
    shell.type("\n")
    shell.expect("two")


def test_the_prompt_can_be_suspended(shell) -> None:
    shell.type("harnpy repl\n")
    shell.expect("harn> ")
    shell.type("const kept = 3 * 259\r")
    shell.expect("harn> ")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.run("true")
    shell.type("fg\n")
    shell.expect("harn> ")
    shell.type("kept\r")
    shell.expect("777")
    shell.type(":quit\r")
    shell.expect(":quit$")
    shell.run("true")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("harnpy expl", "harnpy explain"),
        ("harnpy run --virt", "harnpy run --virtual-time"),
        ("harnpy run lengthy_f", "harnpy run lengthy_file.harn"),
        ("harnpy completion zs", "harnpy completion zsh"),
    ],
)
def test_bash_completes_commands_options_and_files(shell, tmp_path: Path, typed: str, completed: str) -> None:
    (tmp_path / "lengthy_file.harn").write_text("")
    shell.run('eval "$(harnpy completion bash)"')
    shell.type(typed + "\t")
    shell.expect(completed)


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_scripts_of_other_shells_are_scripts(name: str) -> None:
    """Where that shell is there, it reads the script without a complaint."""
    script = harnpy("completion", name)
    assert "_HARNPY_COMPLETE" in script
    found = shutil.which(name)
    if found is not None:
        checked = subprocess.run([found, "-n"], input=script, capture_output=True, text=True)
        assert (checked.returncode, checked.stderr) == (0, "")


def test_what_the_shells_ask_for_is_answered() -> None:
    asked = {"COMP_WORDS": "harnpy re", "COMP_CWORD": "re"}
    assert harnpy(_HARNPY_COMPLETE="fish_complete", **asked).startswith("plain,repl\tRead, evaluate")
    asked["COMP_CWORD"] = "1"
    assert harnpy(_HARNPY_COMPLETE="zsh_complete", **asked).splitlines()[:2] == ["plain", "repl"]
    assert harnpy(_HARNPY_COMPLETE="bash_complete", **asked) == "plain,repl\n"


def harnpy(*words: str, **env: str) -> str:
    command = [sys.executable, "-m", "harnpy", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
