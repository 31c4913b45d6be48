"""Pytest fixtures for code that embeds harnpy; pytest finds them by itself where harnpy is installed."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.embedding import Session
    from harnpy.embedding_options import SessionOptions

# No model call of a test leaves the machine, and none needs a key.
OFFLINE = {"HARN_LLM_PROVIDER": "mock", "HARN_LLM_CALLS_DISABLED": "1"}

_passed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note whether a test passed: fixtures say nothing more about one that failed, and keep no half of a tape."""
    report = yield
    if report.when == "call":
        item.stash[_passed] = report.passed
    return report


@pytest.fixture
def harn_options() -> SessionOptions:
    """Give more options for ``harn_session``; a project overrides this fixture with its own."""
    return {}


@pytest.fixture
def harn_session(harn_options: SessionOptions) -> Iterator[Session]:
    """Give a session that no test can disturb: virtual clock at 0, fixed seed, no environment, mocked model."""
    from harnpy.embedding import Session

    options: SessionOptions = {"virtual_time": 0, "seed": 0, "env": OFFLINE}
    options.update(harn_options)
    with Session(**options) as session:
        yield session


class MockModel:
    """The mocked model of a session.

    A test that passes fails after all when a queued answer was not used, or when a call found none: set ``strict`` to
    ``False`` where that is meant.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.strict = True

    def reply(self, text: str, *, match: str | None = None, **fields: object) -> None:
        """Queue an answer; with ``match`` it answers only prompts that the pattern fits, as often as they come."""
        self._queue({"text": text, **fields}, match)

    def call_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, match: str | None = None, **fields: object
    ) -> None:
        """Queue an answer in which the model calls a tool."""
        number = len(self.calls) + len(self._session.unused_mocks()) + 1
        call = {"id": f"call_{number}", "name": name, "arguments": dict(arguments or {})}
        self._queue({"text": "", "tool_calls": [call], **fields}, match)

    def fail(self, category: str, message: str = "", *, match: str | None = None, **fields: object) -> None:
        """Queue a failure such as ``rate_limit``, ``timeout`` or ``auth``.

        Raises:
            ValueError: There is no such category.
        """
        from harnpy.embedding_checks import check_category

        check_category(category)
        self._queue({"error": {"category": category, "message": message or category, **fields}}, match)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls that were answered so far."""
        return self._session.mocked_calls()

    @property
    def prompts(self) -> list[str]:
        """The last message of each call so far."""
        return [_text(call["messages"][-1]["content"]) for call in self.calls if call["messages"]]

    def check(self) -> None:
        """Fail when a queued answer was not used, or a call found none."""
        left, missing = self._session.unused_mocks(), self._session.unmocked_calls()
        lines = [f"  never used: {_shown(entry)}" for entry in left]
        lines += [f"  no answer was queued for the call: {_short(prompt)}" for prompt in missing]
        if lines:
            count = len(self.calls)
            asked = f"the model was called {count} time{'' if count == 1 else 's'}"
            pytest.fail("\n".join([f"harn_mock: {asked}", *lines]), pytrace=False)

    def _queue(self, entry: dict[str, object], match: str | None) -> None:
        self._session.mock(entry if match is None else {"match": match, **entry})


def _text(content: Any) -> str:
    return content if isinstance(content, str) else " ".join(str(block.get("text", "")) for block in content)


def _short(text: str) -> str:
    return repr(text if len(text) <= 200 else text[:200] + "...")


def _shown(entry: Mapping[str, Any]) -> str:
    said = ", ".join(f"{name}={_short(str(value)) if name == 'text' else value}" for name, value in entry.items())
    return f"({said})"


@pytest.fixture
def harn_mock(harn_session: Session, request: pytest.FixtureRequest) -> Iterator[MockModel]:
    """Give the mocked model of ``harn_session``."""
    model = MockModel(harn_session)
    yield model
    if model.strict and request.node.stash.get(_passed, False):
        model.check()


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


class TapeOptions(TypedDict, total=False):
    """The options of a session that replays a tape or records it."""

    llm_mock: str
    llm_mock_record: str


class Tape:
    """Gives a test its recordings: ``tape(path)`` is the options of a session that replays one, or makes it.

    A test that passes fails after all when a call was not the one that a recording has: set ``strict`` to ``False``
    where that is meant.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._recorded: dict[Path, Path] = {}
        self._replayed: set[str] = set()
        self._misses: list[str] = []
        self.strict = True

    def __call__(self, path: str | os.PathLike[str] | None = None) -> TapeOptions:
        """Give the options for the tape ``path``, else ``tapes/NAME_OF_THE_TEST.jsonl``."""
        name = re.sub(r"[^\w.-]+", "_", self._request.node.name) + ".jsonl"
        target = self._request.path.parent / (Path("tapes", name) if path is None else path)
        if target in self._recorded:
            return self._replay(self._recorded[target])
        if target.exists() and not os.environ.get("HARNPY_RECORD"):
            return self._replay(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = self._recorded[target] = target.with_name(f"{target.name}.{os.getpid()}.new")
        return {"llm_mock_record": str(beside)}

    def _replay(self, path: Path) -> TapeOptions:
        self._replayed.add(str(path))
        return {"llm_mock": str(path)}

    def heard(self, path: str, text: str) -> None:
        """Take note of a call that a file did not answer."""
        if path in self._replayed:
            self._misses.append(f"harn_tape: {path}: {text}")

    def close(self) -> None:
        """Keep what a test that passed has recorded, and fail it when a call differed from a recording."""
        passed = self._request.node.stash.get(_passed, False)
        for target, beside in self._recorded.items():
            if not passed:
                beside.unlink(missing_ok=True)
            elif beside.exists():
                beside.replace(target)
        if passed and self.strict and self._misses:
            pytest.fail("\n".join([*self._misses, "  record it again with HARNPY_RECORD=1"]), pytrace=False)


@pytest.fixture
def harn_tape(request: pytest.FixtureRequest) -> Iterator[Tape]:
    """Give ``tape(path)``: options of a session that replays the tape, or records it when it is not there yet.

    Without a path it is ``tapes/NAME_OF_THE_TEST.jsonl``; a relative path begins at the folder of the test's file. The
    variable ``HARNPY_RECORD=1`` records it anew. The recording of a test that fails is dropped. A test whose calls
    differ from the recording fails, whatever its program made of that (``harn_tape.strict = False`` where it is meant).
    """
    from harnpy.capabilities.llm_mocks import MISS_LISTENERS

    tape = Tape(request)
    MISS_LISTENERS.append(tape.heard)
    yield tape
    MISS_LISTENERS.remove(tape.heard)
    tape.close()
