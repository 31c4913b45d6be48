"""The event bus of a run: records, delivers and warns; delivery never breaks the emitter."""

from __future__ import annotations

from harnpy.events.catalogue import is_registered, shape
from harnpy.events.redact import redact, redact_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Event = dict[str, Any]
    Listener = Callable[[Event], None]

# The in-memory log keeps this many events; older ones go first, so that a long run stays bounded.
LOG_LIMIT = 100_000


def _drop(_text: str) -> None:
    """Default for warnings: nobody listens."""


class EventBus:
    """Delivers flat event dicts ``{type, session_id, ...}`` in emission order.

    ``log`` holds what was delivered. Every event is redacted before anyone sees it.
    """

    def __init__(self, warn: Callable[[str], None] = _drop) -> None:
        self.log: list[Event] = []
        self.warn = warn
        self._listeners: dict[str, list[Listener]] = {}
        self._sinks: list[Listener] = []
        self._warned: set[tuple[str, str]] = set()

    def emit(self, session_id: str, type_name: str, payload: dict[str, Any]) -> None:
        """Deliver one event; an unregistered type is dropped with one warning, an empty session is a no-op."""
        if session_id == "":
            return
        if not is_registered(type_name):
            self._warn_once(session_id, type_name)
            return
        event = shape(type_name, redact(payload))
        event["session_id"] = session_id
        if len(self.log) >= LOG_LIMIT:
            del self.log[: LOG_LIMIT // 10]
        self.log.append(event)
        for sink in self._sinks:
            self._deliver(sink, event)
        for listener in tuple(self._listeners.get(session_id, ())):
            self._deliver(listener, event)

    def subscribe(self, session_id: str, listener: Listener) -> Callable[[], None]:
        """Call ``listener(event)`` for every later event of the session; the result ends that."""
        listeners = self._listeners.setdefault(session_id, [])
        listeners.append(listener)

        def unsubscribe() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return unsubscribe

    def add_sink(self, sink: Listener) -> None:
        """Call ``sink(event)`` for every later event of every session."""
        self._sinks.append(sink)

    def _deliver(self, listener: Listener, event: Event) -> None:
        try:
            listener(event)
        except Exception as error:  # noqa: BLE001 (whatever a listener does, the emitter goes on)
            self.warn(redact_text(f"event listener failed on `{event['type']}`: {error}"))

    def _warn_once(self, session_id: str, type_name: str) -> None:
        key = (session_id, type_name)
        if key not in self._warned:
            self._warned.add(key)
            self.warn(f"unsupported event type `{type_name}`")
