"""No key shows in what Python sees of a run, in the history of the prompt, or where the key comes late (S52)."""

from __future__ import annotations

import json
import os
import traceback

import pytest
from canary import MARK, canary, leaks, leaks_below, replies, spoken
from stub import Answer, Stub
from wires import FORMS, OpenAi

import harnpy
from harnpy.cli.program import run
from harnpy.fault import fault_text
from harnpy.options import Options
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams

WIRE = OpenAi()
CALL = 'llm_call("hi", nil, {provider: "openai", model: "m"})'


def environment(stub: Stub, key: str) -> dict[str, str]:
    return {**WIRE.environment(stub.url), "OPENAI_API_KEY": key}


def test_what_an_embedding_host_sees():
    key = canary("embedded")
    said = spoken(key, key)
    stub = Stub(*replies(WIRE, said, key), WIRE.failing(401, said))
    with stub, harnpy.Session(env=environment(stub, key)) as session:
        results = [session.run(f"return {CALL}") for _ in range(4)]
        with pytest.raises(harnpy.HarnError) as caught:
            session.run(CALL)
        error = caught.value
        shown = [repr(results), str([vars_of(result) for result in results]), repr(session), str(session.events)]
        shown += [repr(error), str(error), str(error.value), str(error.diagnostic and error.diagnostic.message)]
        shown += ["".join(traceback.format_exception(error)), repr(error.args), session.stdout, session.stderr]
        shown.append(str(session.usage))
    assert len(stub.requests) == 5
    assert "HTTP 401" in str(error)
    assert [leaks(text) for text in shown] == [[]] * len(shown)


def vars_of(result: harnpy.RunResult) -> dict[str, object]:
    return {name: getattr(result, name) for name in result.__slots__}


def test_what_the_program_throws_is_for_the_host_but_not_for_its_log():
    key = canary("thrown")
    program = 'throw {category: "generic", message: "with " + env("OPENAI_API_KEY")}'
    with harnpy.Session(env={"OPENAI_API_KEY": key}) as session:
        with pytest.raises(harnpy.HarnError) as caught:
            session.run(program)
        result = session.run('return env("OPENAI_API_KEY")')
    error = caught.value
    shown = [repr(error), str(error), "".join(traceback.format_exception(error)), error.diagnostic.message]
    assert [leaks(text) for text in [*shown, repr(result)]] == [[]] * 5
    assert (error.value["message"], result.value) == (f"with {key}", key)


def test_the_history_of_the_prompt(monkeypatch, tmp_path):
    from harnpy.cli.repl_engine import Engine
    from harnpy.cli.repl_prompt import _history

    key = canary("typed")
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    monkeypatch.setenv("HARNPY_HISTORY", str(tmp_path / "history"))
    streams, out, err = memory_streams()
    engine = Engine(Options(), streams)
    for text in (f"const k = {json.dumps(key)} // {key}", "const n = 1"):
        _history().store_string(text)
    engine.run('throw env("ANTHROPIC_API_KEY")\n')
    engine.close()
    assert "const n" in (tmp_path / "history").read_text()
    assert leaks_below(tmp_path) == {}
    assert "Thrown: [redacted]" in "".join(err)
    assert leaks("".join(out + err)) == []


def test_a_fault_of_ours_with_its_traceback(monkeypatch):
    key = canary("fault")
    monkeypatch.setenv("HARNPY_DEBUG", "1")
    Session(Options(env={"GROQ_API_KEY": key}), memory_streams()[0])
    try:
        raise ValueError(f"bad header {key!r} of {json.dumps(key)}")
    except ValueError as fault:
        text = fault_text(fault)
    assert "Traceback" in text
    assert leaks(text) == []


def test_a_key_that_is_set_after_the_run_began(monkeypatch, tmp_path):
    """The environment of the process is read with each call."""
    key = canary("late")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Stub(WIRE.failing(401, spoken(key, key))) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        streams, out, err = memory_streams()
        session = Session(Options(events=str(tmp_path / "e.jsonl")), streams)
        first = session.run(lambda: Source("a.harn", f'agent_emit_event("s", "llm_call_log", {{a: 1}}); {CALL}'))
        os.environ["OPENAI_API_KEY"] = key
        second = session.run(lambda: Source("b.harn", f"println({CALL})"))
        session.close()
    assert (first, second, len(stub.requests)) == (1, 1, 1)
    assert "HTTP 401" in "".join(err)
    assert leaks("".join(out + err)) == []
    assert leaks_below(tmp_path) == {}


SCOPES = """
llm_mock_load_jsonl(json_stringify({schemaVersion: 1, strictScopes: true}))
println(llm_call_safe("x".repeat(190) + env("OPENAI_API_KEY"), nil, {mock_scope: "completion.judge"}).error.message)
"""


def test_a_prompt_that_nothing_answers_is_cut_without_leaving_half_a_key(run_harn, tmp_path):
    key = canary("unanswered")
    (tmp_path / "none.jsonl").write_text("")
    env = {"OPENAI_API_KEY": key}
    strict = run_harn(SCOPES, env=env)
    replayed = run_harn(SCOPES.partition("\n")[2].partition("\n")[2], env=env, llm_mock=str(tmp_path / "none.jsonl"))
    for ran, said in ((strict, "strict scope: xxx"), (replayed, 'matched prompt: "xxx')):
        assert (ran.code, said in ran.out) == (0, True)
        assert "unans" not in ran.out


@pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
def test_what_a_program_sees_of_a_stream_is_what_a_replay_gives(run_harn, tmp_path, wire):
    """A key in pieces is removed before anyone has it: the program, the recording and the replay agree."""
    key = canary("split") if wire.key_header[0] else "none"
    env = {name: key if name.endswith("_KEY") else value for name, value in wire.environment("URL").items()}
    program = f"""
    for chunk in llm_stream_call("hi", nil, {{provider: "{wire.name}", model: "m"}}) {{ println(chunk.delta) }}
    """
    tape = str(tmp_path / "tape.jsonl")
    with Stub(wire.stream("a ", *f"key {key} is it", " b")) as stub:
        env = {name: value.replace("URL", stub.url) for name, value in env.items()}
        live = run_harn(program, env=env, llm_mock_record=tape)
    assert (live.code, live.err) == (0, "")
    assert leaks(live.out.replace("\n", "")) == []
    assert live.out.replace("\n", "").startswith("a key ")
    assert live.out.replace("\n", "").endswith(" is it b")
    assert run_harn(program, env={}, llm_mock=tape).out == live.out
    assert leaks_below(tmp_path) == {}


@pytest.mark.parametrize("wire", [wire for wire in FORMS if wire.key_header[0]], ids=lambda wire: wire.name)
def test_half_a_key_where_an_answer_is_cut(run_harn, wire):
    """The limit of tokens or the end of a connection may come inside a key."""
    key = canary("half")
    program = f"""
    const opts = {{provider: "{wire.name}", model: "m"}}
    println(llm_call("hi", nil, opts).text)
    for n in 1 to 2 {{
      try {{
        for chunk in llm_stream_call("hi", nil, opts) {{ print(chunk.delta) }}
      }} catch (e) {{
        println(e.partial)
      }}
    }}
    """
    half = "it is " + key[:-4]
    pieces = [*half]
    broken = wire.streamed(wire.events(pieces)[: len(half) - 3])
    with Stub(wire.whole(half), wire.stream(*pieces), broken) as stub:
        env = {name: key if name.endswith("_KEY") else value for name, value in wire.environment(stub.url).items()}
        ran = run_harn(program, env=env)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "it is [redacted]\nit is ha[redacted]it is hait is [redacted]\n"


def test_what_looks_like_a_key_stands_in_no_recording(run_harn, tmp_path):
    """A model may quote a key that is not the one in use: the program gets it, a file does not."""
    tape = tmp_path / "tape.jsonl"
    with Stub(WIRE.whole(f"use sk-{MARK}")) as stub:
        ran = run_harn(f"println({CALL}.text)", env=environment(stub, canary("other")), llm_mock_record=str(tape))
    assert ran.out == f"use sk-{MARK}\n"
    assert "use [redacted]" in tape.read_text()
    assert leaks(tape.read_text()) == []


def test_a_new_password_finds_the_cached_answer(run_harn):
    """Secrets are no part of the key of the cache, like API keys."""
    program = """
    import {llm_cache_key} from "std/llm/handlers"
    println(llm_cache_key("hi", nil, {provider: "local", model: "m"}))
    """
    bases = [f"http://{user}host:1" for user in ("user:first-1@", "user:second-2@")] + ["http://other:1"]
    keys = [run_harn(program, env={"LOCAL_LLM_BASE_URL": base}).out for base in bases]
    assert (keys[0] == keys[1], keys[0] == keys[2]) == (True, False)


def test_short_keys_and_words_leave_ordinary_text_alone(run_harn):
    """Servers without accounts take any key: "none" and "anything" stand in ordinary texts too."""
    for key in ("none", "anything", "not-needed", "x", "1234567"):
        with Stub(WIRE.failing(401, "nothing, none, anything, not-needed, 1234567")) as stub:
            ran = run_harn(f"println({CALL.replace('call', 'call_safe')}.error.message)", env=environment(stub, key))
        assert "nothing, none, anything, not-needed, 1234567" in ran.out
    with Stub(WIRE.failing(401, "no abc123")) as stub:
        ran = run_harn(f"println({CALL.replace('call', 'call_safe')}.error.message)", env=environment(stub, "abc123"))
    assert "no [redacted]" in ran.out


def test_a_listener_that_throws_and_a_main_that_gives_an_error(run_harn):
    program = """
    fn main(harness: Harness) {
      agent_subscribe("s", { event -> throw "heard " + env("OPENAI_API_KEY") })
      agent_emit_event("s", "llm_call_log", {a: 1})
      return Err("ended with " + env("OPENAI_API_KEY"))
    }
    """
    ran = run_harn(program, env={"OPENAI_API_KEY": canary("err")})
    assert (ran.code, ran.out) == (1, "")
    assert "heard [redacted]" in ran.err
    assert ran.err.endswith("ended with [redacted]\n")


def test_the_program_may_print_its_own_key(run_harn):
    ran = run_harn('println(env("OPENAI_API_KEY"))', env={"OPENAI_API_KEY": canary("own")})
    assert MARK in ran.out


def test_a_run_without_calls_reports_no_key(tmp_path):
    key = canary("unused")
    streams, out, err = memory_streams()
    options = Options(env={"HF_TOKEN": key}, events=str(tmp_path / "e.jsonl"))
    program = 'agent_emit_event("s", "llm_call_log", {a: env("HF_TOKEN")}); throw "with " + env("HF_TOKEN")'
    assert run(lambda: Source("p.harn", program), options, streams) == 1
    assert "Thrown: with [redacted]" in "".join(err)
    assert leaks("".join(out + err)) == []
    assert leaks_below(tmp_path) == {}


def test_an_answer_of_nonsense_bytes_shows_no_key(run_harn):
    key = canary("bytes")
    bodies = [key.encode("utf-16"), b"\xff" + key.encode(), b"\xef\xbb\xbf" + key.encode(), b"\0" * 50 + key.encode()]
    with Stub(*[Answer(500, body) for body in bodies]) as stub:
        for _ in bodies:
            ran = run_harn(CALL, env=environment(stub, key))
            assert leaks(ran.out + ran.err) == []
