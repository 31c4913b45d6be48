"""Child processes: they end with what waited for them, on the clock of the run, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH = {"PATH": "/bin:/usr/bin"}


@pytest.fixture
def run(run_harn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda body, **options: run_harn(body, **{"allow": ("process",), "env": PATH, **options})


def gone(pid_file: Path) -> bool:
    """Whether the process whose id a program wrote has ended."""
    pid = int(pid_file.read_text())
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists() and ") Z " in Path(f"/proc/{pid}/stat").read_text():
            return True
        time.sleep(0.02)
    return False


def test_a_timeout_runs_on_the_mocked_clock(run):
    """Time that another task moves on ends a process, although no real time has passed."""
    ran = run("""
    mock_time(0)
    const handle = spawn { harness.process.run({command: "sleep 20", timeout_ms: 60000}) }
    shell("true")
    advance_time(60000)
    const done = await(handle)
    println([done.status, done.exit_code, done.stdout, done.success])
    """)
    assert (ran.out, ran.err) == ("[timed_out, -1, , false]\n", "")


def test_a_timeout_on_a_virtual_clock_cannot_hang(run):
    ran = run('println(harness.process.run({command: "sleep 20", timeout_ms: 100}).status)', virtual_time=0)
    assert ran.out == "timed_out\n"


def test_an_outer_deadline_is_not_a_timeout(run):
    ran = run("""
    println(try { deadline 100ms { harness.process.run({command: "sleep 20", timeout_ms: 5000}) } } catch (e) { e })
    println(harness.process.run({command: "echo ok", timeout_ms: 5000}).stdout)
    """)
    assert ran.out == "Deadline exceeded\nok\n\n"


@pytest.mark.parametrize(
    "program",
    [
        "try { deadline 300ms { shell(line) } } catch (e) { nil }",
        "harness.process.run({command: line, timeout_ms: 300})",
        "const h = spawn { shell(line) }\nsleep(300)\ncancel(h)",
        "const h = spawn { shell(line) }\nsleep(300)",
        "const h = spawn { shell(line) }\nsleep(300)\nexit(3)",
    ],
)
def test_children_and_their_children_end(run, tmp_path, program):
    run(f'const line = "sleep 60 & echo $! > pid; wait"\n{program}')
    assert gone(tmp_path / "pid")


def test_ctrl_c_ends_the_child(tmp_path):
    (tmp_path / "p.harn").write_text('shell("sleep 60 & echo $! > pid; wait")')
    words = [sys.executable, "-m", "harnpy", "run", "--allow", "process", "p.harn"]
    with subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}) as started:
        for _ in range(2000):
            if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
                break
            time.sleep(0.02)
        started.send_signal(signal.SIGINT)
        assert started.wait(60) == 130
    assert gone(tmp_path / "pid")


def test_the_child_has_no_input_and_only_the_given_environment(run):
    ran = run(
        'println([shell("cat").stdout, shell("echo $A").stdout.trim(), exec("env").stdout.contains("HOME=")])',
        env={**PATH, "A": "given"},
        stdin="not for the child\n",
    )
    assert ran.out == "[, given, false]\n"


def test_output_that_is_no_text_is_shown_as_well_as_it_can_be(run):
    ran = run(r"""println(shell("printf '\\377a'").stdout)""")
    assert ran.out == "\ufffda\n"


def test_denied_processes_do_not_start(run, tmp_path):
    ran = run(
        'println(try { shell("touch made") } catch (e) { e.code })\n'
        'println(try { harness.process.run({command: "touch made"}) } catch (e) { e.code })\n'
        'println(try { host_call("process.exec", {command: "touch made"}) } catch (e) { e.code })',
        allow=(),
    )
    assert ran.out == "HARN-CAP-201\n" * 3
    assert list(tmp_path.iterdir()) == []
