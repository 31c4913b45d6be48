"""Checks a call against its budget and that of the run before anything is sent (llm 13.2, 13.3)."""

from __future__ import annotations

from harnpy.errors import HarnError, thrown_text
from harnpy.llm.errors import local_error
from harnpy.llm.kinds import kind_of
from harnpy.llm.options import is_number
from harnpy.llm.prices import per_mtok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.usage import Totals

    Dict = dict[str, Any]

_KEYS = ("max_input_tokens", "max_output_tokens", "max_cost_usd", "total_budget_usd")
_FORM = "budget: expected a dict {max_cost_usd?, total_budget_usd?, max_input_tokens?, max_output_tokens?}"
# What a call without ``max_tokens`` is expected to write at most, for its price.
_PROJECTED_OUTPUT = 4096


def budget_of(option: Any) -> Dict:
    """Read the option ``budget``: a number is the limit of the call's cost."""
    if option is None:
        return {}
    if type(option) in (int, float):
        option = {"max_cost_usd": option}
    if type(option) is not dict or any(key not in _KEYS for key in option):
        raise thrown_text(_FORM)
    for key in _KEYS:
        fault = None if option.get(key) is None else _fault(key, option[key])
        if fault is not None:
            raise thrown_text(f"budget.{key}: {fault}")
    return {key: option[key] for key in _KEYS if option.get(key) is not None}


def _fault(key: str, value: Any) -> str | None:
    if key.endswith("_tokens"):
        return None if type(value) is int and value >= 0 else f"expected an integer, got {kind_of(value)}"
    if type(value) not in (int, float):
        return "expected a non-negative number"
    if not is_number(value):
        return "expected a finite number"
    return None if value >= 0 else "expected a non-negative number"


def estimate_tokens(value: Any) -> int:
    """Estimate the tokens of a value: a quarter of its bytes; numbers, bools and nil count 1."""
    if type(value) is str:
        return -(-len(value.encode("utf-8", "replace")) // 4)
    if type(value) is list:
        return sum(estimate_tokens(item) for item in value)
    if type(value) is dict:
        return sum(estimate_tokens(key) + estimate_tokens(item) for key, item in value.items())
    return 1


class Projection:
    """What a call will use at most, as far as that can be known before."""

    __slots__ = ("cost", "input", "output")

    def __init__(self, request: Request) -> None:
        provider, model = request.error_place()
        self.input = estimate_tokens([request.messages, request.system or "", request.tools or ""])
        self.output = request.max_tokens
        self.cost: Any = None
        named = None if provider == "mock" else provider
        prices = per_mtok(named, model if model != "mock" else "", request.models, request.tier)
        if prices is not None:
            from decimal import Decimal

            asked = request.option("max_tokens")
            written = _PROJECTED_OUTPUT if asked is None else asked
            price_in, price_out = (Decimal(str(prices[f"{side}_per_mtok"])) for side in ("input", "output"))
            self.cost = (self.input * price_in + written * price_out) / 1_000_000


def over_routing_budget(
    request: Request, totals: Totals, per_call: float | None, session: float | None
) -> tuple[str, HarnError] | None:
    """Give ``per_call`` or ``session`` and the error, when a request would pass a limit of its routing policy."""
    if per_call is None and session is None:
        return None
    projection = Projection(request)
    if projection.cost is None:
        return None
    after = totals.cost + projection.cost
    checks = (
        ("per_call", per_call, projection.cost, f"cost ${_money(projection.cost)}"),
        ("session", session, after, f"session cost ${_money(after)}"),
    )
    for kind, limit, projected, words in checks:
        if limit is not None and _is_over(projected, limit):
            message = f"LLM budget exceeded before provider call: projected {words} would exceed {kind}_usd"
            return kind, _exceeded(request, f"{kind}_usd", limit, message, projection, totals)
    return None


def check_budget(request: Request, totals: Totals, session_limit: float | None) -> None:
    """Refuse a call that would pass one of its limits, or that follows a budget which is used up."""
    budget = request.budget
    if budget:
        _check_call(request, budget, Projection(request), totals)
    if session_limit is not None and _is_over(totals.cost, session_limit):
        message = f"LLM budget exceeded: spent ${float(totals.cost):.4f} of ${session_limit:.4f} budget"
        raise _exceeded(request, "session_budget", session_limit, message, None, totals)
    shared = totals.shared
    if shared is not None and shared.limit is not None and _is_over(shared.cost, shared.limit):
        spent = f"spent ${float(shared.cost):.4f} of ${shared.limit:.4f} that several sessions share"
        raise _exceeded(request, "shared_budget", shared.limit, f"LLM budget exceeded: {spent}", None, totals)


def _check_call(request: Request, budget: Dict, projection: Projection, totals: Totals) -> None:
    session = None if projection.cost is None else totals.cost + projection.cost
    checks = (
        ("max_input_tokens", projection.input, f"input tokens {projection.input}"),
        ("max_output_tokens", projection.output, f"output tokens {projection.output}"),
        ("max_cost_usd", projection.cost, f"cost ${_money(projection.cost)}"),
        ("total_budget_usd", session, f"session cost ${_money(session)}"),
    )
    for key, projected, words in checks:
        limit = budget.get(key)
        if limit is not None and _is_over(projected, limit):
            message = f"LLM budget exceeded before provider call: projected {words} would exceed {key}"
            raise _exceeded(request, key, limit, message, projection, totals)


def _is_over(projected: Any, limit: Any) -> bool:
    """Tell whether an amount is over a limit, as the limit is written: 0.1 is a tenth, not the float nearest to it."""
    if projected is None:
        return False
    if type(limit) is int:
        return bool(projected > limit)
    from decimal import Decimal

    return bool(projected > Decimal(str(limit)))


def _money(amount: Any) -> str:
    return "" if amount is None else f"{float(amount):.6f}"


def _exceeded(
    request: Request, limit: str, value: float, message: str, projection: Projection | None, totals: Totals
) -> HarnError:
    provider, model = request.error_place()
    cost = None if projection is None or projection.cost is None else float(projection.cost)
    return local_error(
        "budget_exceeded",
        message,
        provider,
        model,
        limit=limit,
        limit_value=value,
        projected_cost_usd=cost,
        session_cost_usd=float(totals.cost),
        projected_input_tokens=None if projection is None else projection.input,
        projected_output_tokens=None if projection is None else projection.output,
    )
