"""Models in Python of what middleware must do, for comparison with what it does."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

RETRIED = ("transient", "rate_limited", "timeout", "exception", "network", "provider_5xx", "stream_interrupt")
NEVER = ("auth", "schema_validation", "budget_exhausted", "provider_error", "circuit_open", "context_overflow")
NOT_COUNTED = ("schema_validation", "policy_blocked", "caller_aborted")


def is_retryable(envelope: Any) -> bool:
    """Tell whether the default predicate of with_retry tries again; a throw and a non-dict are exceptions."""
    if not isinstance(envelope, dict) or "throw" in envelope:
        return True
    if envelope.get("ok"):
        return envelope["value"].get("outcome") == {"kind": "empty", "billed": True}
    status = envelope.get("status", "")
    return status not in NEVER and (status in RETRIED or bool(envelope.get("retryable")))


def attempts_made(envelopes: list[Any], max_attempts: int) -> int:
    """Give how many calls with_retry makes when ``envelopes`` come in turn and the last repeats."""
    most = max(1, max_attempts)
    for attempt in range(1, most + 1):
        if not is_retryable(envelopes[min(attempt, len(envelopes)) - 1]):
            return attempt
    return most


class Breaker:
    """The circuit of with_circuit_breaker (R9)."""

    def __init__(self, threshold: int, reset_ms: int) -> None:
        self.threshold, self.reset_ms = threshold, reset_ms
        self.failures, self.opened_at, self.probing = 0, None, False

    def admit(self, now: int) -> str:
        if self.opened_at is None:
            return "closed"
        if now - self.opened_at < self.reset_ms or self.probing:
            return "open"
        self.probing = True
        return "probe"

    def record(self, outcome: str, now: int, probe: bool) -> None:
        half_open = self.opened_at is not None and now - self.opened_at >= self.reset_ms
        if outcome == "ok":
            self.failures, self.opened_at, self.probing = 0, None, False
        elif outcome in NOT_COUNTED:
            self.probing = self.probing and not probe
        elif self.opened_at is None or half_open:
            self.failures += 0 if half_open else 1
            if half_open or self.failures >= self.threshold:
                self.opened_at, self.probing = now, False


def breaker_log(history: list[list[Any]], threshold: int, reset_ms: int) -> list[Any]:
    """Give what the calls of a history see: ``refused`` or their outcome. A step is a pause and a batch of calls.

    All calls of a batch start at once; a call is ``[duration, outcome]``. A batch ends when its last call does.
    """
    breaker, now, log = Breaker(threshold, reset_ms), 0, []
    for pause, batch in history:
        now += pause
        seen, running = ["refused"] * len(batch), []
        for index, (duration, outcome) in enumerate(batch):
            admission = breaker.admit(now)
            if admission != "open":
                heappush(running, (now + duration, index, outcome, admission == "probe"))
        while running:
            now, index, outcome, probe = heappop(running)
            breaker.record(outcome, now, probe)
            seen[index] = outcome
        log.append(seen)
    return log
