"""Wires one run: context, clock, scheduler, limits, capabilities, events; the object that embedders use."""

from __future__ import annotations

import os

from harnpy.analysis.modules import project_root
from harnpy.builtins import registry
from harnpy.capabilities import globals
from harnpy.capabilities.harness import build_harness, event_log_handle, stream_handle
from harnpy.capabilities.policy import Policy
from harnpy.errors import ControlSignal, Exit, HarnError, Interrupted, RejectedProgram, TimeLimit
from harnpy.events.redact import register_later
from harnpy.fault import INTERNAL_FAULT, fault_text
from harnpy.runtime import shapes
from harnpy.runtime.clock import Clock
from harnpy.runtime.context import Context
from harnpy.runtime.limits import Limits, run_in_thread
from harnpy.runtime.program import run_program
from harnpy.runtime.tasks import Scheduler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.events.bus import EventBus
    from harnpy.options import Options
    from harnpy.source import Source
    from harnpy.streams import Streams

FAILED, TIME_LIMIT_PASSED, INTERRUPTED = 1, 124, 130

# Seconds; a limit beyond this is none.
_LONGEST_LIMIT = 1e12


class Session:
    """One run of one program, from its options to its exit code."""

    def __init__(self, options: Options, streams: Streams) -> None:
        self._options = options
        self._streams = streams
        self._closing: list[Callable[[], None]] = []
        self._sidecar: Any = None
        self.context = self._make_context()

    def run(self, read: Callable[[], Source]) -> int:
        """Run the program that ``read`` gives, report what went wrong, and give the exit code."""
        try:
            try:
                return self._run(read)
            except (RejectedProgram, HarnError) as error:
                return self.report(error)
        except Exit as end:
            return end.code
        except Interrupted:
            return INTERRUPTED
        except TimeLimit as limit:
            passed = str(limit) or f"the time limit of {self._options.time_limit:g} s passed"
            self.conclude(f"error: {passed}\n")
            return TIME_LIMIT_PASSED
        except (Exception, ControlSignal) as fault:  # noqa: BLE001 (the user never sees a Python traceback)
            self.conclude(fault_text(fault))
            return INTERNAL_FAULT

    def conclude(self, text: str) -> None:
        """Say in whole lines why the run did not end well, when no place in the program is to blame."""
        self._streams.write_err(text)

    def interrupt(self) -> None:
        """Stop the run from any thread; its clean-up runs first."""
        self.context.scheduler.interrupt()

    def hurry(self) -> None:
        """Stop the run and its clean-up from any thread."""
        self.context.scheduler.hurry()

    def advance(self, ms: int) -> None:
        """Move the virtual clock on, from any thread: waits end, and deadlines pass, also those of calls in flight."""
        self.context.clock.advance(ms)
        self.context.scheduler.ring()

    def close(self) -> None:
        """Release what the run holds open."""
        models = self.context.services.get("llm")
        if models is not None:
            models.close()
        while self._closing:
            self._closing.pop()()

    def _run(self, read: Callable[[], Source]) -> int:
        self.prepare()
        source = read()
        context = self.context
        if os.path.isfile(source.path):
            folder = context.services["source_dir"] = os.path.dirname(os.path.abspath(source.path))
            if "policy" in context.services:
                context.services["policy"].let_read(project_root(folder) or folder)
        try:
            code: int = run_in_thread(context, lambda: _run_to_end(context, source))
        except Exit as end:
            code = end.code
        return self._expected(code)

    def _expected(self, code: int) -> int:
        """Give the exit code of a program that ended by itself: not 0 when a mock harness saw something else."""
        problems = self._sidecar.problems() if self._sidecar is not None else []
        for problem in problems:
            self.conclude(f"error: harness: {problem}\n")
        return code or (FAILED if problems else 0)

    def _make_context(self) -> Context:
        options, streams = self._options, self._streams
        context = Context()
        context.argv = list(options.argv)
        context.write_out = streams.write_out
        context.write_err = streams.write_err
        context.read_line = streams.read_line
        context.find_builtin = globals.function
        context.find_method = registry.method
        context.builtins = registry
        context.harness = build_harness()
        context.predefined = {"event_log": event_log_handle(), "stream": stream_handle()}
        context.events = Late(lambda: _events(streams))
        context.random = Late(lambda: _random(options.seed))
        context.clock = Clock()
        if options.virtual_time is not None:
            context.clock.mock(options.virtual_time)
        context.limits = _limits(options)
        context.max_depth = context.limits.call_depth
        context.scheduler = Scheduler(context)
        if options.env is not None:
            context.services["env"] = dict(options.env)
        register_later(lambda: _register_secrets(options.env))
        if options.no_cache:
            context.services["module_cache"] = False
        if options.deny or not options.no_sandbox:
            context.services["policy"] = _policy(options)
        return context

    def prepare(self) -> None:
        """Do what may fail with a report: open the files that the options name."""
        options = self._options
        if options.events is not None:
            from harnpy.events.log import JsonlWriter

            try:
                writer = JsonlWriter(options.events)
            except OSError as error:
                raise HarnError(f"cannot write events to {options.events}: {error.strerror}") from None
            self._closing.append(writer.close)
            self.context.events.add_sink(writer.write)
        if options.llm_mock is not None:
            from harnpy.capabilities.llm_mocks import load_mock_file

            load_mock_file(self.context, options.llm_mock)
        if options.llm_mock_record is not None:
            from harnpy.capabilities.llm_mocks import record_mock_file

            record_mock_file(self.context, options.llm_mock_record)
        if options.harness is not None:
            from harnpy.capabilities.sidecar import load_sidecar

            self._sidecar = load_sidecar(self.context, options.harness)

    def report(self, error: RejectedProgram | HarnError) -> int:
        """Say what ended the run, and give its exit code."""
        from harnpy.render import render
        from harnpy.report import uncaught

        findings = error.diagnostics if isinstance(error, RejectedProgram) else [uncaught(error)]
        for finding in findings:
            self._streams.write_err(render(finding, colour=self._streams.colour))
        return FAILED


def _run_to_end(context: Context, source: Source) -> int:
    """Run the program, then release what it used while the run still goes on."""
    try:
        return run_program(context, source)
    finally:
        release(context)


def release(context: Context, *, keep: bool = False) -> None:
    """Keep and close what a run has used; called inside the run, because connections need its event loop.

    ``keep``: connections stay open for the next run.
    """
    if context.services.get("module_cache", True):
        shapes.keep()
    models = context.services.get("llm")
    if models is not None:
        models.end_run(keep=keep)
    for close in context.services.pop("at_end", ()):
        close()


class Late:
    """Stands for an object of the run that is made, and whose module is imported, when first used."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, name)


def _register_secrets(env: dict[str, str] | None) -> None:
    from harnpy.llm.secrets import register_environment

    register_environment(os.environ if env is None else env)


def _random(seed: int | None) -> Any:
    from random import Random

    return Random(seed)


def _events(streams: Streams) -> EventBus:
    from harnpy.events.bus import EventBus

    return EventBus(lambda text: streams.write_err(f"warning: {text}\n"))


def _limits(options: Options) -> Limits:
    limits = Limits()
    if options.max_depth is not None:
        limits.call_depth = options.max_depth
    if options.time_limit is not None:
        limits.wall_ms = round(min(_LONGEST_LIMIT, options.time_limit) * 1000)
    limits.steps = options.limits.get("steps")
    limits.max_string = options.limits.get("text", limits.max_string)
    limits.max_list = options.limits.get("list", limits.max_list)
    return limits


def _policy(options: Options) -> Policy:
    """Let the program reach the files of its project, and what the options grant.

    Without the sandbox nothing is refused but what the options deny.
    """
    if options.no_sandbox:
        return Policy(deny=options.deny, network=True, processes=True)
    root = project_root(os.getcwd()) or os.getcwd()
    return Policy(
        allow=options.allow,
        deny=options.deny,
        read_roots=[root, *options.write_root],
        write_roots=options.write_root or [root],
    )
