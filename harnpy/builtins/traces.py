"""Trace spans of a task: ids that log lines carry (builtins 1.19)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_SPANS = "trace_spans"


def open_spans(ctx: Context) -> tuple[dict[str, Any], ...]:
    """Give the spans that are open in the running task, outermost first."""
    spans: tuple[dict[str, Any], ...] = ctx.scheduler.local(_SPANS, ())
    return spans


def _new_id(ctx: Context) -> str:
    return f"{ctx.random.getrandbits(32):08x}"


def trace_start(ctx: Context, name: Any = "") -> dict[str, Any]:
    """Open a span; it belongs to the trace of the span around it."""
    spans = open_spans(ctx)
    span = {
        "trace_id": spans[-1]["trace_id"] if spans else _new_id(ctx),
        "span_id": _new_id(ctx),
        "name": text(name),
        "start_ms": ctx.clock.monotonic_ms(),
    }
    ctx.scheduler.set_local(_SPANS, (*spans, span))
    return span


def trace_end(ctx: Context, span: Any = None) -> None:
    """Close a span and log how long it took."""
    from harnpy.builtins.log_lines import log_info

    if type(span) is not dict or type(span.get("start_ms")) is not int or "span_id" not in span:
        raise thrown_text("trace_end: argument must be a span dict from trace_start")
    duration = ctx.clock.monotonic_ms() - span["start_ms"]
    log_info(ctx, "span_end", {"name": span.get("name"), "span_id": span["span_id"], "duration_ms": duration})
    rest = tuple([other for other in open_spans(ctx) if other["span_id"] != span["span_id"]])
    ctx.scheduler.set_local(_SPANS, rest)


def trace_id(ctx: Context) -> str | None:
    """Give the id of the current trace, or nil."""
    spans = open_spans(ctx)
    return spans[-1]["trace_id"] if spans else None
