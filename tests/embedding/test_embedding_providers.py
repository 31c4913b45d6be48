"""Providers of a host: what they are asked, what they may answer, how they fail, and that they can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

import harnpy

ASK = 'return harness.llm.call("2+2?", "be short", {provider: "mine"}).text'
SAFE = 'const r = harness.llm.call_safe("x", nil, {provider: "mine", timeout_ms: 20})\nreturn r.error'


def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


def test_a_provider_answers_model_calls() -> None:
    asked: list[dict[str, Any]] = []

    async def mine(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {"text": "four", "input_tokens": 3, "output_tokens": 1, "thinking": "sum", "stop_reason": "stop"}

    ran = harnpy.run(
        'const r = harness.llm.call("2+2?", "be short", {provider: "mine", temperature: 0.5, max_tokens: 7})\n'
        "return [r.text, r.thinking, r.stop_reason]",
        providers={"mine": mine},
    )
    assert ran.value == ["four", "sum", "stop"]
    assert (ran.usage["input_tokens"], ran.usage["output_tokens"]) == (3, 1)
    [request] = asked
    assert (request["system"], request["model"], request["max_tokens"]) == ("be short", "mine", 7)
    assert (request["options"], request["tools"], request["schema"]) == ({"temperature": 0.5}, [], None)
    assert request["messages"] == [{"role": "user", "content": "2+2?"}]


def test_tools_come_as_data_and_calls_go_back_as_data() -> None:
    asked: list[dict[str, Any]] = []

    def mine(request: dict[str, Any]) -> dict[str, Any] | str:
        asked.append(request)
        if len(asked) == 1:
            return {"tool_calls": [{"name": "weather", "arguments": {"city": "Rome"}}]}
        return "It is " + request["messages"][-1]["content"].splitlines()[1]

    program = 'return agent_loop(harness, "Weather?", nil, {provider: "mine", tools: host_tools()}).text'
    assert harnpy.run(program, providers={"mine": mine}, tools=[weather]).value == "It is sunny in Rome"
    assert asked[0]["tools"][0]["function"]["name"] == "weather"
    assert "weather" not in (asked[0]["system"] or "")
    assert [message["role"] for message in asked[1]["messages"]] == ["user", "assistant", "tool_result"]


def test_a_schema_reaches_the_provider() -> None:
    asked: list[dict[str, Any]] = []

    def mine(request: dict[str, Any]) -> str:
        asked.append(request)
        return '{"n": 4}'

    schema = '{type: "object", properties: {n: {type: "integer"}}}'
    program = f'return harness.llm.call("x", nil, {{provider: "mine", output: {{schema: {schema}}}}}).data'
    assert harnpy.run(program, providers={"mine": mine}).value == {"n": 4}
    assert asked[0]["schema"]["properties"] == {"n": {"type": "integer"}}


def test_an_asynchronous_generator_streams() -> None:
    closed: list[str] = []

    async def mine(request: dict[str, Any]) -> AsyncIterator[str | dict[str, Any]]:
        try:
            for piece in ("two ", "and ", "two"):
                await asyncio.sleep(0)
                yield piece
            yield {"input_tokens": 2, "output_tokens": 3}
        finally:
            closed.append("closed")

    program = """
        let pieces = []
        for chunk in harness.llm.stream_call("x", nil, {provider: "mine"}) { pieces = pieces + [chunk.delta] }
        return [pieces, harness.llm.call("x", nil, {provider: "mine"}).text]
    """
    ran = harnpy.run(program, providers={"mine": mine})
    assert ran.value == [["two ", "and ", "two", ""], "two and two"]
    assert (ran.usage["output_tokens"], closed) == (6, ["closed", "closed"])


def test_a_stream_that_nobody_reads_on_is_closed() -> None:
    closed: list[str] = []

    async def mine(request: dict[str, Any]) -> AsyncIterator[str]:
        try:
            yield "first"
            await asyncio.sleep(60)
            yield "never"
        finally:
            closed.append("closed")

    program = 'for c in harness.llm.stream_call("x", nil, {provider: "mine"}) { return c.delta }'
    assert harnpy.run(program, providers={"mine": mine}).value == "first"
    assert closed == ["closed"]


@pytest.mark.parametrize(
    ("error", "category", "reason", "message"),
    [
        (OSError("down"), "generic", "unknown", "mine: OSError: down"),
        (ConnectionResetError("gone"), "transient_network", "network_error", "mine: ConnectionResetError: gone"),
        (TimeoutError(), "timeout", "timeout", "mine: TimeoutError"),
        (harnpy.ProviderError("rate_limit", "slow down"), "rate_limit", "rate_limit", "mine: slow down"),
        (harnpy.ProviderError("overloaded", "full"), "overloaded", "server_error", "mine: full"),
    ],
)
def test_failures_of_a_provider_have_categories(error: Exception, category: str, reason: str, message: str) -> None:
    def mine(request: dict[str, Any]) -> str:
        raise error

    found = harnpy.run(SAFE, providers={"mine": mine}).value
    assert (found["category"], found["reason"], found["message"]) == (category, reason, message)
    with pytest.raises(harnpy.HarnError) as caught:
        harnpy.run(ASK, providers={"mine": mine})
    assert caught.value.__cause__ is error


def test_a_failure_of_a_provider_is_retried_after_its_hint() -> None:
    calls: list[int] = []

    def mine(request: dict[str, Any]) -> str:
        calls.append(1)
        if len(calls) == 1:
            raise harnpy.ProviderError("rate_limit", "slow down", status=429, retry_after_ms=7000)
        return "done"

    program = """
        import {default_llm_caller} from "std/llm/caller"
        import {with_retry} from "std/llm/handlers"
        const began = monotonic_ms()
        const caller = with_retry(default_llm_caller(), {max_attempts: 2})
        const result = caller({prompt: "x", system: nil, opts: {provider: "mine"}})
        return [result.value.text, monotonic_ms() - began >= 7000]
    """
    assert harnpy.run(program, providers={"mine": mine}, virtual_time=0).value == ["done", True]


def test_no_such_category() -> None:
    with pytest.raises(ValueError, match="no error category 'ratelimit'"):
        harnpy.ProviderError("ratelimit", "x")


def test_a_provider_that_hangs_is_ended_by_the_deadline_of_the_call() -> None:
    ended: list[str] = []

    async def mine(request: dict[str, Any]) -> str:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("ended")
        return "late"

    found = harnpy.run(SAFE, providers={"mine": mine}).value
    assert (found["category"], ended) == ("timeout", ["ended"])
    assert "within 20 ms" in found["message"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (7, "a provider answers with a str or a mapping, not with a int"),
        ({"txt": "x"}, "a reply of a provider has input_tokens, .*, but no txt"),
        ({"text": b"x"}, "`text` of a reply is a text, not a bytes"),
        ({"text": "x", "input_tokens": "5"}, "`input_tokens` of a reply is a whole number from 0 on, not '5'"),
        ({"text": "x", "output_tokens": -1}, "`output_tokens` of a reply is a whole number from 0 on, not -1"),
        ({"text": "x", "output_tokens": True}, "`output_tokens` of a reply is a whole number from 0 on, not True"),
        ({"tool_calls": 3}, "`tool_calls` of a reply is a list, not a int"),
        ({"tool_calls": {"name": "look"}}, "`tool_calls` of a reply is a list, not a dict"),
        ({"tool_calls": [{"arguments": {}}]}, "each of `tool_calls` is a mapping with `name` and `arguments`"),
        ({"tool_calls": [{"name": "f", "arguments": [1]}]}, "`arguments` of the call of f are a mapping"),
        ({"tool_calls": [{"name": "f", "arguments": {"x": object()}}]}, "Harn has no value like a object"),
        ({"tool_calls": [{"name": "f", "arguments": {"x": len}}]}, "functions cannot stand in the reply"),
    ],
)
def test_wrong_answers_are_errors_that_say_what_is_wrong(answer: Any, message: str) -> None:
    with pytest.raises(harnpy.HarnError, match=message):
        harnpy.run(ASK, providers={"mine": lambda request: answer})


def test_what_comes_after_the_dict_that_ends_a_stream_is_an_error() -> None:
    async def mixed(request: dict[str, Any]) -> AsyncIterator[Any]:
        yield {"text": "early"}
        yield "late"

    with pytest.raises(harnpy.HarnError, match="the dict comes last"):
        harnpy.run('harness.llm.call("x", nil, {provider: "p"})', providers={"p": mixed})


def test_cancelling_a_run_cancels_its_provider() -> None:
    seen: list[str] = []

    async def main() -> None:
        started = asyncio.Event()

        async def mine(request: dict[str, Any]) -> str:
            started.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                seen.append("provider cancelled")
                raise
            return "late"

        task = asyncio.create_task(
            harnpy.arun(f'defer {{ note("clean") }}\n{ASK}', providers={"mine": mine}, functions={"note": seen.append})
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["provider cancelled", "clean"]
