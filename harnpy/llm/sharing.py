"""What the model calls of several runs share: their cost with its limit, and the windows of their rate limits."""

from __future__ import annotations

from threading import Lock

from harnpy.llm.rate_limit import Windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SharedCalls:
    """The cost of all calls so far in USD, the ``limit`` after which further ones are refused, the ``windows``."""

    __slots__ = ("_lock", "cost", "limit", "windows")

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.cost: Any = 0
        self.windows = Windows()
        self._lock = Lock()

    def add(self, cost: Any) -> None:
        """Count the cost of one call, a ``Decimal``."""
        with self._lock:
            self.cost += cost

    def start_over(self) -> None:
        """Count from 0 again."""
        with self._lock:
            self.cost = 0
