"""More calls at once than the process may open files: they wait for each other, and none fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from stub import Answer, Stub, Talk
from wires import LOCAL

PROGRAM = """
fn main(harness: Harness) {
  const seen = parallel each range(300) { n -> llm_call_safe("hi", nil, {provider: "local", model: "m"}) }
  const again = llm_call_safe("hi", nil, {provider: "local", model: "m"})
  println(json_stringify(([again] + seen).filter({ r -> !r.ok }).map({ r -> r.error.message })))
}
"""

LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
runpy.run_module("harnpy", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_calls_wait_when_no_more_files_may_be_opened(root, tmp_path):
    program = tmp_path / "many.harn"
    program.write_text(PROGRAM)
    answer = LOCAL.whole("ok")
    answer.delay_ms = 5
    with Stub(answer) as stub:
        env = {**os.environ, **LOCAL.environment(stub.url), "PYTHONPATH": str(root)}
        words = [sys.executable, "-c", LIMITED, "run", str(program)]
        ended = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert len(stub.requests) == 301
    assert json.loads(ended.stdout) == []


def test_cancelled_calls_leave_their_place(run_harn):
    """Calls that a deadline breaks off, waiting for a place or having one, do not keep it."""
    from harnpy.llm import connection

    program = """
    const ask = { prompt -> llm_call(prompt, nil, {provider: "local", model: "m"}).text }
    const seen = parallel each range(20) { n -> try { deadline 20ms { ask("never answered") } } catch (e) { e } }
    println(seen.filter({ s -> s == "Deadline exceeded" }).count())
    println(parallel each range(5) { n -> ask("answered") })
    """
    body = LOCAL.whole("ok").body

    def script(talk: Talk) -> None:
        if b"never" in talk.asked.raw:
            talk.closed()
        else:
            talk.head(content_type="application/json", content_length=len(body))
            talk.send(body)

    with pytest.MonkeyPatch.context() as patch, Stub(Answer(script=script)) as stub:
        patch.setattr(connection, "most_sockets", lambda: 2)
        ran = run_harn(program, env=LOCAL.environment(stub.url))
    assert (ran.out, ran.err) == ("20\n[ok, ok, ok, ok, ok]\n", "")
