"""Conformance cases: finds them, runs each in a session of its own, compares, and writes expectations."""

from __future__ import annotations

import os
import stat
from difflib import unified_diff

import click

from harnpy.analysis.modules import read_source
from harnpy.cli.program import run
from harnpy.cli.run import run as run_command
from harnpy.cli.run import run_options
from harnpy.streams import memory_streams

# A program that hangs fails with exit code 124 instead of stopping the whole run.
TIME_LIMIT = 30.0
# Folders of modules that programs import; what stands there is no program.
MODULE_FOLDER = "lib"
EXIT_LINE = "exit: "


class Case:
    """One program; ``stem`` is its path without ``.harn``."""

    __slots__ = ("path", "stem")

    def __init__(self, path: str) -> None:
        self.path = path
        self.stem = path[: -len(".harn")]

    def read(self, suffix: str) -> str | None:
        """Give the text of the file beside the program, or ``None`` where there is none."""
        try:
            with open(self.stem + suffix, encoding="utf-8", errors="replace", newline="") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def words(self) -> list[str]:
        """Give what stands behind ``harnpy run NAME.harn`` on the command line."""
        words = (self.read(".args") or "").splitlines()
        for option, suffix in (("--llm-mock", ".llm-mock.jsonl"), ("--harness", ".harness.json")):
            if os.path.exists(self.stem + suffix):
                words = [option, self.stem + suffix, *words]
        return words

    def environment(self) -> dict[str, str]:
        """Give the whole environment that the program sees."""
        lines = (self.read(".env") or "").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)


class Outcome:
    """What a program did."""

    __slots__ = ("code", "err", "out")

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


def find_cases(path: str) -> list[Case]:
    """Give the cases in the folder ``path`` and below it, or the one that is ``path``, in order.

    An expectation without a program is a case too: the program is missing, or a folder.
    """
    if os.path.isfile(path):
        return [Case(path)]
    found = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name != MODULE_FOLDER)
        names = [name for name in files if name.endswith((".harn", ".expected", ".error"))]
        stems = {name.rpartition(".")[0] for name in names if not is_pipe(os.path.join(folder, name))}
        found += [Case(os.path.join(folder, stem + ".harn")) for stem in sorted(stems)]
    return found


def is_pipe(path: str) -> bool:
    """Tell whether reading ``path`` would wait for a writer: whoever looks through a folder leaves it out."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def run_case(case: Case) -> Outcome:
    """Run ``case`` in this process by the code that ``harnpy run`` uses."""
    try:
        parsed = run_command.make_context("run", [case.path, *case.words()])
        options = run_options(parsed.params)
    except click.ClickException as refused:
        return Outcome(refused.exit_code, "", refused.format_message() + "\n")
    options.env = case.environment()
    if options.time_limit is None:
        options.time_limit = TIME_LIMIT
    streams, out, err = memory_streams()
    code = run(lambda: read_source(case.path), options, streams)
    return Outcome(code, "".join(out), "".join(err))


def failure(case: Case, outcome: Outcome) -> str:
    """Say how ``outcome`` differs from what ``case`` asks for; empty when it does not."""
    expected, errors = case.read(".expected"), case.read(".error")
    if (expected is None) == (errors is None):
        return "it needs exactly one of .expected and .error\n"
    report = _wrong_output(expected, outcome) if expected is not None else _wrong_error(errors or "", outcome)
    if report and outcome.err:
        report += "stderr:\n" + outcome.err
    return report


def bless(case: Case, outcome: Outcome) -> None:
    """Write what ``case`` did as its expectation; an ``.error`` file that holds is kept."""
    if outcome.code == 0:
        keep, drop, text = ".expected", ".error", outcome.out
    else:
        keep, drop = ".error", ".expected"
        text = outcome.err.split("\n", 1)[0] + "\n"
        if case.read(".error") is not None and not failure(case, outcome):
            return
    if os.path.exists(case.stem + drop):
        os.remove(case.stem + drop)
    with open(case.stem + keep, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _wrong_output(expected: str, outcome: Outcome) -> str:
    report = "" if outcome.code == 0 else f"exit code {outcome.code} instead of 0\n"
    if outcome.out != expected:
        wanted, printed = (text.replace("\r", "\\r").splitlines(keepends=True) for text in (expected, outcome.out))
        lines = unified_diff(wanted, printed, "expected", "printed")
        report += "".join(line if line.endswith("\n") else line + "\n\\ no line break at the end\n" for line in lines)
    return report


def _wrong_error(errors: str, outcome: Outcome) -> str:
    lines = [line for line in errors.splitlines() if line]
    codes = [line for line in lines if line.startswith(EXIT_LINE)]
    wrong = [line for line in codes if line[len(EXIT_LINE) :].strip() != str(outcome.code)]
    report = "".join(f"exit code {outcome.code}, but {line!r} is asked for\n" for line in wrong)
    if outcome.code == 0 and not codes:
        report += "exit code 0, but an error is expected\n"
    text = outcome.out + outcome.err
    report += "".join(f"not in the output: {line}\n" for line in lines if line not in codes and line not in text)
    if report and outcome.out:
        report += "stdout:\n" + outcome.out
    return report
