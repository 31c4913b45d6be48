"""Loads Harn programs and calls their functions from Python."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from harnpy.options import Options
from harnpy.runtime.calls import call
from harnpy.runtime.limits import run_in_thread
from harnpy.runtime.program import Loader
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


def inside_a_run(work: Callable[[Any], Any]) -> Any:
    """Give ``work(context)``, called as the main program of a run of its own."""
    context = Session(Options(), memory_streams()[0]).context
    return run_in_thread(context, lambda: work(context))


def load(context: Any, name: str) -> Callable[[Any], Any]:
    """Give the function ``bench`` of a program as a Python function."""
    path = os.path.join(PROGRAMS, name + ".harn")
    with open(path, encoding="utf-8") as file:
        return load_text(context, path, file.read())


def load_text(context: Any, path: str, text: str) -> Callable[[Any], Any]:
    """Give the function ``bench`` of a program's text as a Python function."""
    loader = context.loader = Loader(context)
    cell = loader.load_entry(Source(path, text)).lookup("bench")
    assert cell is not None, f"{path} has no fn bench"
    return lambda size: call(context, cell[0], [size])
