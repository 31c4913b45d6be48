"""``event_log.subscribe``: a live stream of the records of a topic (builtins 1.19)."""

from __future__ import annotations

from harnpy.builtins.events import WAITING, topic_argument, topic_log
from harnpy.runtime.iterators import Pullable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


class TopicStream(Pullable):
    """The records of a topic after a cursor; a pull waits for the next record. It never ends by itself."""

    __slots__ = ("_ctx", "_cursor", "_topic")
    type_name = "stream"

    def __init__(self, ctx: Context, topic: str, cursor: int) -> None:
        self._ctx = ctx
        self._topic = topic
        self._cursor = cursor

    def pull(self) -> Any:
        """Give the next record."""
        log = topic_log(self._ctx)
        while (log.latest(self._topic) or 0) <= self._cursor:
            scheduler = self._ctx.scheduler
            waiting: dict[str, list[Any]] = self._ctx.services.setdefault(WAITING, {})
            waiting.setdefault(self._topic, []).append(scheduler.current)
            scheduler.park(f"a record of the topic {self._topic}")
        record = log.read(self._topic, self._cursor)[0]
        self._cursor = record["id"]
        return record

    def display_text(self) -> str:
        """Give the display form."""
        return "<stream>"

    def equals(self, other: object) -> bool:
        """A stream equals nothing."""
        return False


def topic_subscribe(ctx: Context, topic: Any = None, cursor: Any = None) -> TopicStream:
    """Give the stream of the records of a topic after ``cursor`` (default: all)."""
    if type(topic) is dict:
        options = topic
        topic = options.get("topic")
        cursor = next((options[key] for key in ("from_cursor", "cursor", "from") if options.get(key) is not None), None)
    return TopicStream(ctx, topic_argument("subscribe", topic), max(0, cursor) if type(cursor) is int else 0)
