"""Short ways to ask a loopback server through the interpreter."""

from __future__ import annotations

import json

import pytest

START = 1_893_456_000_000  # 2030-01-01T00:00:00Z

_CALL = 'println(json_stringify(llm_call_safe(PROMPT, nil, {provider: "NAME", model: "m"} + OPTIONS)))'

_HANDLERS = 'import {with_retry, with_timeout, with_fallback, compose} from "std/llm/handlers"'

_STACK = """
import {default_llm_caller, llm_caller} from "std/llm/caller"
HANDLERS

fn main(harness: Harness) {
  harness.testing.respond("random", "f64", DRAW, nil, true)
  const tried = atomic(0)
  const counted = { next -> { call ->
    atomic_add(tried, 1)
    next(call)
  } }
  const caller = CALLER
  const call = {
    prompt: "hello", system: nil, opts: {provider: "NAME", model: "m"} + OPTIONS,
    turn: {iteration: 0, session_id: "s", attempt: 1},
  }
  const r = caller(call)
  println(json_stringify({
    ok: r.ok, status: r.status, retryable: r.retryable, retries: r.retries_attempted, text: r.value?.text,
    error: r.error, exceeded: r.retry_after_exceeded, tried: atomic_get(tried), slept: monotonic_ms(),
  }))
}
"""


@pytest.fixture
def asked(run_harn):
    """Give ``asked(wire, url, options, prompt, **env) -> dict``: what one ``call_safe`` gave."""

    def run(wire, url: str, options: str = "{}", prompt: str = '"hi"', **env: str) -> dict:
        program = _CALL.replace("PROMPT", prompt).replace("NAME", wire.name).replace("OPTIONS", options)
        ran = run_harn(program, env={**wire.environment(url), **env})
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out)

    return run


@pytest.fixture
def stacked(run_harn):
    """Give ``stacked(wire, url, caller, options, draw) -> dict``: what a caller saw, on a virtual clock.

    ``draw`` is what every draw of a random number gives: 0 makes every jittered wait nothing. ``counted(caller)`` in
    the text of the caller counts the attempts.
    """

    def run(wire, url: str, caller: str = "llm_caller()", options: str = "{}", draw: float = 0.0) -> dict:
        program = _STACK.replace("CALLER", caller).replace("NAME", wire.name).replace("OPTIONS", options)
        program = program.replace("DRAW", str(draw)).replace("HANDLERS", _HANDLERS if "with_" in caller else "")
        ran = run_harn(program, virtual_time=START, env=wire.environment(url))
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out)

    return run
