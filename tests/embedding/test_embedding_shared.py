"""Sessions that share breakers, a limit of money and rate limits; a session that is warmed up."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import harnpy

BREAKER = """
import {with_circuit_breaker} from "std/llm/handlers"
import {default_llm_caller} from "std/llm/caller"
pub fn ask() {
  const caller = with_circuit_breaker(default_llm_caller(), {name: "house", threshold: 2, reset_ms: 60000})
  const result = try { caller({prompt: "hi", system: nil, opts: {provider: "house", model: "m"}}) } catch (e) { e }
  return if result?.ok { "ok" } else { result.status ?? result.reason }
}
"""
NAMED = """
circuit_breaker("b", 1)
pub fn fail() { circuit_record_failure("b") }
pub fn state() { return circuit_check("b") }
pub fn again() { circuit_breaker("b", 1) }
"""
PAID = 'pub fn ask() { return harness.llm.call("hi", nil, {provider: "openai", model: "gpt-4o"}).text }'
COSTS = {"match": "*", "text": "ok", "usage": {"input_tokens": 1_000_000, "output_tokens": 0}}


def always_down(_: dict[str, Any]) -> str:
    raise harnpy.ProviderError("server_error", "down", status=503)


class Time:
    """A clock of a host that stands still until it is told."""

    def __init__(self) -> None:
        self.now = 1_000_000_000

    def time_ns(self) -> int:
        return self.now

    def monotonic_ns(self) -> int:
        return self.now


def test_a_breaker_opens_for_all_sessions_and_admits_one_probe() -> None:
    asked: list[str] = []

    def house(request: dict[str, Any]) -> str:
        asked.append(request["model"])
        if len(asked) <= 2:
            raise harnpy.ProviderError("server_error", "down", status=503)
        return "up"

    shared, time = harnpy.Shared(), Time()
    modules = []
    for _ in range(3):
        session = harnpy.Session(providers={"house": house}, env={}, shared=shared, clock=time)
        modules.append(session.load(BREAKER))
    first, second, late = modules
    assert [first.call("ask"), second.call("ask")] == ["provider_5xx", "provider_5xx"]
    assert [module.call("ask") for module in (first, second, late)] == ["circuit_open"] * 3
    assert len(asked) == 2
    time.now += 61_000_000_000
    assert [late.call("ask"), first.call("ask")] == ["ok", "ok"]


def test_a_session_that_runs_a_program_again_joins_what_it_made_before() -> None:
    shared = harnpy.Shared()
    session = harnpy.Session(providers={"house": always_down}, env={}, shared=shared)
    program = BREAKER + "return ask()"
    said = [session.run(program).value for _ in range(3)]
    assert said == ["provider_5xx", "provider_5xx", "circuit_open"]


def test_a_script_that_names_its_own_breaker_again_closes_it() -> None:
    shared = harnpy.Shared()
    one, two = (harnpy.Session(shared=shared).load(NAMED) for _ in range(2))
    one.call("fail")
    assert two.call("state") == "open"
    two.call("again")
    assert one.call("state") == "closed"


def test_the_money_of_all_sessions_has_one_limit() -> None:
    shared = harnpy.Shared(max_cost=4)
    sessions = [harnpy.Session(env={}, shared=shared) for _ in range(3)]
    for session in sessions:
        session.mock(COSTS)
    assert [session.load(PAID).call("ask") for session in sessions[:2]] == ["ok", "ok"]
    assert shared.cost == pytest.approx(5.0)
    with pytest.raises(harnpy.HarnError, match=r"spent \$5\.0000 of \$4\.0000 that several sessions share") as caught:
        sessions[2].load(PAID).call("ask")
    assert caught.value.value["category"] == "budget_exceeded"
    assert caught.value.value["limit"] == "shared_budget"
    shared.reset_cost()
    assert (shared.cost, sessions[2].load(PAID).call("ask")) == (0.0, "ok")


def test_the_rate_limit_of_a_provider_counts_the_calls_of_all_sessions() -> None:
    shared, env = harnpy.Shared(), {"HARN_RATE_LIMIT_OPENAI": "1"}
    waits = []
    for _ in range(3):
        session = harnpy.Session(env=env, shared=shared, virtual_time=0)
        session.mock({"match": "*", "text": "ok"})
        session.load(PAID).call("ask")
        waits.append(session.now_ms)
    assert waits == [0, 60_000, 120_000]


def test_threads_share_one_count() -> None:
    shared = harnpy.Shared()

    def serve() -> None:
        session = harnpy.Session(env={}, shared=shared)
        session.mock(COSTS)
        module = session.load(PAID)
        for _ in range(20):
            module.call("ask")

    threads = [threading.Thread(target=serve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared.cost == pytest.approx(4 * 20 * 2.5)


@pytest.mark.parametrize(("limit", "kind"), [(0, ValueError), ("1", TypeError), (True, TypeError)])
def test_a_limit_that_is_none_is_refused(limit: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="max_cost"):
        harnpy.Shared(max_cost=limit)


def test_a_session_is_warmed_up_without_a_trace_of_it() -> None:
    asked: list[str] = []

    async def house(request: dict[str, Any]) -> str:
        asked.append(request["messages"][-1]["content"])
        return "real"

    program = 'pub fn ask(q) { return agent_loop(harness, q, nil, {provider: "house", model: "m"}).text }'

    async def serve() -> None:
        shared = harnpy.Shared()

        def warmed() -> tuple[harnpy.Session, harnpy.Module]:
            session = harnpy.Session(providers={"house": house}, env={}, shared=shared)
            module = session.load(program)
            with session.mocked():
                assert module.call("ask", "warm up") == "ok"
            return session, module

        session, module = await asyncio.to_thread(warmed)
        assert (session.usage["call_count"], session.mocked_calls(), shared.cost) == (0, [], 0.0)
        assert await module.acall("ask", "one") == "real"
        assert (asked, session.usage["call_count"]) == (["one"], 1)

    asyncio.run(serve())


def test_mocked_replies_come_in_order_and_leave_the_queue_of_the_session_alone() -> None:
    with harnpy.Session(env={}) as session:
        session.mock("later")
        module = session.load(PAID)
        with session.mocked("a", {"text": "b"}):
            assert [module.call("ask"), module.call("ask")] == ["a", "b"]
        assert module.call("ask") == "later"
