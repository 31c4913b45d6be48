"""The options of a session as a type, for functions that pass them on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

from harnpy.embedding_protocols import HostClock
from harnpy.embedding_providers import Provider
from harnpy.embedding_shared import Shared


class SessionOptions(TypedDict, total=False):
    """What ``Session`` takes."""

    functions: Mapping[str, Callable[..., Any]] | None
    tools: Iterable[Callable[..., Any]]
    providers: Mapping[str, Provider] | None
    clock: HostClock | None
    shared: Shared | None
    argv: Iterable[str]
    env: Mapping[str, str] | None
    stdin: str
    llm_mock: str | os.PathLike[str] | None
    llm_mock_record: str | os.PathLike[str] | None
    seed: int | None
    virtual_time: int | None
    time_limit: float | None
    max_depth: int | None
    max_steps: int | None
    max_cost: float | None
    allow: Iterable[str]
    deny: Iterable[str]
    read_roots: Iterable[str | os.PathLike[str]]
    write_roots: Iterable[str | os.PathLike[str]]
    sandbox: bool
    on_event: Callable[[dict[str, Any]], None] | None
