"""What ``harnpy run --trace FILE`` adds to a run: it records the run and writes the page at its end."""

from __future__ import annotations

from harnpy.capabilities.observers import IN_A_CALL
from harnpy.errors import ControlSignal, HarnError, RejectedProgram
from harnpy.events.trace import Trace
from harnpy.events.trace_page import page
from harnpy.render import shown_path
from harnpy.report import uncaught
from harnpy.runtime.clock import MS
from harnpy.runtime.task import CANCELLED
from harnpy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.cli.program import Target
    from harnpy.session import Session

# What real input and output is for, by the module that asks for it; model calls are rows of their own.
_WAITS = {
    "harnpy.capabilities.process": "a child process",
    "harnpy.capabilities.http": "an HTTP request",
    "harnpy.process_input": "standard input",
    "harnpy.embedding_functions": "a function of the host",
}


class Recording:
    """The trace of one session, on its way to a file."""

    def __init__(self, session: Session, target: Target, title: str) -> None:
        path, prompts = target
        try:
            self._file = open(path, "w", encoding="utf-8", errors="replace")  # noqa: SIM115 (closed by ``write``)
        except OSError as error:
            raise HarnError(f"cannot write the trace to {path}: {error.strerror}") from None
        self._path = path
        self._title = title
        self._context = context = session.context
        clock, scheduler = context.clock, context.scheduler
        self.trace = Trace(lambda: clock.ticks() / MS, lambda: scheduler.current.id, _was_cancelled, prompts=prompts)
        self._error: str | None = None
        self._began = None if clock.virtual else clock.now_ms() - self.trace_now()
        context.events.add_sink(self.trace.event)
        context.services.setdefault("llm_observers", []).append(self.trace)
        self._watch_waits()
        self._watch_report(session)

    def trace_now(self) -> float:
        """Give the ms since the run began."""
        return self._context.clock.ticks() / MS

    def _watch_waits(self) -> None:
        scheduler, trace = self._context.scheduler, self.trace
        sleep, wait = scheduler.sleep, scheduler.wait

        def recorded_sleep(ms: int, why: str = "") -> None:
            known = ms > 0 and why != IN_A_CALL
            _during(trace, trace.begin_wait(why, ms) if known else None, lambda: sleep(ms))

        def recorded_wait(make_awaitable: Callable[[], Any]) -> Any:
            reason = _WAITS.get(getattr(make_awaitable, "__module__", ""))
            return _during(trace, trace.begin_wait(reason) if reason else None, lambda: wait(make_awaitable))

        scheduler.sleep = recorded_sleep  # type: ignore[method-assign]
        scheduler.wait = recorded_wait  # type: ignore[method-assign]

    def _watch_report(self, session: Session) -> None:
        report, conclude = session.report, session.conclude

        def recorded_report(error: RejectedProgram | HarnError) -> int:
            finding = error.diagnostics[0] if isinstance(error, RejectedProgram) else uncaught(error)
            place = ""
            if finding.source is not None and finding.span is not None:
                place = f"{shown_path(finding.source.path)}:{finding.source.line_column(finding.span[0])[0]}: "
            self._error = place + finding.message
            return report(error)

        def recorded_conclude(text: str) -> None:
            self._error = text.removeprefix("error: ").rstrip("\n")
            conclude(text)

        session.report = recorded_report  # type: ignore[method-assign]
        session.conclude = recorded_conclude  # type: ignore[method-assign]

    def write(self, exit_code: int | None) -> str:
        """Write the page; give why that was not possible, or an empty text."""
        self.trace.close()
        about = {
            "harnpy": __version__,
            "exit_code": exit_code,
            "error": self._error,
            "virtual": self._context.clock.virtual,
            "began_ms": self._began,
            "end": self.trace_now(),
        }
        try:
            with self._file:
                self._file.write(page(self.trace, self._title, about))
        except OSError as error:
            return f"cannot write the trace to {self._path}: {error.strerror}"
        return ""


def _during(trace: Trace, row: dict[str, Any] | None, act: Callable[[], Any]) -> Any:
    if row is None:
        return act()
    try:
        value = act()
    except BaseException as error:
        trace.stop(row, error)
        raise
    trace.finish(row)
    return value


def _was_cancelled(error: BaseException) -> bool:
    return isinstance(error, ControlSignal) or (isinstance(error, HarnError) and error.value == CANCELLED)
