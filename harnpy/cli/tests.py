"""Finds the tests of Harn programs and runs each in a session of its own, with its output captured."""

from __future__ import annotations

import os
from time import perf_counter

from harnpy.analysis import resolved
from harnpy.analysis.modules import load_source, read_source
from harnpy.cli.cases import is_pipe
from harnpy.cli.interrupts import run_session, stopping
from harnpy.errors import RejectedProgram
from harnpy.session import TIME_LIMIT_PASSED, Session
from harnpy.streams import memory_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.options import Options
    from harnpy.source import Source

_PREFIX = "test_"
_MARKS = ("@test", _PREFIX)


class HarnTest:
    """One test of a file, or with an empty name the file itself, which cannot be read (``fault`` says why)."""

    __slots__ = ("fault", "name", "path", "source")

    def __init__(self, path: str, name: str, source: Source | None, fault: str = "") -> None:
        self.path = path
        self.name = name
        self.source = source
        self.fault = fault

    @property
    def full_name(self) -> str:
        """Give ``path::name``."""
        return f"{self.path}::{self.name}" if self.name else self.path


class Result:
    """How a test went; an empty ``reason`` means that it passed."""

    __slots__ = ("err", "interrupted", "out", "reason", "seconds", "test")

    def __init__(self, test: HarnTest, reason: str, seconds: float = 0.0, out: str = "", err: str = "") -> None:
        self.test = test
        self.reason = reason
        self.seconds = seconds
        self.out = out
        self.err = err
        self.interrupted = False


def find_tests(path: str) -> list[HarnTest]:
    """Give the tests of a file, or of all files in a folder and below it, in order."""
    if os.path.isfile(path):
        return _tests_of(path, must_be_read=True)
    found = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            full = os.path.normpath(os.path.join(folder, name))
            if name.endswith(".harn") and not is_pipe(full):
                found += _tests_of(full, must_be_read=False)
    return found


def _tests_of(path: str, *, must_be_read: bool) -> list[HarnTest]:
    """Give the tests of one file; what cannot be read matters only where tests are to be expected."""
    try:
        source = read_source(path)
        if not must_be_read and not any(mark in source.text for mark in _MARKS):
            return []
        module = load_source(source)
    except RejectedProgram as rejected:
        from harnpy.render import render

        return [HarnTest(path, "", None, "".join(render(finding) for finding in rejected.diagnostics))]
    return [HarnTest(path, name, source) for name in _names(module)]


def _names(module: resolved.Module) -> list[str]:
    """Give the pipelines and functions that are tests; one that is only named so needs no more than the harness."""
    names = [pipeline.name for pipeline in module.pipelines if pipeline.test]
    for declaration in module.declarations:
        if isinstance(declaration, resolved.DeclareFn):
            function = declaration.function
            marked = any(name == "test" for name, _ in declaration.attributes)
            if marked or (function.name.startswith(_PREFIX) and len(function.params) <= 1):
                names.append(function.name)
    return names


def run_test(test: HarnTest, options: Options) -> Result:
    """Run one test in a session of its own."""
    if test.source is None:
        return Result(test, "it cannot be read", err=test.fault)
    source = test.source
    replies = test.path.removesuffix(".harn") + ".llm-mock.jsonl"
    if os.path.exists(replies):
        options.llm_mock = replies
    streams, out, err = memory_streams()
    session = Session(options, streams)
    session.context.services["entry"] = test.name
    started = perf_counter()
    try:
        code = run_session(session, lambda: source)
    finally:
        session.close()
    result = Result(test, _reason(code), perf_counter() - started, "".join(out), "".join(err))
    result.interrupted = stopping.code != 0
    return result


def _reason(code: int) -> str:
    if code == 0:
        return ""
    if code == TIME_LIMIT_PASSED:
        return "timeout"
    return "failed" if code == 1 else f"exit code {code}"
