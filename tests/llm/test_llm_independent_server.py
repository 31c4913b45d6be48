"""A server that others wrote (fakellm, from PyPI) answers our OpenAI and Anthropic wires."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest
from wires import KEY, LOCAL, Anthropic, OpenAi

RULES = """
version: 1
defaults:
  fallback: deterministic_echo
rules:
  - name: greeting
    when: {messages_contain: "hello"}
    respond: {content: "Good day, and welcome."}
  - name: limited
    when: {messages_contain: "too fast"}
    respond: {status: 429, error: "slow down"}
  - name: broken
    when: {messages_contain: "down"}
    respond: {status: 503, error: "not now"}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fakellm")
    (folder / "rules.yaml").write_text(RULES)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "fakellm.cli", "serve", "--port", str(port), "--config", str(folder / "rules.yaml")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("running on" in line for line in process.stderr), "fakellm did not start"
        yield f"http://127.0.0.1:{port}"
        process.terminate()


wires = pytest.mark.parametrize("wire", [OpenAi(), LOCAL, Anthropic()], ids=lambda wire: wire.name)


@wires
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_it_answers(asked, server, wire, streamed):
    response = asked(wire, server, f"{{stream: {str(streamed).lower()}}}", '"hello there"')["response"]
    assert response["text"] == "Good day, and welcome."
    assert response["outcome"]["kind"] == "complete"
    assert response["stop_reason"] in ("stop", "end_turn")
    if not streamed:
        assert response["outcome"]["billed"] is True


@wires
@pytest.mark.parametrize(
    ("prompt", "status", "reason"), [("too fast", 429, "rate_limit"), ("it is down", 503, "server_error")]
)
def test_its_errors_are_classified(asked, server, wire, prompt, status, reason):
    # Only whole replies: asked for a stream, it answers 200 whatever its rules say.
    error = asked(wire, server, "{stream: false}", f'"{prompt}"')["error"]
    assert (error["status"], error["reason"], error["kind"]) == (status, reason, "transient")


@wires
def test_a_stream_of_it_comes_in_pieces(run_harn, server, wire):
    program = f"""
    fn main(harness: Harness) {{
      for chunk in harness.llm.stream_call("hello there", nil, {{provider: "{wire.name}", model: "m"}}) {{
        println(json_stringify(chunk))
      }}
    }}
    """
    ran = run_harn(program, env=wire.environment(server))
    assert (ran.code, ran.err) == (0, "")
    chunks = [json.loads(line) for line in ran.out.splitlines()]
    assert "".join(chunk["delta"] for chunk in chunks) == "Good day, and welcome."
    assert chunks[-1]["partial"] == "Good day, and welcome."
    assert KEY not in ran.out
