"""``harness.obs``: spans around a body, metrics and recorded events of one run (builtins 3.6)."""

from __future__ import annotations

from harnpy.builtins.arguments import is_callable, text
from harnpy.builtins.traces import trace_end, trace_start
from harnpy.errors import type_error
from harnpy.events.redact import redact
from harnpy.runtime.calls import call
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

# Older records go first, so that a long run stays bounded.
_LIMIT = 100_000


def span(ctx: Context, name: Any = "", body: Any = None) -> Any:
    """Run ``body()`` in a span and give its value; without a body open a span like ``start_span``.

    Errors: a throw of ``body`` passes through, and the span ends all the same.
    """
    if body is None:
        return trace_start(ctx, name)
    if not is_callable(body):
        raise type_error(f"HarnessObs.span expects callable argument 2, got {type_of(body)}")
    opened = trace_start(ctx, name)
    try:
        return call(ctx, body, [])
    finally:
        trace_end(ctx, opened)


def _record(ctx: Context, record: dict[str, Any]) -> None:
    records: list[dict[str, Any]] = ctx.services.setdefault("obs", [])
    if len(records) >= _LIMIT:
        del records[: _LIMIT // 10]
    records.append({**redact(record), "ts_ms": ctx.clock.now_ms()})


def _metric(ctx: Context, kind: str, name: Any, value: Any, labels: Any) -> None:
    method = f"HarnessObs.{kind}"
    if type(name) is not str:
        raise type_error(f"{method} expects string argument 1, got {type_of(name)}")
    if type(value) not in (int, float):
        raise type_error(f"{method} expects number argument 2, got {type_of(value)}")
    fields = labels if type(labels) is dict else {}
    _record(ctx, {"kind": kind, "name": name, "value": value, "labels": fields})


def counter(ctx: Context, name: Any = None, value: Any = 1, labels: Any = None) -> None:
    """Add ``value`` to a counter; ``labels`` is a dict of texts."""
    _metric(ctx, "counter", name, 1 if value is None else value, labels)


def gauge(ctx: Context, name: Any = None, value: Any = None, labels: Any = None) -> None:
    """Set a gauge."""
    _metric(ctx, "gauge", name, value, labels)


def histogram(ctx: Context, name: Any = None, value: Any = None, labels: Any = None) -> None:
    """Add an observation to a histogram."""
    _metric(ctx, "histogram", name, value, labels)


def emit(ctx: Context, name: Any = "", payload: Any = None) -> None:
    """Record an event of the program's own; ``harness.obs.events()`` gives it."""
    _record(ctx, {"kind": "event", "name": text(name), "payload": payload})


def events(ctx: Context) -> list[dict[str, Any]]:
    """Give what was recorded so far, in order."""
    return list(ctx.services.get("obs", ()))


def events_take(ctx: Context) -> list[dict[str, Any]]:
    """Give what was recorded and forget it."""
    found = events(ctx)
    reset(ctx)
    return found


def reset(ctx: Context) -> None:
    """Forget what was recorded."""
    ctx.services.pop("obs", None)
