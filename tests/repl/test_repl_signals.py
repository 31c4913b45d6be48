"""Signals to the REPL on a terminal: each is sent once, and once is enough."""

from __future__ import annotations

import signal
import subprocess
import time

import pytest
from pseudo_terminal import CTRL_C

pytestmark = pytest.mark.slow

# What each prints before it stops moving; the text stands in two pieces, so that the echo of the line is none.
SHOW = 'println("be" + "gun")'
RUNNING = {
    "busy": f"{SHOW}; while true {{ }}",
    "deadlines": f"{SHOW}; while true {{ try {{ deadline 5ms {{ sleep(100) }} }} catch (e) {{ }} }}",
    "asleep": f"{SHOW}; sleep(600000)",
    "branches": f"{SHOW}; parallel each [1, 2] {{ x -> sleep(600000) }}",
    "a generator": f"gen fn g() {{ while true {{ emit 1 }} }}; {SHOW}; for x in g() {{ }}",
    "reading": f"{SHOW}; harness.stdio.read_line()",
    "a password": f"{SHOW}; harness.term.read_password()",
    "printing": f"{SHOW}; while true {{ println(1) }}",
    "a child": f'{SHOW}; harness.process.run({{argv: ["sleep", "600"]}})',
    "a command": f":time {SHOW}; sleep(600000)",
}


@pytest.fixture(params=["xterm", "dumb"])
def repl(request, terminal):
    made = terminal("repl", "--no-sandbox", TERM=request.param)
    made.expect("harn> ")
    made.say("const kept = 3 * 259; kept + 1", "778")
    return made


def test_one_ctrl_c_stops_whatever_runs_and_the_session_goes_on(repl) -> None:
    for line in RUNNING.values():
        repl.type(line + "\r")
        repl.expect("begun")
        pressed = time.monotonic()
        repl.type(CTRL_C)
        repl.expect("interrupted")
        assert time.monotonic() - pressed < 10
        repl.expect("harn> ")
        repl.say("kept", "777")
    repl.type(":quit\r")
    assert repl.close() == 0
    assert repl.kept_modes()
    assert "Traceback" not in repl.raw


def test_a_signal_from_elsewhere_does_the_same(repl) -> None:
    repl.type(RUNNING["busy"] + "\r")
    repl.expect("begun")
    repl.signal(signal.SIGINT)
    repl.expect("interrupted")
    repl.expect("harn> ")
    repl.say("kept", "777")


def test_ctrl_c_at_the_prompt_drops_the_line_and_stops_no_later_one(repl) -> None:
    for _ in range(5):
        repl.type("nonsense")
        repl.expect("nonsense")
        repl.type(CTRL_C)
        repl.expect("harn> ")
        repl.say("kept", "777")


def test_the_first_ctrl_c_lets_clean_up_run_and_the_second_breaks_it_off(repl) -> None:
    cleaning = '{ println("clean" + "ing"); sleep(600000) }'
    repl.type(f"try {{ {SHOW}; sleep(600000) }} finally {cleaning}\r")
    repl.expect("begun")
    repl.type(CTRL_C)
    repl.expect("cleaning")
    repl.type(CTRL_C)
    repl.expect("interrupted")
    repl.expect("harn> ")
    repl.say("kept", "777")


def test_ctrl_c_ends_the_printing_of_a_long_value(repl) -> None:
    repl.say('const long = "word ".repeat(4000000); kept', "777")
    repl.type("long\r")
    repl.expect("word word word word word word")
    repl.type(CTRL_C)
    repl.expect("interrupted")
    repl.expect("harn> ")
    repl.say("kept", "777")


def test_ctrl_c_forgets_what_was_typed_for_later(terminal) -> None:
    repl = terminal()
    repl.expect("harn> ")
    repl.type(f"{SHOW}; sleep(600000)\r")
    repl.expect("begun")
    repl.type('"la" + "ter"\r')
    repl.type(CTRL_C)
    repl.expect("interrupted")
    repl.say('"no" + "w"', "now")
    assert "later" not in repl.raw.replace('"la" + "ter"', "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_sigterm_and_sighup_end_the_session_at_the_prompt_and_after_the_clean_up_of_what_runs(
    repl, number: int, code: int
) -> None:
    if code == 143:
        repl.type(f'try {{ {SHOW}; sleep(600000) }} finally {{ println("clean" + "ed") }}\r')
        repl.expect("begun")
        repl.signal(number)
        repl.expect("cleaned")
    else:
        repl.signal(number)
    assert repl.close() == code
    assert repl.kept_modes()
    assert "Traceback" not in repl.raw


def test_a_closed_terminal_ends_the_session(repl) -> None:
    assert repl.hang_up() == 129


def test_without_a_user_ctrl_c_ends_the_repl(terminal, tmp_path) -> None:
    repl = terminal("repl", TERM="dumb", stdout=subprocess.DEVNULL)
    repl.type('eprintln("be" + "gun"); sleep(600000)\n')
    repl.expect("begun")
    repl.type(CTRL_C)
    assert repl.close() == 130
