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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.options import Options
    from harnpy.streams import Streams

LAST_VALUE, LAST_ERROR = "_", "_e"


class Engine:
    """The session behind the prompt; it survives every error and interrupt."""

    def __init__(self, options: Options, streams: Streams) -> None:
        self._options = options
        self.streams = streams
        self._number = 0
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

    def run(self, text: str, path: str = "", *, timed: bool = False) -> None:
        """Run an input and print its value, or what is wrong with it.

        Raises:
            Exit: The program called ``exit``.
        """
        began = perf_counter()
        value = self.evaluate(text, path)
        if value is not None:
            self.streams.write_out(shown(value) + "\n")
        if timed:
            self.streams.write_out(f"{(perf_counter() - began) * 1000:.1f} ms\n")

    def evaluate(self, text: str, path: str = "") -> Any:
        """Run an input and give its value; what is wrong with it is printed, and the value is ``None``."""
        self._number += 1
        source = Source(path or f"<input {self._number}>", text)
        if path:
            self.console.forget(path)
        value = self._guarded(lambda: self._run_apart(source))
        if value is not None:
            self.console.define(LAST_VALUE, value)
        return value

    def _run_apart(self, source: Source) -> Any:
        context = self.context
        context.depth = context.tail_run = 0
        context.scheduler = Scheduler(context)

        def main() -> Any:
            try:
                return self.console.run(source)
            finally:
                release(context)

        return run_in_thread(context, main)

    def _guarded(self, action: Callable[[], Any]) -> Any:
        write, colour = self.streams.write_err, self.streams.colour
        try:
            return action()
        except HarnError as error:
            self.console.define(LAST_ERROR, error.value)
            write(render(uncaught(error), colour=colour))
        except RejectedProgram as error:
            write("".join(render(finding, colour=colour) for finding in error.diagnostics))
        except Interrupted:
            write("interrupted\n")
        except KeyboardInterrupt:  # it came while nobody waited for the program yet
            self.context.scheduler.interrupt()
            write("interrupted\n")
        except TimeLimit:
            write("the time limit passed\n")
        except Exit:
            raise
        except (Exception, ControlSignal) as fault:  # noqa: BLE001 (the session lives on)
            write(fault_text(fault))
        return None

    def load(self, path: str) -> None:
        """Run a file as if it had been typed in."""
        from harnpy.analysis.modules import read_source

        source = self._guarded(lambda: read_source(path))
        if source is not None:
            self.context.services["source_dir"] = os.path.dirname(source.path)
            self.run(source.text, source.path)

    def mock(self, path: str) -> None:
        """Answer model calls from a file of scripted replies from now on."""
        from harnpy.capabilities.llm import load_mock_file

        count = self._guarded(lambda: load_mock_file(self.context, path))
        if count is not None:
            self.streams.write_out(f"{count} scripted replies\n")

    def cost(self) -> str:
        """Tell what the model calls of the session cost."""
        models = self.context.services.get("llm")
        if models is None:
            return "no model calls"
        used = models.totals.session_cost()
        tokens = f"{used['input_tokens']} tokens in, {used['output_tokens']} out"
        return f"{used['call_count']} calls, {tokens}, {used['total_cost']:.6f} USD"


def shown(value: Any) -> str:
    """Give the text of a value at the prompt: a string with its quotes."""
    return quoted(value) if type(value) is str else display(value)
