"""Standard input of the process: lines however they arrive, and a wait that stops nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.process_input import ProcessInput

ROOT = Path(__file__).resolve().parents[2]


@given(st.lists(st.binary(max_size=8).map(lambda piece: piece.replace(b"a", b"\n")), max_size=8))
@settings(deadline=None)
def test_lines_do_not_depend_on_the_pieces(pieces: list[bytes]) -> None:
    reader, writer = os.pipe()
    lines = ProcessInput(reader, lambda: None)
    seen = []
    try:
        for piece in pieces:
            if piece:
                os.write(writer, piece)
            while lines._lines or (lines._has_input() and lines.poll()):
                seen.append(lines())
        os.close(writer)
        while (line := lines()) is not None:
            seen.append(line)
        assert lines() is None
    finally:
        os.close(reader)
    whole = b"".join(pieces)
    expected = [line + b"\n" for line in whole.split(b"\n")]
    expected[-1] = expected[-1][:-1]
    assert seen == [line.decode("utf-8", "replace") for line in expected if line]


class Program:
    """A running program whose input the test holds."""

    def __init__(self, folder: Path, text: str) -> None:
        path = folder / "p.harn"
        path.write_text(text)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "harnpy", "run", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert self.process.stdout is not None
        self.out = self.process.stdout

    def end(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(60)
        self.out.close()
        return code


def test_other_tasks_run_and_a_deadline_ends_the_wait(tmp_path: Path) -> None:
    program = Program(
        tmp_path,
        'spawn { sleep(20); println("another task") }\n'
        "println(try { deadline 200ms { read_line() } } catch (e) { e })\n"
        "println(read_line())",
    )
    # Which comes first depends on how busy the machine is.
    assert {program.out.readline() for _ in range(2)} == {"another task\n", "Deadline exceeded\n"}
    assert program.process.stdin is not None
    program.process.stdin.write("kept\n")
    assert program.out.readline() == "kept\n"
    assert program.end() == 0


def test_a_prompt_is_seen_before_the_answer(tmp_path: Path) -> None:
    program = Program(tmp_path, 'println("<" + prompt_user("name? ") + ">")')
    assert program.out.read(6) == "name? "
    assert program.process.stdin is not None
    program.process.stdin.write("Ada\n")
    assert program.out.readline() == "<Ada>\n"
    assert program.end() == 0


def test_ctrl_c_ends_the_wait(tmp_path: Path) -> None:
    program = Program(tmp_path, 'println("ready")\ntry { read_line() } finally { println("cleaned up") }')
    assert program.out.readline() == "ready\n"
    time.sleep(0.1)
    program.process.send_signal(signal.SIGINT)
    assert program.out.readline() == "cleaned up\n"
    assert program.end() == 130


@pytest.mark.parametrize("size", [1, 100_000])
def test_lines_from_a_file_and_a_pipe(tmp_path: Path, size: int) -> None:
    text = "".join(f"line {number}\n" for number in range(size))
    (tmp_path / "in.txt").write_text(text)
    code = "let n = 0\nwhile read_line() != nil { n = n + 1 }\nprintln(n)"
    words = [sys.executable, "-m", "harnpy", "run", "-e", code]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (tmp_path / "in.txt").open() as file:
        from_file = subprocess.run(words, stdin=file, capture_output=True, text=True, env=env, check=True)
    from_pipe = subprocess.run(words, input=text, capture_output=True, text=True, env=env, check=True)
    assert (from_file.stdout, from_pipe.stdout) == (f"{size}\n", f"{size}\n")
