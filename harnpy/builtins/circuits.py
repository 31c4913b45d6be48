"""Circuits: named breakers that close, open and admit one probe (builtins 1.13)."""

from __future__ import annotations

from _thread import allocate_lock

from harnpy.builtins.arguments import text
from harnpy.errors import thrown_text
from harnpy.runtime.clock import MS
from harnpy.runtime.values import Duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_DEFAULT_THRESHOLD = 5
_DEFAULT_RESET_MS = 30_000


class Circuit:
    """One breaker; ``opened_at`` is in clock ticks, ``None`` while closed; ``probing`` while the probe is out."""

    __slots__ = ("failures", "opened_at", "probing", "reset_ms", "threshold")

    def __init__(self, threshold: int, reset_ms: int) -> None:
        self.threshold = threshold
        self.reset_ms = reset_ms
        self.failures = 0
        self.opened_at: int | None = None
        self.probing = False

    def state(self, now: int) -> str:
        """Give ``closed``, ``open`` or ``half_open``."""
        if self.opened_at is None:
            return "closed"
        return "half_open" if now - self.opened_at >= self.reset_ms * MS else "open"

    def admit(self, now: int) -> str:
        """Decide about one call: ``closed`` (go on), ``probe`` (go on, you are the test) or ``open`` (refused)."""
        state = self.state(now)
        if state != "half_open":
            return state
        if self.probing:
            return "open"
        self.probing = True
        return "probe"

    def fail(self, now: int) -> bool:
        """Record a failure; tell whether it opened the circuit (again)."""
        state = self.state(now)
        if state == "open":
            return False
        if state == "closed":
            self.failures += 1
            if self.failures < self.threshold:
                return False
        self.opened_at = now
        self.probing = False
        return True

    def close(self) -> None:
        """Record a success."""
        self.failures = 0
        self.opened_at = None
        self.probing = False


class Circuits:
    """Circuits by their names, of one run or ``shared`` by several; ``lock`` is held while one is looked at."""

    __slots__ = ("_makers", "by_name", "lock", "shared")

    def __init__(self, *, shared: bool = False) -> None:
        # The names that each program has made, by its loader.
        self._makers: Any = None
        self.by_name: dict[str, Circuit] = {}
        self.lock = allocate_lock()
        self.shared = shared

    def now(self, ctx: Context) -> int:
        """Give the time on the axis of these circuits."""
        return ctx.clock.common_ticks() if self.shared else ctx.clock.ticks()

    def replaces(self, ctx: Context, name: str) -> bool:
        """Tell whether to make a circuit now: what other programs have made is joined as it is, never closed."""
        if not self.shared:
            return True
        if self._makers is None:
            from weakref import WeakKeyDictionary

            self._makers = WeakKeyDictionary()
        made = self._makers.setdefault(ctx.loader, set())
        again = name in made
        made.add(name)
        return again or name not in self.by_name


def _circuits(ctx: Context) -> Circuits:
    circuits: Circuits | None = ctx.services.get("circuits")
    if circuits is None:
        circuits = ctx.services["circuits"] = Circuits()
    return circuits


def circuit_breaker(ctx: Context, name: Any = None, threshold: Any = None, reset_ms: Any = None) -> str:
    """Create or reset the circuit ``name`` of this run; gives the name.

    It opens after ``threshold`` failures in a row, and admits one probe ``reset_ms`` later.
    Errors: throws a text when ``name`` is none or ``threshold`` is below 1.
    """
    if type(name) is not str:
        raise thrown_text("circuit_breaker: name must be a string")
    limit = threshold if type(threshold) is int else _DEFAULT_THRESHOLD
    if limit < 1:
        raise thrown_text(f"circuit_breaker: threshold must be >= 1, got {limit}")
    if type(reset_ms) is Duration:
        reset_ms = reset_ms.ms
    circuits = _circuits(ctx)
    with circuits.lock:
        if circuits.replaces(ctx, name):
            circuits.by_name[name] = Circuit(limit, reset_ms if type(reset_ms) is int else _DEFAULT_RESET_MS)
    return name


def circuit_check(ctx: Context, name: Any = None) -> str:
    """Give the state of a circuit without changing it: ``closed``, ``open`` or ``half_open``; an unknown one is
    closed.
    """
    circuits = _circuits(ctx)
    circuit = circuits.by_name.get(text(name))
    return "closed" if circuit is None else circuit.state(circuits.now(ctx))


def circuit_try(ctx: Context, name: Any = None) -> str:
    """Ask for admission: ``closed``, ``probe`` (the one call that may try a half-open circuit) or ``open``."""
    circuits = _circuits(ctx)
    with circuits.lock:
        circuit = circuits.by_name.get(text(name))
        return "closed" if circuit is None else circuit.admit(circuits.now(ctx))


def circuit_release(ctx: Context, name: Any = None) -> None:
    """Give the probe slot of a half-open circuit back without an outcome."""
    circuits = _circuits(ctx)
    with circuits.lock:
        circuit = circuits.by_name.get(text(name))
        if circuit is not None:
            circuit.probing = False


def circuit_record_failure(ctx: Context, name: Any = None) -> bool:
    """Record a failure; tells whether it opened the circuit, for the first time or again."""
    circuits = _circuits(ctx)
    with circuits.lock:
        circuit = circuits.by_name.get(text(name))
        return circuit is not None and circuit.fail(circuits.now(ctx))


def circuit_record_success(ctx: Context, name: Any = None) -> None:
    """Record a success: the circuit is closed, without failures, and its probe slot is free."""
    circuits = _circuits(ctx)
    with circuits.lock:
        circuit = circuits.by_name.get(text(name))
        if circuit is not None:
            circuit.close()
