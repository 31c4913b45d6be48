"""The topic log behind ``event_log.*``: records with ids that rise per topic (builtins 1.19)."""

from __future__ import annotations

from harnpy.events.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# A topic keeps this many records; older ones go first, so that a long run stays bounded.
MOST_RECORDS = 100_000


class TopicLog:
    """Append-only records per topic, kept for one run."""

    def __init__(self) -> None:
        self._records: dict[str, list[dict[str, Any]]] = {}

    def emit(self, topic: str, kind: str, payload: Any, headers: dict[str, Any], now_ms: int) -> int:
        """Append one record and give its id, which starts at 1 in each topic."""
        records = self._records.setdefault(topic, [])
        number = records[-1]["id"] + 1 if records else 1
        if len(records) >= MOST_RECORDS:
            del records[: MOST_RECORDS // 10]
        record = {"id": number, "cursor": number, "topic": topic, "kind": kind, "occurred_at_ms": now_ms}
        records.append({**record, "payload": redact(payload), "headers": redact(headers)})
        return number

    def latest(self, topic: str) -> int | None:
        """Give the id of the newest record, or ``None`` for an empty topic."""
        records = self._records.get(topic)
        return records[-1]["id"] if records else None

    def read(self, topic: str, cursor: int = 0) -> list[dict[str, Any]]:
        """Give the records after ``cursor``, oldest first."""
        records = self._records.get(topic)
        return [] if not records else records[max(cursor + 1 - records[0]["id"], 0) :]

    def topics(self) -> list[str]:
        """Give the names of all topics, sorted."""
        return sorted(self._records)
