"""Functions of channels and the function forms of select (builtins 1.13)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.errors import runtime_error, thrown_text
from harnpy.runtime.channels import Channel, receive_any, take_any
from harnpy.runtime.iterators import END
from harnpy.runtime.locks import Permit
from harnpy.runtime.values import Duration, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_DEFAULT_NAME = "default"
_DEFAULT_CAPACITY = 256
_NOTHING = {"channel": None, "index": -1, "value": None}


def channel(ctx: Context, name: Any = None, capacity: Any = None) -> Channel:
    """Make a channel that holds up to ``capacity`` values; a single int is the capacity. Tasks share it.

    Errors: throws a text for a capacity below 1.
    """
    if type(name) is int and capacity is None:
        name, capacity = None, name
    size = capacity if type(capacity) is int else _DEFAULT_CAPACITY
    if size < 1:
        raise runtime_error(f"channel: capacity must be >= 1, got {size}")
    return Channel(ctx.scheduler, _DEFAULT_NAME if name is None else text(name), size)


def send(source: Any = ABSENT, value: Any = ABSENT) -> bool:
    """Send a value, waiting while the channel is full; gives true.

    Errors: a closed channel throws ``{type: "ChannelClosed", category: "channel_closed", message}``.
    """
    if source is ABSENT or value is ABSENT:
        raise thrown_text("send: requires channel and value")
    return _channel("send", source).send(value)


def receive(source: Any = ABSENT) -> Any:
    """Receive the oldest value, waiting for one.

    Errors: a closed and drained channel throws ``{type: "ChannelClosed", category: "channel_closed", message}``.
    """
    target = _channel("receive", source)
    value = target.receive()
    if value is END:
        raise target.closed_error("receive")
    return value


def try_receive(source: Any = ABSENT) -> Any:
    """Receive the oldest value if one is there, else nil; never waits."""
    value = _channel("try_receive", source).take()
    return None if value is END else value


def close_channel(source: Any = ABSENT) -> None:
    """Close a channel; what is queued stays receivable. Closing it again does nothing."""
    _channel("close_channel", source).close()


def channel_is_closed(source: Any = ABSENT) -> bool:
    """Tell whether a channel was closed; values may still be queued in it."""
    return _channel("channel_is_closed", source).closed


def _channel(name: str, value: Any) -> Channel:
    if value is ABSENT:
        raise thrown_text(f"{name}: requires a channel")
    if type(value) is not Channel:
        raise thrown_text(f"{name}: first argument must be a channel")
    return value


def select(ctx: Context, *sources: Any) -> dict[str, Any]:
    """Receive from the first of the channels that has a value: ``{index, value, channel}``, waiting for one.

    The lowest index wins; ``channel`` is its name. When all are closed and drained, ``index`` is -1.
    """
    if not sources:
        raise thrown_text("select: requires at least one channel")
    return _received("select", ctx, list(sources), None, waits=True) or dict(_NOTHING)


def channel_select(ctx: Context, sources: Any = None, timeout: Any = None) -> dict[str, Any] | None:
    """As ``select`` over a list; nil at the timeout (ms or a duration), or when all channels are closed and drained."""
    return _received("channel_select", ctx, sources, _timeout("channel_select", timeout), waits=True)


def select_timeout(ctx: Context, sources: Any = None, timeout: Any = None) -> dict[str, Any] | None:
    """As ``channel_select``: nil when no channel has a value before the timeout (ms or a duration)."""
    return _received("select_timeout", ctx, sources, _timeout("select_timeout", timeout), waits=True)


def select_try(ctx: Context, sources: Any = None) -> dict[str, Any] | None:
    """As ``channel_select``, but it never waits: nil when no channel has a value."""
    return _received("select_try", ctx, sources, None, waits=False)


def _received(name: str, ctx: Context, sources: Any, timeout: int | None, *, waits: bool) -> dict[str, Any] | None:
    if type(sources) is not list or not sources:
        raise thrown_text(f"{name}: requires at least one channel")
    for source in sources:
        if type(source) is not Channel:
            raise thrown_text(f"{name}: expected channels, got {type_of(source)}")
    found, value, index = receive_any(ctx.scheduler, sources, timeout) if waits else take_any(sources)
    return {"channel": sources[index].name, "index": index, "value": value} if found else None


def _timeout(name: str, value: Any) -> int | None:
    if type(value) is dict:
        value = value.get("timeout_ms")
    if type(value) is Duration:
        return value.ms
    if value is None or type(value) is int:
        return value
    raise thrown_text(f"{name}: timeout must be an int of ms, a duration or {{timeout_ms}}, got {type_of(value)}")


def drop(handle: Any = None) -> None:
    """Give a handle back: a channel is closed, a permit released; other values are ignored."""
    if type(handle) is Channel:
        handle.close()
    elif type(handle) is Permit:
        handle.release()
