"""Mailboxes: named channels that tasks find by name (builtins 1.13)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT
from harnpy.errors import HarnError, runtime_error
from harnpy.runtime.channels import Channel
from harnpy.runtime.convert import key_text
from harnpy.runtime.iterators import END
from harnpy.runtime.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_DEFAULT_CAPACITY = 256


class Mailbox(Value):
    """One mailbox with its counts."""

    __slots__ = ("channel", "received", "sent")
    type_name = "mailbox"

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.sent = 0
        self.received = 0

    def display_text(self) -> str:
        """Give the display form."""
        return f"<mailbox:{self.channel.name}>"


def _boxes(ctx: Context) -> dict[str, Mailbox]:
    boxes: dict[str, Mailbox] = ctx.services.setdefault("mailboxes", {})
    return boxes


def _find(ctx: Context, name: str, target: Any) -> Mailbox:
    if target is ABSENT:
        raise runtime_error(f"{name}: requires a mailbox")
    box = target if type(target) is Mailbox else _boxes(ctx).get(key_text(target))
    if box is None:
        raise runtime_error(f"{name}: there is no mailbox '{key_text(target)}'")
    return box


def mailbox_open(ctx: Context, options: Any = None) -> Mailbox:
    """Open the mailbox ``{scope?, name, capacity = 256}``; a new one is made when there is none or it was closed."""
    if type(options) is not dict:
        options = {"name": options}
    name = options.get("name")
    if name is None:
        raise runtime_error("mailbox_open: key/name is required")
    boxes = _boxes(ctx)
    key = key_text(name)
    if key not in boxes or boxes[key].channel.closed:
        capacity = options.get("capacity")
        size = capacity if type(capacity) is int else _DEFAULT_CAPACITY
        if size < 1:
            raise runtime_error("mailbox_open: value must be positive")
        boxes[key] = Mailbox(Channel(ctx.scheduler, key, size))
    return boxes[key]


def mailbox_lookup(ctx: Context, name: Any = None) -> Mailbox | None:
    """Find the mailbox of that name; nil when there is none."""
    return _boxes(ctx).get(key_text(name))


def mailbox_send(ctx: Context, target: Any = ABSENT, value: Any = ABSENT) -> bool:
    """Send a value to a mailbox or its name, waiting while it is full; false when it is closed or unknown."""
    if target is ABSENT or value is ABSENT:
        raise runtime_error("mailbox_send: requires target and value")
    box = target if type(target) is Mailbox else _boxes(ctx).get(key_text(target))
    if box is None or box.channel.closed:
        return False
    try:
        box.channel.send(value)
    except HarnError as error:
        if type(error.value) is dict and error.value.get("type") == "ChannelClosed":
            return False
        raise
    box.sent += 1
    return True


def mailbox_receive(ctx: Context, target: Any = ABSENT) -> Any:
    """Receive the oldest value of a mailbox, waiting for one; nil when it is closed and drained."""
    box = _find(ctx, "mailbox_receive", target)
    return _taken(box, box.channel.receive())


def mailbox_try_receive(ctx: Context, target: Any = ABSENT) -> Any:
    """Receive the oldest value of a mailbox if there is one, else nil; never waits."""
    box = _find(ctx, "mailbox_try_receive", target)
    return _taken(box, box.channel.take())


def _taken(box: Mailbox, value: Any) -> Any:
    if value is END:
        return None
    box.received += 1
    return value


def mailbox_close(ctx: Context, target: Any = ABSENT) -> None:
    """Close a mailbox: nothing more gets in, what is queued stays receivable."""
    _find(ctx, "mailbox_close", target).channel.close()


def mailbox_metrics(ctx: Context, target: Any = ABSENT) -> dict[str, Any]:
    """Give the counts of a mailbox: what is queued, was sent and was received."""
    box = _find(ctx, "mailbox_metrics", target)
    return {
        "capacity": box.channel.capacity,
        "closed": box.channel.closed,
        "depth": len(box.channel.queue),
        "name": box.channel.name,
        "received": box.received,
        "sent": box.sent,
    }
