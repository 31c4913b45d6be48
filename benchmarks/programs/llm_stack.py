"""Logging, retry, budget and circuit breaker around an echo, as closures over dicts."""

import time

PASSING = frozenset(
    ("transient", "rate_limited", "timeout", "exception", "network", "provider_5xx", "stream_interrupt")
)
NOT_COUNTED = frozenset(("schema_validation", "budget_exhausted", "policy_blocked", "context_window_exceeded"))


def safe_invoke(caller, call):
    try:
        envelope = caller(call)
        if isinstance(envelope, dict):
            return envelope
        return {"ok": False, "status": "exception", "error": "caller returned non-dict"}
    except Exception as error:  # noqa: BLE001 (any failure becomes an envelope)
        return {"ok": False, "status": getattr(error, "reason", "exception"), "error": str(error)}


def with_retry(next_caller, opts):
    max_attempts = opts.get("max_attempts", 3)
    base_ms = opts.get("base_ms", 250)

    def wants_retry(envelope):
        if envelope["ok"]:
            outcome = (envelope.get("value") or {}).get("outcome") or {}
            return outcome.get("kind") == "empty" and outcome.get("billed", False)
        return envelope.get("status") in PASSING or envelope.get("retryable", False)

    def caller(call):
        attempt = 1
        while True:
            envelope = safe_invoke(next_caller, call)
            result = {**envelope, "retries_attempted": attempt - 1}
            if not wants_retry(envelope) or attempt >= max_attempts:
                return result
            hint = (envelope.get("error") or {}).get("retry_after_ms", 0)
            time.sleep(max(hint, base_ms * 2 ** (attempt - 1)) / 1000)
            attempt += 1

    return caller


def with_logging(next_caller, opts, log):
    sink = opts.get("sink")
    level = opts.get("level", "info")

    def caller(call):
        started = time.time_ns() // 1_000_000
        envelope = safe_invoke(next_caller, call)
        asked = call.get("opts") or {}
        turn = call.get("turn") or {}
        record = {
            "event": "llm_call_log",
            "level": level,
            "latency_ms": time.time_ns() // 1_000_000 - started,
            "model": str(asked.get("model", "")),
            "provider": str(asked.get("provider", "")),
            "status": "ok" if envelope["ok"] else str(envelope.get("status", "unknown")),
            "iteration": int(turn.get("iteration", 0)),
            "attempt": int(turn.get("attempt", 1)),
        }
        session = turn.get("session_id", "")
        if session:
            log.emit(session, "llm_call_log", record)
        if sink is not None:
            try:  # noqa: SIM105 (a context manager would be slower)
                sink(record)
            except Exception:  # noqa: BLE001
                pass
        return envelope

    return caller


class EventLog:
    """Keeps events and hands them to whoever listens to their session."""

    def __init__(self):
        self.events = []
        self.listeners = {}

    def emit(self, session, kind, payload):
        event = {"type": kind, **payload, "session_id": session}
        self.events.append(event)
        for listener in self.listeners.get(session, ()):
            listener(event)


class Spent:
    def __init__(self):
        self.calls = 0
        self.input = 0
        self.output = 0


def with_budget(next_caller, opts):
    spent = Spent()
    limits = [
        (name, opts[name], observed)
        for name, observed in (
            ("max_calls", lambda: spent.calls),
            ("max_total_tokens", lambda: spent.input + spent.output),
        )
        if name in opts
    ]

    def caller(call):
        for name, limit, observed in limits:
            if observed() >= limit:
                return {"ok": False, "status": "budget_exhausted", "error": {"limit": name, "value": limit}}
        spent.calls += 1
        envelope = safe_invoke(next_caller, call)
        if envelope["ok"]:
            usage = (envelope.get("value") or {}).get("usage") or {}
            spent.input += max(0, usage.get("input_tokens", 0))
            spent.output += max(0, usage.get("output_tokens", 0))
        return envelope

    return caller


class Circuit:
    def __init__(self, threshold, reset_ms):
        self.threshold = threshold
        self.reset_s = reset_ms / 1000
        self.failures = 0
        self.opened_at = None

    def admit(self):
        if self.opened_at is None:
            return "closed"
        return "probe" if time.monotonic() - self.opened_at >= self.reset_s else "open"

    def record_failure(self):
        self.failures += 1
        if self.failures >= self.threshold:
            self.opened_at = time.monotonic()

    def record_success(self):
        self.failures = 0
        self.opened_at = None


class CircuitOpenError(Exception):
    reason = "circuit_open"


def with_circuit_breaker(next_caller, opts, circuits):
    def caller(call):
        asked = call.get("opts") or {}
        name = opts.get("name") or f"llm:{asked.get('provider', '<unset>')}:{asked.get('model', '<unset>')}"
        circuit = circuits.get(name)
        if circuit is None:
            circuit = circuits[name] = Circuit(opts.get("threshold", 5), opts.get("reset_ms", 30_000))
        if circuit.admit() == "open":
            raise CircuitOpenError(f"circuit open: {name}")
        try:
            envelope = next_caller(call)
        except Exception:
            circuit.record_failure()
            raise
        if isinstance(envelope, dict) and not envelope.get("ok", True):
            if envelope.get("status") not in NOT_COUNTED:
                circuit.record_failure()
        else:
            circuit.record_success()
        return envelope

    return caller


def echo(call):
    return {
        "ok": True,
        "value": {
            "text": "echo " + call["prompt"],
            "provider": "mock",
            "model": call["opts"]["model"],
            "usage": {"input_tokens": 12, "output_tokens": 3},
            "outcome": {"kind": "complete", "billed": True},
        },
    }


def bench(size):
    seen = 0
    log = EventLog()

    def sink(record):
        nonlocal seen
        seen += record["iteration"]

    guarded = with_circuit_breaker(echo, {"name": "echo"}, {})
    budgeted = with_budget(guarded, {"max_calls": 1_000_000, "max_total_tokens": 1_000_000_000})
    caller = with_logging(with_retry(budgeted, {"max_attempts": 3, "base_ms": 1}), {"sink": sink}, log)
    used = 0
    for i in range(size):
        r = caller(
            {
                "prompt": "hello",
                "system": None,
                "opts": {"model": "m", "provider": "mock"},
                "turn": {"iteration": i % 3, "session_id": "s1", "attempt": 1},
            }
        )
        if r["ok"]:
            used += len(r["value"]["text"]) + r["retries_attempted"]
    return [used, seen]
