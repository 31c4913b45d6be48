"""Tokens and money of a reply (llm 13.1). Sums of money are exact decimals until they become results."""

from __future__ import annotations

from harnpy.llm.json_values import INT_MAX
from harnpy.llm.prices import per_mtok
from harnpy.llm.serving import served_in_tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply
    from harnpy.llm.sharing import SharedCalls


class Tokens:
    """The counts of a reply as reported; ``known`` is false when the server sent none, or what cannot be one.

    ``cached_inside`` tells whether the input count includes the cached tokens.
    """

    __slots__ = ("cache_read", "cache_write", "cached_inside", "input", "known", "output", "total")

    def __init__(
        self,
        input: int = 0,
        output: int = 0,
        cache_read: int = 0,
        cache_write: int = 0,
        total: int | None = None,
        known: bool = True,
        cached_inside: bool = True,
    ) -> None:
        self.input = input
        self.output = output
        self.cache_read = cache_read
        self.cache_write = cache_write
        self.total = total
        self.known = known
        self.cached_inside = cached_inside


def count(value: Any) -> int:
    """Read a reported count: numeric strings count, everything odd or negative is 0."""
    return max(0, _number(value))


def sum_of(*counts: int) -> int:
    """Add counts, up to the largest int of the language."""
    return min(sum(counts), INT_MAX)


def are_counts(*values: Any) -> bool:
    """Tell whether all these are counts: what stands for an odd one is 0, but nobody knows what is to be paid."""
    return all(_number(value) >= 0 for value in values)


def _number(value: Any) -> int:
    """Give the whole number that a value is, or -1."""
    if type(value) is str:
        try:
            value = float(value)
        except ValueError:
            return -1
    if type(value) is float:
        value = int(value) if value - value == 0.0 else -1
    return min(value, INT_MAX) if type(value) is int else -1


def _prices(reply: Reply, request: Request, tier: dict[str, Any] | None) -> dict[str, Any] | None:
    """Give the prices of a reply: those of the model that served it, else of the one that was asked for."""
    provider, asked = request.error_place()
    model, catalog = reply.model, request.models
    if reply.provider == provider and (tier is not None or catalog.model(model) is None):
        # Servers answer with longer ids: a date, a variant, or the name on their wire.
        model = asked if catalog.model(asked) is not None else model
    return None if model in ("", "mock") else per_mtok(reply.provider, model, catalog, tier)


def cost_of(reply: Reply, request: Request, tier: dict[str, Any] | None) -> tuple[Decimal, Decimal] | None:
    """Give what a reply cost and what the cache saved, in USD; ``None`` without known prices or counts."""
    prices, tokens = _prices(reply, request, tier), reply.tokens
    if prices is None or not tokens.known:
        return None
    from decimal import Decimal

    price_in, price_out = Decimal(str(prices["input_per_mtok"])), Decimal(str(prices["output_per_mtok"]))
    price_read, price_write = (
        price_in if prices[key] is None else Decimal(str(prices[key]))
        for key in ("cache_read_per_mtok", "cache_write_per_mtok")
    )
    read, write = tokens.cache_read, tokens.cache_write
    uncached = max(0, tokens.input - read - write) if tokens.cached_inside else tokens.input
    spent = uncached * price_in + read * price_read + write * price_write + tokens.output * price_out
    saved = read * (price_in - price_read) + write * (price_in - price_write)
    return spent / 1_000_000, saved / 1_000_000


def _hit_ratio(tokens: Tokens) -> float | None:
    cached = tokens.cache_read + tokens.cache_write
    total = tokens.input if cached <= tokens.input else tokens.input + cached
    return tokens.cache_read / total if cached and total else None


def usage_dict(reply: Reply, request: Request, *, simulated_cost: float | None = None) -> dict[str, Any]:
    """Give the ``usage`` of a result for one provider call."""
    tokens, row = reply.tokens, request.row
    fast = served_in_tier(request.tier, reply.serving_tier)
    priced = cost_of(reply, request, request.tier if fast else None)
    cost = float(priced[0]) if priced is not None else None
    if simulated_cost is not None:
        cost = simulated_cost
    usage: dict[str, Any] = {
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cost_usd": cost,
        "known_cost_usd": cost or 0.0,
        "provider_call_count": 1,
        "unpriced_calls": 0 if cost is not None else 1,
        "usage_unknown_calls": 0 if tokens.known else 1,
        "cache_read_tokens": tokens.cache_read,
        "cache_write_tokens": tokens.cache_write,
        "cache_supported": _visibility(tokens, reply.provider, row) is None,
        "cache_visibility": _visibility(tokens, reply.provider, row),
        "cache_savings_usd": float(priced[1]) if priced is not None else 0.0,
        "served_fast": fast,
        "accounting_status": "reported" if tokens.known else "unknown",
        "provider_attempts": {"total": 1, "retries": 0, "rate_limited": 0, "empty_completion": 0, "other": 0},
    }
    ratio = _hit_ratio(tokens)
    if ratio is not None:
        usage["cache_hit_ratio"] = ratio
    if tokens.total is not None:
        usage["reported_total_tokens"] = tokens.total
    return usage


def _visibility(tokens: Tokens, provider: str, row: dict[str, Any] | None) -> str | None:
    """Tell why nothing is known of cached tokens: the route has no prompt cache, or nobody says whether it has."""
    if tokens.cache_read or tokens.cache_write or provider == "mock":
        return None
    if row is None:
        return "undeclared"
    return None if row["prompt_caching"] else "unsupported"


def add_usage(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Add the usage of an earlier attempt to that of the reply which is returned."""
    from decimal import Decimal

    summed = dict(second)
    for key in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "provider_call_count",
                "unpriced_calls", "usage_unknown_calls"):  # fmt: skip
        summed[key] = sum_of(first[key], second[key])
    for key in ("known_cost_usd", "cache_savings_usd"):
        summed[key] = float(Decimal(str(first[key])) + Decimal(str(second[key])))
    both = (first["cost_usd"], second["cost_usd"])
    summed["cost_usd"] = None if None in both else float(sum(Decimal(str(cost)) for cost in both))
    attempts = {key: first["provider_attempts"][key] + value for key, value in second["provider_attempts"].items()}
    summed["provider_attempts"] = attempts
    return summed


class Totals:
    """What the calls of a run used so far; ``shared`` counts their cost with that of other runs."""

    __slots__ = ("calls", "cost", "duration_ms", "input", "output", "shared")

    def __init__(self) -> None:
        self.calls = 0
        self.input = 0
        self.output = 0
        self.duration_ms = 0
        self.cost: Any = 0
        self.shared: SharedCalls | None = None

    def add(self, usage: dict[str, Any], duration_ms: int) -> None:
        """Count one finished call."""
        from decimal import Decimal

        self.calls += usage["provider_call_count"]
        self.input = sum_of(self.input, usage["input_tokens"])
        self.output = sum_of(self.output, usage["output_tokens"])
        self.duration_ms += duration_ms
        cost = Decimal(str(usage["known_cost_usd"]))
        self.cost += cost
        if self.shared is not None:
            self.shared.add(cost)

    def session_cost(self) -> dict[str, Any]:
        """Give ``{total_cost, input_tokens, output_tokens, call_count}``."""
        return {
            "total_cost": float(self.cost),
            "input_tokens": self.input,
            "output_tokens": self.output,
            "call_count": self.calls,
        }

    def usage(self) -> dict[str, int]:
        """Give the counters of ``harness.obs.llm_usage``."""
        return {
            "input_tokens": self.input,
            "output_tokens": self.output,
            "total_duration_ms": self.duration_ms,
            "call_count": self.calls,
            "total_calls": self.calls,
        }
