"""Short ways to ask a loopback server through the interpreter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stub import Stub

from harnpy.cli.program import carry_out
from harnpy.events import redact
from harnpy.options import Options
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams

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


@pytest.fixture(autouse=True)
def own_secrets():
    """Let the process forget the keys of a test: a stream holds back what might be the beginning of one."""
    yield
    redact._registered.clear()
    redact._known.clear()
    redact._pending.clear()


@pytest.fixture
def run_beside():
    """Give ``run(text, wire, server, **env) -> (code, out, err)``: on a virtual clock that the server may move.

    ``server`` is a ``Stub`` or the URL of some other one.
    """

    def run(text: str, wire, server: Stub | str, **env: str) -> tuple[int, str, str]:
        streams, out, err = memory_streams("")
        url = server.url if isinstance(server, Stub) else server
        options = Options(virtual_time=START, seed=7, env={**wire.environment(url), **env})
        session = Session(options, streams)
        if isinstance(server, Stub):
            server.advance = session.advance
        code = carry_out(session, lambda: Source("test.harn", text))
        return code, "".join(out), "".join(err)

    return run


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
def stacked(run_beside):
    """Give ``stacked(wire, server, caller, options, draw) -> dict``: what a caller saw, on a virtual clock.

    ``draw`` is what every draw of a random number gives: 0 makes every jittered wait nothing. ``counted(caller)`` in
    the text of the caller counts the attempts.
    """

    def run(
        wire, server: Stub | str, caller: str = "llm_caller()", options: str = "{}", draw: float = 0.0, **env: str
    ) -> dict:
        program = _STACK.replace("CALLER", caller).replace("NAME", wire.name).replace("OPTIONS", options)
        program = program.replace("DRAW", str(draw)).replace("HANDLERS", _HANDLERS if "with_" in caller else "")
        code, out, err = run_beside(program, wire, server, **env)
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


_PRELUDE = """
import {default_llm_caller, llm_caller} from "std/llm/caller"
import {compose, with_budget, with_circuit_breaker, with_fallback} from "std/llm/handlers"
import {with_repair, with_retry, with_timeout} from "std/llm/handlers"
const opts = {provider: "NAME", model: "m"}
const call = {prompt: "hi", system: nil, opts: opts, turn: {iteration: 0, session_id: "s", attempt: 1}}
fn show(value) { println(json_stringify(value)) }
"""


@pytest.fixture
def ran(run_beside):
    """Give ``ran(wire, server, body) -> list``: the JSON values that the body of a program showed.

    The body has ``call`` and ``opts`` at hand.
    """

    def run(wire, server: Stub | str, body: str, **env: str) -> list:
        code, out, err = run_beside(_PRELUDE.replace("NAME", wire.name) + body, wire, server, **env)
        assert (code, err) == (0, "")
        return [json.loads(line) for line in out.splitlines()]

    return run


_PRICES = """
[models."m"]
name = "M"
provider = "NAME"
context_window = 64000
pricing = { input_per_mtok = 3.0, output_per_mtok = 15.0 }
"""


@pytest.fixture
def priced(tmp_path):
    """Give ``priced(wire) -> env``: the model of a wire costs 3 USD in and 15 USD out per million tokens."""

    def write(wire) -> dict[str, str]:
        path = tmp_path / "providers.toml"
        own = wire.env.get("HARN_PROVIDERS_CONFIG")
        before = "" if own is None else Path(own).read_text(encoding="utf-8")
        path.write_text(before + _PRICES.replace("NAME", wire.name), encoding="utf-8")
        return {"HARN_PROVIDERS_CONFIG": str(path)}

    return write
