"""What a routed call leaves behind: attempts, events, and the error when every route failed (llm 12.5, 12.6)."""

from __future__ import annotations

from harnpy.builtins.events import topic_emit
from harnpy.errors import HarnError
from harnpy.llm.errors import TERMINAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.routing import Link, Policy
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

_ERROR_FIELDS = ("category", "message", "code", "reason", "attempt_count", "status")
RACE_EXHAUSTED = "routing_policy: race exhausted both primary and backup attempts"


class Record:
    """Attempts and events of one dispatch."""

    def __init__(self, ctx: Context, policy: Policy, session_id: str) -> None:
        self._ctx = ctx
        self._policy = policy
        self._session_id = session_id
        self.attempts: list[Dict] = []
        self.requested = 0

    def emit(self, event: str, **payload: Any) -> None:
        """Append one event to the event log and deliver it to the session of the call."""
        name = f"{self._policy.dispatch}.{event}"
        full = {"event": event, "policy": self._policy.label, **payload}
        topic_emit(self._ctx, self._policy.dispatch, name, full)
        self._ctx.events.emit(self._session_id, name, full)

    def decision(self) -> None:
        """Tell what will be tried."""
        chain = [{"provider": link.provider, "model": link.model, "label": link.label} for link in self._policy.chain]
        self.emit("decision", chain_length=len(chain), max_attempts=self._policy.max_attempts, chain=chain)

    def on_link(self, event: str, link: Link, **payload: Any) -> None:
        """Tell of something that happened to one link."""
        fields = {"provider": link.provider, "model": link.model, "link_label": link.label}
        self.emit(event, attempt=payload.pop("attempt", self.requested), **fields, **payload)

    def begin(self, link: Link) -> Dict:
        """Note a request that is about to be made."""
        self.requested += 1
        self.on_link("attempt", link)
        return self._entry(link, "running")

    def skip(self, link: Link, error: Any) -> None:
        """Note a link that was passed over without a request."""
        self._entry(link, "skipped")["error"] = error_summary(error)

    def _entry(self, link: Link, status: str) -> Dict:
        entry: Dict = {
            "index": len(self.attempts) + 1,
            "provider": link.provider,
            "model": link.model,
            "label": link.label,
            "status": status,
            "duration_ms": 0,
        }
        self.attempts.append(entry)
        return entry

    def routing(self, entry: Dict, session_cost: float) -> Dict:
        """Give the ``routing`` block of a result."""
        return {
            "policy": self._policy.label,
            "attempts": self.attempts,
            "selected": self.attempts.index(entry),
            "session_cost_usd": session_cost,
        }

    def with_attempts(self, error: HarnError) -> HarnError:
        """Give an error that ends the dispatch early, with the attempts when there were several."""
        if self.requested < 2 or type(error.value) is not dict:
            return error
        extra = {"attempts": self.attempts, "attempt_count": self.requested}
        return HarnError({**error.value, **extra}, thrown=error.thrown)

    def exhausted(self, last: Dict) -> HarnError:
        """Tell that nothing is left, and give the error of that."""
        optional = {key: last[key] for key in ("code", "reason", "status") if last.get(key) is not None}
        self.emit(
            "exhausted",
            attempts=self.requested,
            last_error_category=last["category"],
            last_error_message=last["message"],
            attempt_chain=self.attempts,
            **{f"last_error_{key}": value for key, value in optional.items()},
        )
        routes = {(entry["provider"], entry["model"]) for entry in self.attempts}
        place: Dict = {"no_single_route": True}
        if len(routes) == 1:
            place = dict(zip(("provider", "model"), next(iter(routes)), strict=True))
        count = self.requested
        return HarnError(
            {
                "category": last["category"],
                "code": "provider_exhausted",
                "kind": TERMINAL,
                "reason": last.get("reason") or "provider_exhausted",
                "message": f"provider routes exhausted after {count} request attempt(s) across {len(routes)} route(s)",
                "origin": last.get("origin", "provider"),
                "attempt_count": count,
                "attempts": self.attempts,
                **place,
            }
        )


def error_summary(error: Any) -> Dict:
    """Give the parts of an error that an attempt shows."""
    if type(error) is not dict:
        return {"category": "generic", "message": str(error)}
    return {key: error[key] for key in _ERROR_FIELDS if error.get(key) is not None}
