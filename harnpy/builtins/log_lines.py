"""Log lines in JSON (builtins 1.1)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.builtins.dates import iso_text
from harnpy.builtins.json_writing import json_line
from harnpy.builtins.traces import open_spans
from harnpy.errors import thrown_text
from harnpy.events.redact import redact
from harnpy.runtime.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_LEVELS = ("debug", "info", "warn", "error")
_SCALARS = frozenset((str, int, float, bool, type(None)))


def _scalar(value: Any) -> Any:
    return value if type(value) in _SCALARS else display(value)


def write_log(ctx: Context, level: str, message: Any, fields: Any = None) -> None:
    """Write one line unless the current level suppresses it."""
    if _LEVELS.index(level) < ctx.services.get("log_level", 0):
        return
    line: dict[str, Any] = {"ts": iso_text(ctx.clock.now_ms()), "level": level, "msg": text(message)}
    spans = open_spans(ctx)
    if spans:
        line |= {"trace_id": spans[-1]["trace_id"], "span_id": spans[-1]["span_id"]}
    if type(fields) is dict and fields:
        line["fields"] = {key: _scalar(fields[key]) for key in sorted(fields)}
    ctx.write_out(json_line(redact(line)) + "\n")


def log_debug(ctx: Context, message: Any = "", fields: Any = None) -> None:
    """Write a line of JSON at the level debug: ``{ts, level, msg, trace_id?, span_id?, fields?}``.

    ``fields`` is a dict; values that are no scalars are shown as texts. Lines below ``log_set_level`` are left out.
    """
    write_log(ctx, "debug", message, fields)


def log_info(ctx: Context, message: Any = "", fields: Any = None) -> None:
    """Write a line of JSON at the level info; as ``log_debug``."""
    write_log(ctx, "info", message, fields)


def log_warn(ctx: Context, message: Any = "", fields: Any = None) -> None:
    """Write a line of JSON at the level warn; as ``log_debug``."""
    write_log(ctx, "warn", message, fields)


def log_error(ctx: Context, message: Any = "", fields: Any = None) -> None:
    """Write a line of JSON at the level error; as ``log_debug``."""
    write_log(ctx, "error", message, fields)


def log_set_level(ctx: Context, level: Any = "") -> None:
    """Leave out log lines below a level: ``debug`` (default), ``info``, ``warn`` or ``error``.

    Errors: throws a text for another level.
    """
    if level not in _LEVELS:
        raise thrown_text(f"log_set_level: invalid level '{text(level)}'. Expected debug, info, warn, or error")
    ctx.services["log_level"] = _LEVELS.index(level)


def log_json(ctx: Context, key: Any = "", value: Any = None) -> None:
    """Write a line of JSON with one key and its value: ``{ts, key, value}``."""
    line = {"ts": iso_text(ctx.clock.now_ms()), "key": text(key), "value": _scalar(value)}
    ctx.write_out(json_line(redact(line)) + "\n")
