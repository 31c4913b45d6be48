"""A host program as a type checker sees it; every line with ``# error`` must be refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

import harnpy
from harnpy.embedding_options import SessionOptions
from harnpy.testing import MockModel, TapeOptions


class Clock:
    def time_ns(self) -> int:
        return 0

    def monotonic_ns(self) -> int:
        return 0


async def answer(request: dict[str, Any]) -> str:
    return str(request["model"])


async def pieces(request: dict[str, Any]) -> AsyncIterator[str | dict[str, Any]]:
    yield "one"
    yield {"output_tokens": 1}


def full(request: dict[str, Any]) -> dict[str, object]:
    raise harnpy.ProviderError("rate_limit", "slow down", retry_after_ms=5)


async def calls_back(f: harnpy.Function, items: harnpy.Stream) -> list[Any]:
    return [await f.acall(item) async for item in items]


@pytest.fixture
def harn_options() -> SessionOptions:
    return {"functions": {"calls_back": calls_back}, "providers": {"p": pieces, "q": full}}


def test_a_tape(harn_tape: Callable[..., TapeOptions]) -> None:
    with harnpy.Session(providers={"p": pieces}, **harn_tape()) as session:
        events: list[dict[str, Any]] = session.run("return 1").events
        print(events, session.unmocked_calls(), session.unused_mocks())


def host() -> None:
    result = harnpy.run("return 1", time_limit=2.0, providers={"mine": answer}, clock=Clock())
    text: str = result.stdout
    code: int = result.exit_code
    shared = harnpy.Shared(max_cost=5)
    session = harnpy.Session(functions={"f": len}, tools=[host], allow=("net",), shared=shared)
    with session.mocked("one", {"text": "two"}):
        spent: float = shared.cost
        print(spent)
    module: harnpy.Module = session.load(harnpy.Program("fn f() { 1 }"))
    value: Any = module.call("f", 1)
    try:
        session.run("throw 1")
    except harnpy.HarnError as error:
        found: harnpy.Diagnostic | None = error.diagnostic
        print(text, code, value, found)


async def in_a_loop() -> harnpy.RunResult:
    return await harnpy.arun("return 1", virtual_time=0)


def mocked(model: MockModel) -> None:
    model.reply("x", match="*")


def wrong() -> None:
    harnpy.run("return 1", time_limit="2")  # error
    harnpy.run("return 1", no_such_option=1)  # error
    harnpy.Session(clock=3)  # error
    harnpy.Session(shared=3)  # error
    harnpy.Session(providers={"p": 4})  # error
    harnpy.run(5)  # error
    harnpy.ProviderError(429, "x")  # error
    harnpy.Session(tools=[1])  # error
    print(harnpy.run("return 1").no_such_field)  # error
