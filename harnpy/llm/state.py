"""What the model calls of one run share: mock, totals, transport."""

from __future__ import annotations

from harnpy.llm.mock import Mock
from harnpy.llm.rate_limit import RateLimits
from harnpy.llm.usage import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnpy.llm.mock_record import Recorder
    from harnpy.llm.transport import Transport


class LlmState:
    """The state of one run."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.mock = Mock()
        self.totals = Totals()
        self.session_budget: float | None = None
        self.rate_limits = RateLimits(env)
        self.recorder: Recorder | None = None
        # What must end with the run: a function each that stops a stream nobody reads on.
        self.open_streams: set[Callable[[], None]] = set()
        self._transport: Transport | None = None

    def transport(self) -> Transport:
        """Give the transport; httpx and asyncio are imported here, with the first real call."""
        if self._transport is None:
            from harnpy.llm.transport import Transport

            self._transport = Transport(self.env)
        return self._transport

    def close(self) -> None:
        """Stop open streams and close idle connections."""
        for stop in tuple(self.open_streams):
            stop()
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        if self.recorder is not None:
            self.recorder.close()
            self.recorder = None
