"""What all runs of a process share stands runs in several threads: nobody sees a part, or takes what others need."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from harnpy.analysis import modules
from harnpy.capabilities import globals as global_functions
from harnpy.events import redact
from harnpy.runtime import shapes
from harnpy.runtime.limits import enter_run, leave_run
from harnpy.source import Source


def test_loading_a_program_takes_no_room_from_a_run_that_began_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.getrecursionlimit()
    load = modules._GraphLoader.load_entry

    def load_while_a_run_begins(loader: Any, source: Source, module: Any) -> Any:
        enter_run(1000)
        return load(loader, source, module)

    monkeypatch.setattr(modules._GraphLoader, "load_entry", load_while_a_run_begins)
    modules.load_graph(Source("<text>", "println(1)"))
    assert sys.getrecursionlimit() >= 60_000
    leave_run()
    assert sys.getrecursionlimit() == before


def test_a_name_is_guarded_while_another_thread_reads_the_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(global_functions, "_owners", {})
    parse, seen = global_functions.parse, []

    def parse_while_another_asks(entries: str) -> dict[str, str]:
        if len(seen) == 1:  # one member has been read
            seen.append(None)
            seen[1] = global_functions.owner("exec")
        elif not seen:
            seen.append(None)
        return parse(entries)

    monkeypatch.setattr(global_functions, "parse", parse_while_another_asks)
    assert global_functions.owner("exec") == ("process", "exec")
    assert seen[1] == ("process", "exec")


def test_patterns_of_secrets_are_the_same_three_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "_patterns", [])
    compile_one, nested = re.compile, []

    def compile_while_another_does(pattern: str, flags: int = 0) -> re.Pattern[str]:
        if not nested:
            nested.append(True)
            redact.redact_text("Authorization: Bearer abc123")
        return compile_one(pattern, flags)

    monkeypatch.setattr(re, "compile", compile_while_another_does)
    assert redact.redact_text("Authorization: Bearer abc123") == "Authorization: Bearer [redacted]"
    assert redact.redact_text("key: sk-abcdefgh") == "key: [redacted]"


class _Growing(dict[str, bytes]):
    """Kept code; whoever looks into it sees other threads compile."""

    def __contains__(self, source: object) -> bool:
        shapes._made[f"# {len(shapes._made)}"] = compile("1", "<test>", "exec")
        return super().__contains__(source)


def test_code_may_be_made_while_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harnpy.analysis.cache.store_data", lambda name, body: None)
    monkeypatch.setattr(shapes, "_made", {f"{number}": compile("1", "<test>", "exec") for number in range(20)})
    monkeypatch.setattr(shapes, "_kept", _Growing())
    monkeypatch.setattr(shapes, "_used", {})
    shapes.keep()
