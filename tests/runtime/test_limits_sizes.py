"""Both sides of the limits on the sizes of single values, and what many runs in one process leave behind."""

from __future__ import annotations

import gc
import os
import threading

import pytest

from harnpy.analysis.modules import decode_source
from harnpy.options import Options
from harnpy.runtime.limits import run_in_thread
from harnpy.runtime.program import run_program
from harnpy.runtime.task import Task
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams


def printed(text: str, **limits: int) -> str:
    """Run a program under the given limits and give what it prints."""
    streams, out, _ = memory_streams()
    context = Session(Options(), streams).context
    for name, value in limits.items():
        setattr(context.limits, name, value)
    run_in_thread(context, lambda: run_program(context, Source("limits.harn", text)))
    return "".join(out)


@pytest.mark.parametrize(("count", "shown"), [(1000, "1000"), (1001, "the text would have 1001 characters")])
def test_a_text_may_be_as_long_as_the_limit(count: int, shown: str) -> None:
    text = f'println(try {{ len("x".repeat({count})) }} catch (e) {{ e }})'
    assert shown in printed(text, max_string=1000)


@pytest.mark.parametrize(("size", "shown"), [(10, "21"), (11, "the list would have")])
def test_a_list_may_be_as_long_as_the_limit(size: int, shown: str) -> None:
    text = f"const xs = to_list(range(30).to_list())\nprintln(try {{ len(window(xs, {size})) }} catch (e) {{ e }})"
    assert shown in printed(text, max_list=210)


PROGRAM = """
import {with_retry} from "std/llm/handlers"
llm_mock({text: "hello"})
const ask = with_retry({ call -> {ok: true, value: harness.llm.call(call.prompt)} }, {max_attempts: 2})
const answer = ask({prompt: "hi"})
const branches = parallel each [1, 2, 3] { n -> sleep(5ms); n }
spawn { sleep(1h) }
const ch = channel("c")
spawn { receive(ch) }
try { deadline 1ms { sleep(1s) } } catch (e) { }
println("${answer.ok} ${branches}")
"""


def counts() -> tuple[int, int, int]:
    """Give the numbers of threads, open files and sockets, and tasks."""
    gc.collect()
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    tasks = sum(isinstance(item, Task) for item in gc.get_objects())
    return threading.active_count(), files, tasks


@pytest.mark.slow
def test_a_thousand_runs_leave_no_task_thread_file_or_socket() -> None:
    def once() -> None:
        streams, out, err = memory_streams()
        session = Session(Options(virtual_time=0), streams)
        code = session.run(lambda: decode_source("run.harn", PROGRAM.encode()))
        session.close()
        assert (code, "".join(out)) == (0, "true [1, 2, 3]\n"), "".join(err)

    for _ in range(5):
        once()
    before = counts()
    for _ in range(1000):
        once()
    after = counts()
    assert [max(0, new - old) for old, new in zip(before, after, strict=True)] == [0, 0, 0]
