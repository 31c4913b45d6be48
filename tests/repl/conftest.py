"""Commands on pseudo-terminals for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pseudo_terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Start a command on a terminal: ``terminal("run", "a.harn", TERM="dumb")``; without words, the REPL."""
    made: list[Terminal] = []

    def make(*arguments: str, **settings: object) -> Terminal:
        made.append(Terminal(tmp_path, *(arguments or ("repl",)), **settings))
        return made[-1]

    yield make
    for each in made:
        each.end()
