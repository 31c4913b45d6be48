"""Trace spans of a task: ids that log lines carry (builtins 1.19)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_SPANS = "trace_spans"
_FINISHED = "finished_spans"
# Older spans go first, so that a long run stays bounded.
_LIMIT = 100_000


def open_spans(ctx: Context) -> tuple[dict[str, Any], ...]:
    """Give the spans that are open in the running task, outermost first."""
    spans: tuple[dict[str, Any], ...] = ctx.scheduler.local(_SPANS, ())
    return spans


def _new_id(ctx: Context) -> str:
    return f"{ctx.random.getrandbits(32):08x}"


def trace_start(ctx: Context, name: Any = "") -> dict[str, Any]:
    """Open a span ``{trace_id, span_id, name, start_ms}``; it belongs to the trace of the span around it."""
    spans = open_spans(ctx)
    span = {
        "trace_id": spans[-1]["trace_id"] if spans else _new_id(ctx),
        "span_id": _new_id(ctx),
        "name": text(name),
        "start_ms": ctx.clock.monotonic_ms(),
    }
    ctx.scheduler.set_local(_SPANS, (*spans, span))
    return span


def enable_tracing(ctx: Context, enabled: Any = True) -> None:
    """Keep finished spans for ``trace_spans``, or stop keeping them."""
    if enabled is None or enabled:
        ctx.services.setdefault(_FINISHED, [])
    else:
        ctx.services.pop(_FINISHED, None)


def trace_spans(ctx: Context) -> list[dict[str, Any]]:
    """Give the spans that ended since tracing was enabled, in the order in which they ended."""
    return list(ctx.services.get(_FINISHED, ()))


def trace_summary(ctx: Context) -> dict[str, Any]:
    """Give the number of finished spans, and count and ms of each name."""
    names: dict[str, Any] = {}
    for span in trace_spans(ctx):
        entry = names.setdefault(span["name"], {"count": 0, "total_ms": 0})
        entry["count"] += 1
        entry["total_ms"] += span["duration_ms"]
    return {"count": len(trace_spans(ctx)), "spans": names}


def trace_end(ctx: Context, span: Any = None) -> None:
    """Close a span and log how long it took. Errors: throws a text for what is no span."""
    from harnpy.builtins.log_lines import log_info

    if type(span) is not dict or type(span.get("start_ms")) is not int or "span_id" not in span:
        raise thrown_text("trace_end: argument must be a span dict from trace_start")
    duration = ctx.clock.monotonic_ms() - span["start_ms"]
    log_info(ctx, "span_end", {"name": span.get("name"), "span_id": span["span_id"], "duration_ms": duration})
    finished = ctx.services.get(_FINISHED)
    if finished is not None:
        if len(finished) >= _LIMIT:
            del finished[: _LIMIT // 10]
        finished.append({**span, "name": text(span.get("name")), "duration_ms": duration})
    rest = tuple([other for other in open_spans(ctx) if other["span_id"] != span["span_id"]])
    ctx.scheduler.set_local(_SPANS, rest)


def trace_id(ctx: Context) -> str | None:
    """Give the id of the current trace, or nil."""
    spans = open_spans(ctx)
    return spans[-1]["trace_id"] if spans else None
