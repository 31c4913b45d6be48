"""The routing example of the callers/middleware page as it is written: under the mock, and against three servers."""

from __future__ import annotations

import json
import re

import pytest
from stub import Answer, Stub
from wires import Anthropic, Ollama, OpenAi

CODE = "```harn\nconst answer = 42\n```"
TAIL = """
println(json_stringify({
  text: result.text, provider: result.provider, routing: result.routing,
  topic: event_log.read("billing.routing_decision").map({ e -> [e.kind, e.payload] }),
}))
"""


@pytest.fixture
def example(shared) -> str:
    """The example's code block, word for word."""
    (page,) = (shared / "seeds").glob("001_*.txt")
    blocks = re.findall(r"```harn[^\n]*\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if "routing_policy({" in block and "routing: policy" in block]
    return block


class Servers:
    """A stub each for anthropic, openai and ollama."""

    def __init__(self, anthropic: Answer, openai: Answer, ollama: Answer) -> None:
        self.stubs = [Stub(anthropic), Stub(openai), Stub(ollama)]

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_: object) -> None:
        for stub in self.stubs:
            stub.__exit__()

    @property
    def env(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for wire, stub in zip((Anthropic(), OpenAi(), Ollama()), self.stubs, strict=True):
            found.update(wire.environment(stub.url))
        return found

    @property
    def asked(self) -> list[int]:
        return [len(stub.requests) for stub in self.stubs]


@pytest.fixture
def run_example(run_harn, example):
    def run(before: str = "", **options) -> dict:
        ran = run_harn(before + example + TAIL, virtual_time=0, **options)
        assert ran.code == 0, ran.err
        return json.loads(ran.out)

    return run


def kinds(seen: dict) -> list[str]:
    return [kind.removeprefix("billing.routing_decision.") for kind, _ in seen["topic"]]


def test_under_the_mock(run_example):
    before = f"llm_mock({{error: {{status: 503}}}})\nllm_mock({{text: {json.dumps(CODE)}}})\n"
    seen = run_example(before)
    assert seen["text"] == CODE
    assert kinds(seen) == ["decision", "attempt", "attempt", "verifier_signal"]
    assert seen["routing"]["selected"] == 1


def test_first_server_answers(run_example):
    with Servers(Anthropic().whole(CODE), OpenAi().whole("b"), Ollama().whole("c")) as servers:
        seen = run_example(env=servers.env)
        body = servers.stubs[0].requests[0].json
    assert (seen["text"], seen["provider"], servers.asked) == (CODE, "anthropic", [1, 0, 0])
    assert body["model"] == "claude-opus-4-20250514"
    assert kinds(seen) == ["decision", "attempt", "verifier_signal"]


def test_down_to_the_local_server(run_example):
    with Servers(
        Anthropic().failing(503), OpenAi().failing(429, kind="rate_limit_error"), Ollama().whole(CODE)
    ) as servers:
        seen = run_example(env=servers.env)
    assert (seen["provider"], servers.asked) == ("ollama", [1, 1, 1])
    assert kinds(seen) == ["decision", "attempt", "attempt", "attempt", "verifier_signal"]
    assert [a["status"] for a in seen["routing"]["attempts"]] == ["failed", "failed", "succeeded"]


def test_verifiers_escalate_over_http(run_example):
    with Servers(
        Anthropic().whole("```harn\nlet = \n```"),
        OpenAi().whole("```harn\nconst x = // TODO\n```"),
        Ollama().whole(CODE),
    ) as servers:
        seen = run_example(env=servers.env)
    assert (seen["text"], servers.asked) == (CODE, [1, 1, 1])
    assert [a["verifier_outcome"] for a in seen["routing"]["attempts"]] == ["escalate", "escalate", "accept"]


def test_missing_keys_leave_the_local_server(run_example):
    with Servers(Anthropic().whole("a"), OpenAi().whole("b"), Ollama().whole(CODE)) as servers:
        env = {name: value for name, value in servers.env.items() if not name.endswith("_KEY")}
        seen = run_example(env=env)
    assert (seen["text"], servers.asked) == (CODE, [0, 0, 1])
    assert kinds(seen) == ["decision", "route_unavailable", "route_unavailable", "attempt", "verifier_signal"]


def test_a_race_over_http_cancels_the_slow_server(run_harn):
    program = """
const policy = routing_policy({
  chain: [{provider: "anthropic", model: "claude-sonnet-5"}, {provider: "openai", model: "gpt-4o"}],
  latency: {race_after_ms: 20},
})
const result = harness.llm.call("x", nil, {routing: policy})
println(result.provider)
println(result.routing.attempts.map({ a -> a.status }))
"""
    with Servers(Answer(silent=True), OpenAi().whole("quick"), Ollama().whole("c")) as servers:
        ran = run_harn(program, env=servers.env)
        assert (ran.out, servers.asked) == ("openai\n[race_lost, succeeded]\n", [1, 1, 0]), ran.err


def test_a_key_never_leaves_its_provider(run_example):
    with Servers(Anthropic().failing(503), OpenAi().failing(503), Ollama().whole(CODE)) as servers:
        env = {
            **servers.env,
            "ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef",
            "OPENAI_API_KEY": "sk-oai-fedcba9876543210",
        }
        seen = run_example(env=env)
        texts = [str(stub.requests[0].headers) for stub in servers.stubs]
    assert ["0123456789abcdef" in text for text in texts] == [True, False, False]
    assert ["fedcba9876543210" in text for text in texts] == [False, True, False]
    assert "0123456789abcdef" not in json.dumps(seen)
    assert "fedcba9876543210" not in json.dumps(seen)


def test_a_recorded_run_replays_without_servers_and_keys(run_example, tmp_path):
    tape = str(tmp_path / "tape.jsonl")
    with Servers(Anthropic().failing(503), OpenAi().whole("```harn\nlet = \n```"), Ollama().whole(CODE)) as servers:
        seen = run_example(env=servers.env, llm_mock_record=tape)
    again = run_example(env={}, llm_mock=tape)
    assert again["text"] == seen["text"]
    assert kinds(again) == kinds(seen)
    for attempt in [*seen["routing"]["attempts"], *again["routing"]["attempts"]]:
        attempt["duration_ms"] = 0
    assert again["routing"] == seen["routing"]
