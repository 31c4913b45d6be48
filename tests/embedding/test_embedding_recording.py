"""``llm_mock_record`` of a session keeps the calls of all its runs, and the tape replays them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import harnpy

ASK = 'fn ask(q) { return harness.llm.call(q, nil, {provider: "mine"}).text }\n'


def live(request: dict[str, object]) -> str:
    return "live " + str(request["messages"][-1]["content"])  # type: ignore[index]


def use(session: harnpy.Session) -> list[object]:
    """Run twice, load and call, and run once in a loop."""
    module = session.load(ASK + 'const first = ask("load")')
    return [
        session.run(ASK + 'return ask("one")').value,
        session.run(ASK + 'return ask("two")').value,
        module["first"],
        module.call("ask", "call"),
        asyncio.run(session.arun(ASK + 'return ask("loop")')).value,
    ]


def test_every_run_of_a_session_is_recorded(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    with harnpy.Session(providers={"mine": live}, llm_mock_record=tape) as session:
        recorded = use(session)
        assert len(tape.read_text().splitlines()) == 6  # each call is there as soon as it has ended
    assert recorded == ["live one", "live two", "live load", "live call", "live loop"]
    with harnpy.Session(providers={"mine": lambda request: "never"}, llm_mock=tape) as session:
        assert use(session) == recorded
        with pytest.raises(harnpy.HarnError, match="No --llm-mock fixture matched prompt"):
            session.run(ASK + 'return ask("more")')


def test_a_failed_run_does_not_end_the_recording(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    with harnpy.Session(providers={"mine": live}, llm_mock_record=tape) as session:
        with pytest.raises(harnpy.HarnError):
            session.run(ASK + 'ask("one")\nthrow "no"')
        session.run(ASK + 'ask("two")')
    assert len(tape.read_text().splitlines()) == 3


def test_one_run_records_as_well(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    harnpy.run(ASK + 'return ask("x")', providers={"mine": live}, llm_mock_record=tape)
    assert harnpy.run(ASK + 'return ask("x")', llm_mock=tape, providers={"mine": live}).value == "live x"


def test_a_tape_that_cannot_be_written_any_more_fails_the_call(tmp_path: Path) -> None:
    folder = tmp_path / "tapes"
    folder.mkdir()
    with harnpy.Session(providers={"mine": live}, llm_mock_record=folder / "tape.jsonl") as session:
        (folder / "tape.jsonl").unlink()
        folder.rmdir()
        with pytest.raises(harnpy.HarnError, match=r"cannot write .*tape\.jsonl"):
            session.run(ASK + 'ask("one")')
