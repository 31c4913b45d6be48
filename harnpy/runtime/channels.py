"""Channels between tasks: bounded queues with waiting senders and receivers, and waiting on several (language 11.7)."""

from __future__ import annotations

from harnpy.errors import HarnError
from harnpy.runtime.clock import MS
from harnpy.runtime.iterators import END, Pullable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Sequence
    from typing import Any

    from harnpy.runtime.task import Task
    from harnpy.runtime.tasks import Scheduler
else:
    from _collections import deque


class _Waiting:
    """A task that waits to receive, or to send ``value``; ``served`` once it had its turn."""

    __slots__ = ("channel", "served", "task", "value")

    def __init__(self, task: Task, value: Any = None) -> None:
        self.task = task
        self.value = value
        self.served = False
        self.channel: Channel | None = None


class Channel(Pullable):
    """A queue of at most ``capacity`` values; closing it lets the queued values still be received."""

    __slots__ = ("_receivers", "_scheduler", "_senders", "capacity", "closed", "name", "queue")
    type_name = "channel"

    def __init__(self, scheduler: Scheduler, name: str, capacity: int) -> None:
        self._scheduler = scheduler
        self.name = name
        self.capacity = capacity
        self.closed = False
        self.queue: deque[Any] = deque()
        self._receivers: deque[_Waiting] = deque()
        self._senders: deque[_Waiting] = deque()

    def send(self, value: Any) -> bool:
        """Put ``value`` in, waiting while the channel is full."""
        if self.closed:
            raise self.closed_error("send")
        receiver = _next(self._receivers)
        if receiver is not None:
            self._serve(receiver, value)
            return True
        if len(self.queue) < self.capacity:
            self.queue.append(value)
            return True
        sender = _Waiting(self._scheduler.current, value)
        self._senders.append(sender)
        self._wait(sender, f"room in channel {self.name}", None)
        if not sender.served:
            raise self.closed_error("send")
        return True

    def receive(self) -> Any:
        """Take the next value, waiting for one; ``END`` when the channel is closed and drained."""
        found, value, _ = receive_any(self._scheduler, [self])
        return value if found else END

    pull = receive

    def take(self) -> Any:
        """Take a value that is there now; ``END`` when there is none."""
        if not self.queue:
            return END
        value = self.queue.popleft()
        sender = _next(self._senders)
        if sender is not None:
            self.queue.append(sender.value)
            sender.served = True
            self._scheduler.wake(sender.task)
        return value

    def close(self) -> None:
        """Let no more values in; whoever waits learns of it."""
        if self.closed:
            return
        self.closed = True
        for waiting in (*self._receivers, *self._senders):
            if not waiting.served:
                self._scheduler.wake(waiting.task)

    def drained(self) -> bool:
        """Tell whether nothing will ever come out again."""
        return self.closed and not self.queue

    def closed_error(self, operation: str) -> HarnError:
        """Make the error of an operation on a closed channel."""
        message = f"{operation}: channel '{self.name}' is closed"
        return HarnError({"type": "ChannelClosed", "category": "channel_closed", "message": message}, thrown=True)

    def _serve(self, receiver: _Waiting, value: Any) -> None:
        receiver.served = True
        receiver.value = value
        receiver.channel = self
        self._scheduler.wake(receiver.task)

    def _wait(self, sender: _Waiting, why: str, due: int | None) -> None:
        try:
            self._scheduler.park(why, due)
        finally:
            if not sender.served:
                self._senders.remove(sender)

    def join_receivers(self, waiting: _Waiting) -> None:
        """Queue a task that waits to receive."""
        self._receivers.append(waiting)

    def leave_receivers(self, waiting: _Waiting) -> None:
        """Forget a task that waits no longer."""
        if waiting in self._receivers:
            self._receivers.remove(waiting)

    def display_text(self) -> str:
        """Give the display form."""
        return f"<channel:{self.name}>"

    def equals(self, other: object) -> bool:
        """Channels are never equal, not even to themselves."""
        return False


def _next(waiting: deque[_Waiting]) -> _Waiting | None:
    """Take the first that still waits."""
    while waiting:
        first = waiting.popleft()
        if not first.served:
            return first
    return None


def take_any(channels: Sequence[Channel]) -> tuple[bool, Any, int]:
    """Take from the first channel that has a value now: whether there was one, the value, the channel's index."""
    for index, channel in enumerate(channels):
        if channel.queue:
            return True, channel.take(), index
    return False, None, -1


def receive_any(
    scheduler: Scheduler, channels: Sequence[Channel], timeout_ms: int | None = None
) -> tuple[bool, Any, int]:
    """Like ``take_any``, but wait for a value; nothing is found at the timeout or when all channels are drained."""
    found = take_any(channels)
    if found[0] or all(channel.drained() for channel in channels):
        return found
    due = None if timeout_ms is None else scheduler.clock.ticks() + max(0, timeout_ms) * MS
    waiting = _Waiting(scheduler.current)
    names = ", ".join([channel.name for channel in channels])
    while True:
        for channel in channels:
            if not channel.drained():
                channel.join_receivers(waiting)
        try:
            scheduler.park(f"a value from channel {names}", due)
        finally:
            for channel in channels:
                channel.leave_receivers(waiting)
        if waiting.served:
            index = next(i for i, channel in enumerate(channels) if channel is waiting.channel)
            return True, waiting.value, index
        if due is not None and scheduler.clock.ticks() >= due:
            return False, None, -1
        if all(channel.drained() for channel in channels):
            return False, None, -1
