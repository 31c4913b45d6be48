"""Collecting a streamed reply takes time in proportion to its events, however many calls and pieces it has."""

from __future__ import annotations

import gc
import time

import pytest

from harnpy.llm.providers.wires import wire_named
from harnpy.llm.request import build_request

SMALL, LARGE = 5_000, 40_000
# Long enough that copying what is there already shows beside the work of one event.
PIECE = "a" * 100
CHAT, ANTHROPIC, RESPONSES = "openai", "anthropic", "openai_responses"


def chat(*parts: dict) -> dict:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(parts)}}]}


def of_block(delta: dict) -> dict:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def begun(block: dict) -> dict:
    return {"type": "content_block_start", "index": 0, "content_block": block}


def chat_calls(n: int, **place: int) -> list[dict]:
    return [chat({"id": f"c{i}", "function": {"name": "f", "arguments": "{}"}, **place}) for i in range(n)]


CALL = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a": "'}}
STREAMS = {
    "chat_arguments": (CHAT, lambda n: [chat(CALL)] + [chat({"index": 0, "function": {"arguments": PIECE}})] * n),
    "chat_name": (CHAT, lambda n: [chat(CALL)] + [chat({"index": 0, "function": {"name": PIECE}})] * n),
    "chat_calls": (
        CHAT,
        lambda n: [chat({"index": i, "id": f"c{i}", "function": {"name": "f", "arguments": "{}"}}) for i in range(n)],
    ),
    "chat_calls_interleaved": (
        CHAT,
        lambda n: [chat({"index": i % (n // 2), "function": {"name": "f", "arguments": ""}}) for i in range(n)],
    ),
    "chat_calls_without_index": (CHAT, chat_calls),
    "chat_calls_of_one_index": (CHAT, lambda n: chat_calls(n, index=0)),
    "anthropic_arguments": (
        ANTHROPIC,
        lambda n: [begun({"type": "tool_use", "id": "c", "name": "f"})] + [of_block({"partial_json": PIECE})] * n,
    ),
    "anthropic_thinking": (ANTHROPIC, lambda n: [begun({"type": "thinking"})] + [of_block({"thinking": PIECE})] * n),
    "anthropic_signature": (ANTHROPIC, lambda n: [begun({"type": "thinking"})] + [of_block({"signature": PIECE})] * n),
    "responses_arguments": (
        RESPONSES,
        lambda n: [{"type": "response.function_call_arguments.delta", "output_index": 0, "delta": PIECE}] * n,
    ),
}


@pytest.fixture(autouse=True)
def uncollected():
    """Keep the collector out of the figures: it looks at everything that is alive."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("name", STREAMS)
def test_time_grows_with_events(name):
    dialect, events = STREAMS[name]
    options = {"provider": dialect.partition("_")[0], "model": "m"}
    request = build_request("p", None, options, {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, gated=False)
    wire = wire_named({CHAT: "openai_chat"}.get(dialect, dialect))

    def seconds(size: int) -> float:
        arrived = events(size)
        taken = []
        for _ in range(2):
            reader = wire.StreamReader(request)
            start = time.perf_counter()
            for event in arrived:
                reader.feed(event)
            reader.reply()
            taken.append(time.perf_counter() - start)
        return min(taken)

    # Eight times the events: linear work takes about 8 times, quadratic 64 times.
    assert seconds(LARGE) < 25 * max(seconds(SMALL), 0.01)
