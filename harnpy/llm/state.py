"""What the model calls of one run share: mock, totals, transport."""

from __future__ import annotations

from harnpy.llm.catalog import Catalog, built_in, built_in_layer
from harnpy.llm.mock import Mock
from harnpy.llm.rate_limit import RateLimits
from harnpy.llm.usage import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from harnpy.llm.deadlines import RunClock
    from harnpy.llm.mock_record import Recorder
    from harnpy.llm.sharing import SharedCalls
    from harnpy.llm.transport import Transport

_TRACE_LIMIT = 10_000


class LlmState:
    """The state of one run."""

    def __init__(
        self, env: Mapping[str, str], overlays: Sequence[dict[str, Any]] = (), clock: RunClock | None = None
    ) -> None:
        self.env = env
        self._clock = clock
        self._overlays = list(overlays)
        self.catalog = self._build()
        self.policies: list[Any] = []
        self.warned: set[str] = set()
        self.trace: list[dict[str, Any]] = []
        self.mock = Mock()
        self.totals = Totals()
        self.session_budget: float | None = None
        # What the calls may cost in all before the next is refused; a script cannot raise it.
        self.host_budget: float | None = None
        self.rate_limits = RateLimits(env, lambda: self.catalog)
        # Providers of an embedding host by name: each makes the call of a request.
        self.hosts: dict[str, Callable[[Any], Any]] = {}
        self.recorder: Recorder | None = None
        # What must end with the run: a function each that stops a stream nobody reads on.
        self.open_streams: set[Callable[[], None]] = set()
        self._transport: Transport | None = None

    def _build(self) -> Catalog:
        catalog = Catalog([built_in_layer(), *self._overlays]) if self._overlays else built_in()
        return catalog if self._clock is None else catalog.of_run(self._clock.now_ms)

    def budget(self) -> float | None:
        """Give the lower of the budgets that the script and the host have set."""
        return min((each for each in (self.session_budget, self.host_budget) if each is not None), default=None)

    def share(self, calls: SharedCalls) -> None:
        """Count the cost of calls, and their turns under rate limits, together with those of other runs."""
        self.totals.shared = calls
        self.rate_limits.windows = calls.windows

    def note(self, kind: str, **fields: Any) -> None:
        """Append one entry to the trace of model calls; the oldest go first when there are too many."""
        if len(self.trace) >= _TRACE_LIMIT:
            del self.trace[: _TRACE_LIMIT // 10]
        self.trace.append({"type": kind, **fields})

    def overlay(self, layer: dict[str, Any]) -> None:
        """Put rows of the script before all others."""
        self._overlays.append(layer)
        self.catalog = self._build()

    def drop_overlays(self, key: str) -> None:
        """Take back the rows of one table that the script has put in."""
        self._overlays = [layer for layer in self._overlays if key not in layer or "catalog_version" in layer]
        self.catalog = self._build()

    def transport(self) -> Transport:
        """Give the transport of the running event loop; httpx is imported here, with the first real call."""
        from asyncio import get_running_loop

        if self._transport is not None and self._transport.loop is not get_running_loop():
            self._disconnect()
        if self._transport is None:
            from harnpy.llm.transport import Transport

            self._transport = Transport(self.env, self._clock)
        return self._transport

    def _disconnect(self) -> None:
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    def end_run(self, *, keep: bool = False) -> None:
        """Stop open streams, and close idle connections unless the next run in this event loop is to ``keep`` them."""
        for stop in tuple(self.open_streams):
            stop()
        if not keep:
            self._disconnect()

    def close(self) -> None:
        """Close everything."""
        self.end_run()
        if self.recorder is not None:
            self.recorder.close()
            self.recorder = None
