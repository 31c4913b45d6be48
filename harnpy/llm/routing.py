"""The routing policy of a call as a value: its parts, read and checked from a dict (llm 12.1)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.errors import CATEGORIES
from harnpy.llm.kinds import kind_of, quoted
from harnpy.llm.options import is_number
from harnpy.llm.spelling import close_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.verifier_specs import VerifierSpec

    Dict = dict[str, Any]

DEFAULT_DISPATCH = "llm.routing"
_KEYS = ("budget", "chain", "escalate_on", "failover", "label", "latency", "max_refines_per_link", "observe")
_KIND_ALIASES = {
    "transient": "transient_network", "network": "transient_network", "provider_error": "server_error",
    "provider_5xx": "server_error", "rate_limited": "rate_limit",
}  # fmt: skip
_DEFAULT_STATUSES = frozenset((408, 429, 500, 502, 503, 504))
_DEFAULT_KINDS = frozenset(("rate_limit", "overloaded", "transient_network", "timeout", "circuit_open", "server_error"))


def fault(text: str) -> HarnError:
    """Make the error of a bad policy."""
    return thrown_text(f"routing_policy{text}")


class Link:
    """One route of a chain."""

    __slots__ = ("label", "model", "provider", "region", "timeout_ms")

    def __init__(self, provider: str, model: str, label: str, timeout_ms: int | None, region: str | None) -> None:
        self.provider = provider
        self.model = model
        self.label = label
        self.timeout_ms = timeout_ms
        self.region = region

    def value(self) -> Dict:
        """Give the link as a dict."""
        fields: Dict = {"provider": self.provider, "model": self.model, "label": self.label}
        if self.timeout_ms is not None:
            fields["timeout_ms"] = self.timeout_ms
        if self.region is not None:
            fields["region"] = self.region
        return fields


class Policy:
    """A checked routing policy. Never changed after it was made."""

    def __init__(self, config: Dict) -> None:
        for key in sorted(config):
            if key not in _KEYS:
                raise fault(f": unknown key `{key}` (expected one of {', '.join(_KEYS)})")
        self.chain = _chain(config.get("chain"))
        self._failover(_table(config, "failover", ("max_attempts", "on_error_kinds", "on_status", "on_timeout_ms")))
        latency = _table(config, "latency", ("race_after_ms", "target_p95_ms"))
        self.race_after_ms = _whole(latency, "latency", "race_after_ms", 0)
        self.target_p95_ms = _whole(latency, "latency", "target_p95_ms", 0)
        self._budget(config.get("budget"))
        observe = _table(config, "observe", ("emit_event",))
        self.dispatch = _text(observe, ".observe", "emit_event") or DEFAULT_DISPATCH
        refines = _whole(config, "", "max_refines_per_link", 0)
        self.max_refines = 1 if refines is None else refines
        self.verifiers: list[VerifierSpec] = []
        if config.get("escalate_on") is not None:
            from harnpy.llm.verifier_specs import verifiers_of

            self.verifiers = verifiers_of(config["escalate_on"])
        self.label = _text(config, "", "label") or f"routing_policy(chain={len(self.chain)})"
        self._limit_attempts()

    def _failover(self, failover: Dict) -> None:
        self.on_status = _statuses(failover.get("on_status"))
        self.on_timeout_ms = _whole(failover, "failover", "on_timeout_ms", 1)
        self.on_error_kinds = _error_kinds(failover.get("on_error_kinds"))
        self._max_attempts = _whole(failover, "failover", "max_attempts", 1)
        self.has_rules = any(failover.get(key) is not None for key in ("on_status", "on_timeout_ms", "on_error_kinds"))

    def _budget(self, budget: Any) -> None:
        self.has_budget = budget is not None
        table = {} if budget is None else _as_table(budget, "budget", ("on_exceed", "per_call_usd", "session_usd"))
        self.per_call_usd = _money(table, "per_call_usd")
        self.session_usd = _money(table, "session_usd")
        on_exceed = table.get("on_exceed") or "abort"
        if on_exceed not in ("abort", "skip", "downgrade", "warn"):
            raise fault(f".budget.on_exceed: expected one of abort|skip|warn, got {quoted(on_exceed)}")
        self.on_exceed = "skip" if on_exceed == "downgrade" else str(on_exceed)

    def _limit_attempts(self) -> None:
        links = len(self.chain)
        free = links + links * self.max_refines if self.verifiers else links
        self.max_attempts = free if self._max_attempts is None else self._max_attempts

    def eligible(self, error: Any) -> bool:
        """Tell whether a failed attempt may be followed by the next link."""
        if type(error) is not dict:
            return False
        status, category = error.get("status"), error.get("category")
        if category == "schema_stream_aborted":  # the same fault, found earlier
            category = "schema_validation"
        if not self.has_rules:
            return status in _DEFAULT_STATUSES or category in _DEFAULT_KINDS
        if status in self.on_status or category in self.on_error_kinds:
            return True
        return self.on_timeout_ms is not None and "timeout" in (category, error.get("reason"))

    def value(self, handle: int) -> Dict:
        """Give the tagged dict that stands for the policy in a script."""
        value: Dict = {
            "__routing_policy__": True,
            "__handle__": handle,
            "label": self.label,
            "chain": [link.value() for link in self.chain],
            "failover": {
                "on_status": sorted(self.on_status),
                "on_timeout_ms": self.on_timeout_ms,
                "on_error_kinds": list(self.on_error_kinds),
                "max_attempts": self.max_attempts,
            },
            "latency": {"race_after_ms": self.race_after_ms, "target_p95_ms": self.target_p95_ms},
            "observe": {"emit_event": self.dispatch},
        }
        if self.has_budget:
            limits = {"per_call_usd": self.per_call_usd, "session_usd": self.session_usd}
            value["budget"] = {**limits, "on_exceed": self.on_exceed}
        if self.verifiers:
            value["escalate_on"] = [spec.summary() for spec in self.verifiers]
            value["max_refines_per_link"] = self.max_refines
        return value


def policy_of(config: Any) -> Policy:
    """Read a policy.

    Raises:
        HarnError: a thrown string that names the first part which cannot be used.
    """
    if type(config) is not dict:
        raise fault(f": expected a dict, got {kind_of(config)}")
    if config.get("chain") is None:
        raise fault(": `chain` is required (list of {provider, model})")
    return Policy(config)


def _chain(chain: Any) -> list[Link]:
    if type(chain) is not list:
        raise fault(f".chain: expected a list, got {kind_of(chain)}")
    if not chain:
        raise fault(".chain: at least one {provider, model} entry is required")
    return [_link(index, entry) for index, entry in enumerate(chain)]


def _link(index: int, entry: Any) -> Link:
    place = f".chain[{index}]"
    if type(entry) is str:
        provider, _, model = entry.partition(":")
        entry = {"provider": provider, "model": model}
    if type(entry) is not dict:
        raise fault(f'{place}: expected {{provider, model}} or "provider:model", got {kind_of(entry)}')
    fields = _as_table(entry, place[1:], ("label", "model", "provider", "region", "timeout_ms"))
    provider, model = ((_text(fields, place, key) or "").strip() for key in ("provider", "model"))
    if not provider or not model:
        raise fault(f'{place}: both provider and model are required (got provider="{provider}", model="{model}")')
    label = _text(fields, place, "label") or f"{provider}:{model}"
    return Link(provider, model, label, _whole(fields, place[1:], "timeout_ms", 1), _text(fields, place, "region"))


def _table(config: Dict, key: str, fields: tuple[str, ...]) -> Dict:
    return {} if config.get(key) is None else _as_table(config[key], key, fields)


def _as_table(value: Any, key: str, fields: tuple[str, ...]) -> Dict:
    if type(value) is not dict:
        raise fault(f".{key}: expected a dict, got {kind_of(value)}")
    unknown = next((name for name in sorted(value) if name not in fields), None)
    if unknown is not None:
        raise fault(f".{key}: unknown key `{unknown}` (expected one of {', '.join(fields)})")
    table: Dict = value
    return table


def _text(fields: Dict, place: str, key: str) -> str | None:
    value = fields.get(key)
    if value is not None and type(value) is not str:
        raise fault(f"{place}.{key}: expected a string, got {kind_of(value)}")
    return value


def _whole(fields: Dict, place: str, key: str, least: int) -> int | None:
    value = fields.get(key)
    full = f".{place}.{key}" if place else f".{key}"
    if value is None:
        return None
    if type(value) is not int:
        raise fault(f"{full}: expected an integer, got {kind_of(value)}")
    if value < least:
        raise fault(f"{full}: must be >= {least}")
    return value


def _money(budget: Dict, key: str) -> Any:
    value = budget.get(key)
    if value is not None and not (is_number(value) and value >= 0):
        raise fault(f".budget.{key}: expected a non-negative number, got {quoted(value)}")
    return value


def _statuses(statuses: Any) -> frozenset[int]:
    if statuses is None:
        return frozenset()
    if type(statuses) is not list:
        raise fault(f".failover.on_status: expected a list, got {kind_of(statuses)}")
    for status in statuses:
        if type(status) is not int:
            raise fault(f".failover.on_status: expected integers, got {kind_of(status)}")
        if not 100 <= status <= 599:
            raise fault(f".failover.on_status: {status} is not a valid HTTP status (100..=599)")
    return frozenset(statuses)


def _error_kinds(kinds: Any) -> tuple[str, ...]:
    if kinds is None:
        return ()
    if type(kinds) is str:
        kinds = [part for part in (word.strip() for word in kinds.split(",")) if part]
    if type(kinds) is not list or any(type(kind) is not str for kind in kinds):
        raise fault(f".failover.on_error_kinds: expected a list of strings, got {kind_of(kinds)}")
    for kind in kinds:
        known = (*CATEGORIES, *_KIND_ALIASES)
        hint = close_to(kind.strip().lower(), known) if kind.strip().lower() not in known else ""
        if hint:
            raise fault(f'.failover.on_error_kinds: unknown kind "{kind}"{hint}')
    return tuple(_KIND_ALIASES.get(kind.strip().lower(), kind.strip().lower()) for kind in kinds)
