"""What the sessions of a service have in common, where a session by itself would know only its own."""

from __future__ import annotations

from harnpy.builtins.circuits import Circuits
from harnpy.embedding_checks import check_limits
from harnpy.llm.sharing import SharedCalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.runtime.context import Context


class Shared:
    """What several sessions, also of several threads, have in common: ``Session(shared=...)``.

    Circuit breakers by their names (the first session to use one sets its numbers), the turns under the rate limits of
    providers, and ``max_cost``: once the model calls of all have cost more USD, further
    ones fail (``budget_exceeded``).
    """

    __slots__ = ("_calls", "_circuits")

    def __init__(self, *, max_cost: float | None = None) -> None:
        """Make what sessions share.

        Raises:
            TypeError: The limit is no number.
            ValueError: The limit is not above 0.
        """
        check_limits(None, None, None, max_cost)
        self._calls = SharedCalls(max_cost)
        self._circuits = Circuits(shared=True)

    @property
    def cost(self) -> float:
        """What the model calls of all sessions have cost in USD."""
        return float(self._calls.cost)

    def reset_cost(self) -> None:
        """Count the cost from 0 again, as a service does each day."""
        self._calls.start_over()


def join(shared: Shared, context: Context) -> None:
    """Let a session take part in what is shared.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(shared, Shared):
        raise TypeError(f"shared is a harnpy.Shared, not a {type(shared).__name__}")
    context.services["circuits"] = shared._circuits
    context.services["shared_calls"] = shared._calls
