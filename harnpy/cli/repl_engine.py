"""Evaluates the inputs of the REPL in one session and prints their values and errors."""

from __future__ import annotations

import os
from time import perf_counter

from harnpy.builtins.json_writing import quoted
from harnpy.errors import ControlSignal, Exit, HarnError, Interrupted, RejectedProgram, TimeLimit
from harnpy.fault import fault_text
from harnpy.render import render
from harnpy.report import uncaught
from harnpy.runtime.console import Console
from harnpy.runtime.display import display
from harnpy.runtime.limits import run_in_thread
from harnpy.runtime.tasks import Scheduler
from harnpy.session import Session, release
from harnpy.source import Source
from harnpy.streams import Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.options import Options

LAST_VALUE, LAST_ERROR = "_", "_e"
# So many characters of a value are printed at once.
_PIECE = 8192


class Engine:
    """The session behind the prompt; it survives every error and interrupt."""

    def __init__(self, options: Options, streams: Streams) -> None:
        self._options = options
        self.at_start_of_line = True
        self.streams = Streams(self._printing(streams.write_out), streams.write_err, streams.read_line)
        self.streams.colour = streams.colour
        self._number = 0
        self._running: Scheduler | None = None
        self._presses = 0
        self.reset()

    def reset(self) -> None:
        """Begin again with an empty session."""
        self._session = Session(self._options, self.streams)
        self.context = self._session.context
        self.console = Console(self.context)
        self.console.define(LAST_VALUE, None)
        self.console.define(LAST_ERROR, None)
        self._guarded(self._session.prepare)

    def close(self) -> None:
        """Release what the session holds."""
        self._session.close()

    def _printing(self, write: Callable[[str], None]) -> Callable[[str], None]:
        def write_out(text: str) -> None:
            if text:
                self.at_start_of_line = text.endswith("\n")
            write(text)

        return write_out

    def begin_line(self) -> None:
        """Go to a new line if a program has printed the beginning of one."""
        if not self.at_start_of_line:
            self.streams.write_out("\n")

    def listen(self) -> None:
        """Begin to wait for an input: what was pressed before it concerned others."""
        self._presses = 0

    def interrupt(self) -> None:
        """Stop the input that runs, or that is about to; called again it breaks off the clean-up as well."""
        self._presses += 1
        scheduler = self._running
        if scheduler is not None:
            scheduler.interrupt() if self._presses == 1 else scheduler.hurry()

    @property
    def interrupted(self) -> bool:
        """Tell whether the last input was to be stopped."""
        return self._presses > 0

    def run(self, text: str, path: str = "", *, timed: bool = False) -> None:
        """Run an input and print its value, or what is wrong with it.

        Raises:
            Exit: The program called ``exit``.
        """
        began = perf_counter()
        self.evaluate(text, self._show, path)
        if timed:
            self.streams.write_out(f"{(perf_counter() - began) * 1000:.1f} ms\n")

    def evaluate(self, text: str, use: Callable[[Any], None], path: str = "") -> bool:
        """Run an input and have ``use`` get its value; what is wrong with it is printed, and the answer is False."""
        self._number += 1
        source = Source(path or f"<input {self._number}>", text)
        if path:
            self.console.forget(path)
        return self._guarded(lambda: self._run_apart(source, use)) is not None

    def _run_apart(self, source: Source, use: Callable[[Any], None]) -> bool:
        context = self.context
        context.depth = context.tail_run = 0
        scheduler = context.scheduler = Scheduler(context)

        def main() -> None:
            try:
                value = self.console.run(source)
                if value is not None:
                    self.console.define(LAST_VALUE, value)
                use(value)
                self._tell_of_tasks(len(scheduler.live))
            finally:
                release(context)

        self._running = scheduler
        try:
            if self._presses:
                scheduler.interrupt()
            run_in_thread(context, main)
        finally:
            self._running = None
        return True

    def _show(self, value: Any) -> None:
        """Print a value, in pieces so that Ctrl-C ends also a long one."""
        if value is None:
            return
        text = shown(value) + "\n"
        self.begin_line()
        try:
            for start in range(0, len(text), _PIECE):
                if self.context.stop is not None:
                    self.context.stop()
                self.streams.write_out(text[start : start + _PIECE])
        except Interrupted:
            self.streams.write_out("\n")
            raise

    def _tell_of_tasks(self, count: int) -> None:
        if count:
            tasks = "1 task" if count == 1 else f"{count} tasks"
            self.streams.write_err(f"{tasks} still ran and ended with this input; await them in the same one\n")

    def _guarded(self, action: Callable[[], Any]) -> Any:
        write, colour = self.streams.write_err, self.streams.colour
        try:
            return action()
        except HarnError as error:
            self.console.define(LAST_ERROR, error.value)
            write(render(uncaught(error), colour=colour))
        except RejectedProgram as error:
            first = error.diagnostics[0]
            self.console.define(LAST_ERROR, {"code": first.code, "message": first.message})
            write("".join(render(finding, colour=colour) for finding in error.diagnostics))
        except Interrupted:
            write("interrupted\n")
        except TimeLimit:
            write("the time limit passed\n")
        except Exit:
            raise
        except (Exception, ControlSignal) as fault:  # noqa: BLE001 (the session lives on)
            write(fault_text(fault))
        return None

    def load(self, path: str) -> None:
        """Run a file as if it had been typed in; one that fails changes no name."""
        from harnpy.analysis.modules import read_source

        source = self._guarded(lambda: read_source(path))
        if source is not None:
            self.context.services["source_dir"] = os.path.dirname(os.path.abspath(source.path))
            restore = self.console.checkpoint()
            if not self.evaluate(source.text, self._show, source.path):
                restore()

    def mock(self, path: str) -> None:
        """Answer model calls from a file of scripted replies from now on."""
        from harnpy.capabilities.llm_mocks import load_mock_file

        try:
            count = load_mock_file(self.context, path)
        except HarnError as error:
            self.streams.write_err(f"{display(error.value).removeprefix('--llm-mock: ')}\n")
        else:
            self.streams.write_out(f"{count} scripted {'reply' if count == 1 else 'replies'}\n")

    def cost(self) -> str:
        """Tell what the model calls of the session cost."""
        models = self.context.services.get("llm")
        if models is None:
            return "no model calls"
        used = models.totals.session_cost()
        tokens = f"{used['input_tokens']} tokens in, {used['output_tokens']} out"
        calls = "1 call" if used["call_count"] == 1 else f"{used['call_count']} calls"
        return f"{calls}, {tokens}, {used['total_cost']:.6f} USD"


def shown(value: Any) -> str:
    """Give the text of a value at the prompt: a string with its quotes."""
    return quoted(value) if type(value) is str else display(value)
