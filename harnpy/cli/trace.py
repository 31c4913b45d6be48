"""What ``harnpy run --trace FILE`` adds to a run: it records the run and writes the page at its end."""

from __future__ import annotations

from harnpy.errors import HarnError
from harnpy.events.trace import Trace
from harnpy.events.trace_page import page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.session import Session

_MS = 1_000_000


def record(session: Session, path: str, title: str) -> Callable[[], None]:
    """Record what ``session`` runs; the result writes the page to ``path``.

    Raises:
        HarnError: The page cannot be written. The file is opened before anything runs.
    """
    try:
        file = open(path, "w", encoding="utf-8")  # noqa: SIM115 (closed by ``write``)
    except OSError as error:
        raise HarnError(f"cannot write the trace to {path}: {error.strerror}") from None
    context = session.context
    trace = Trace(lambda: context.clock.ticks() / _MS)
    context.events.add_sink(trace.event)
    context.services.setdefault("llm_observers", []).append(trace)
    scheduler = context.scheduler
    sleep = scheduler.sleep

    def recorded_sleep(ms: int) -> None:
        row = trace.begin("wait", f"sleep {ms} ms", {})
        try:
            sleep(ms)
        except BaseException:
            trace.finish(row, ok=False)
            raise
        trace.finish(row)

    scheduler.sleep = recorded_sleep  # type: ignore[method-assign]

    def write() -> None:
        trace.close()
        with file:
            file.write(page(trace.rows, title, trace.left_out))

    return write
