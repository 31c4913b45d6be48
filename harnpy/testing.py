"""Pytest fixtures for code that embeds harnpy; ``pytest_plugins = ["harnpy.testing"]`` in a ``conftest.py``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TypedDict

import pytest

from harnpy.embedding import Session

# No model call of a test leaves the machine, and none needs a key.
OFFLINE = {"HARN_LLM_PROVIDER": "mock", "HARN_LLM_CALLS_DISABLED": "1"}


class TapeOptions(TypedDict, total=False):
    """The options of a session that replays a tape or records it."""

    llm_mock: str
    llm_mock_record: str


@pytest.fixture
def harn_session() -> Iterator[Session]:
    """Give a session that no test can disturb: virtual clock at 0, fixed seed, no environment, mocked model."""
    with Session(virtual_time=0, seed=0, env=OFFLINE) as session:
        yield session


class MockModel:
    """The mocked model of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def reply(self, text: str, *, match: str | None = None, **fields: object) -> None:
        """Queue an answer; with ``match`` it answers only prompts that the pattern fits, as often as they come."""
        entry = {"text": text, **fields}
        self._session.mock(entry if match is None else {"match": match, **entry})

    def fail(self, category: str, message: str = "", *, match: str | None = None, **fields: object) -> None:
        """Queue a failure such as ``rate_limit``, ``timeout`` or ``auth``."""
        error = {"category": category, "message": message or category, **fields}
        self._session.mock({"error": error} if match is None else {"match": match, "error": error})

    @property
    def calls(self) -> list[dict[str, object]]:
        """The calls that were answered so far."""
        return self._session.mocked_calls()


@pytest.fixture
def harn_mock(harn_session: Session) -> MockModel:
    """Give the mocked model of ``harn_session``."""
    return MockModel(harn_session)


class VirtualClock:
    """The virtual clock of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def now_ms(self) -> int:
        """The Unix time in ms."""
        return self._session.now_ms

    def advance(self, ms: int) -> None:
        """Move the clock on."""
        self._session.advance(ms)


@pytest.fixture
def harn_clock(harn_session: Session) -> VirtualClock:
    """Give the virtual clock of ``harn_session``."""
    return VirtualClock(harn_session)


@pytest.fixture
def harn_tape() -> Callable[[str | os.PathLike[str]], TapeOptions]:
    """Give ``tape(path)``: options of a session that replays the tape, or records it when it is not there yet.

    The variable ``HARNPY_RECORD=1`` records it anew.
    """

    def tape(path: str | os.PathLike[str]) -> TapeOptions:
        name = os.fspath(path)
        if os.path.exists(name) and not os.environ.get("HARNPY_RECORD"):
            return {"llm_mock": name}
        return {"llm_mock_record": name}

    return tape
