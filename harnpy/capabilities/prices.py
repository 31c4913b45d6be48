"""Prices as builtins (llm 13.4) and the token budgets of reasoning levels (llm 4.3)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.errors import thrown_text, type_error
from harnpy.llm.models import model_info
from harnpy.llm.prices import format_usd, per_1k, per_mtok
from harnpy.llm.spelling import slip
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_LEVEL_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 4096, "high": 12000, "xhigh": 12000, "max": 12000}


def _name(value: Any) -> str:
    return value if type(value) is str else ""


def pricing_per_1k_for(ctx: Context, provider: Any = None, model: Any = None) -> dict[str, float] | None:
    """Give ``{input, output}`` in USD per 1000 tokens, or nil when no price is known.

    The row of the model counts first, then the usual prices of the provider.
    """
    return per_1k(_name(provider), _name(model), llm_state(ctx).catalog)


def llm_pricing(ctx: Context, first: Any = None, second: Any = None) -> dict[str, Any] | None:
    """Give the prices of ``(model)``, ``(provider, model)`` or ``({provider?, model})``, nil when none is known.

    ``{provider, model, input_per_mtok, output_per_mtok, cache_read_per_mtok, cache_write_per_mtok, source}``, in
    USD per million tokens. Errors: throws a text without a model.
    """
    if type(first) is dict:
        provider, model = first.get("provider"), first.get("model")
    elif second is None:
        provider, model = None, first
    else:
        provider, model = first, second
    if not _name(model):
        raise thrown_text("llm_pricing: model is required")
    return per_mtok(_name(provider), _name(model), llm_state(ctx).catalog)


def llm_cost(ctx: Context, model: Any = None, input_tokens: Any = None, output_tokens: Any = None) -> Any:
    """Give the exact cost of so many tokens in USD, 0 when the price is unknown."""
    from decimal import Decimal

    prices = per_mtok(None, _name(model), llm_state(ctx).catalog)
    if prices is None:
        return 0
    spent = Decimal(0)
    for side, tokens in (("input", input_tokens), ("output", output_tokens)):
        spent += Decimal(str(prices[f"{side}_per_mtok"])) * (tokens if type(tokens) is int else 0)
    return spent / 1_000_000


def llm_compare_costs(ctx: Context, candidates: Any = None, options: Any = None) -> list[dict[str, Any]]:
    """Price candidates for so many tokens: cheapest first, unknown prices last, ties in the given order.

    A candidate is a model or ``{provider?, model}``. Options: ``input_tokens``, ``output_tokens``.
    Gives rows ``{provider, model, pricing, cost_usd}``.
    """
    from decimal import Decimal

    if type(candidates) is not list:
        raise type_error(f"llm_compare_costs: expected a list of candidates, got {type_of(candidates)}")
    settings = options if type(options) is dict else {}
    wrong = slip(settings, ("input_tokens", "output_tokens"))
    if wrong is not None:
        raise thrown_text(f"llm_compare_costs: {wrong}")
    tokens = {side: settings.get(f"{side}_tokens", 0) for side in ("input", "output")}
    if any(type(count) is not int or count < 0 for count in tokens.values()):
        raise thrown_text("llm_compare_costs: input_tokens and output_tokens must be non-negative integers")
    rows = []
    for candidate in candidates:
        given = candidate if type(candidate) is dict else {"model": candidate}
        row = _candidate(ctx, given)
        pricing = row["pricing"]
        if pricing is not None:
            spent = sum(Decimal(str(pricing[f"{side}_per_mtok"])) * count for side, count in tokens.items())
            row["cost_usd"] = float(spent / 1_000_000)
        rows.append(row)
    return sorted(rows, key=lambda row: (row["cost_usd"] is None, row["cost_usd"] or 0.0))


def _candidate(ctx: Context, given: dict[str, Any]) -> dict[str, Any]:
    model = _name(given.get("model"))
    if not model:
        raise thrown_text("llm_compare_costs: each candidate needs a model")
    state = llm_state(ctx)
    info = model_info(model, state.env, state.catalog)
    provider = _name(given.get("provider")) or info["provider"]
    pricing = per_mtok(provider, info["id"], state.catalog)
    return {**given, "provider": provider, "model": info["id"], "pricing": pricing, "cost_usd": None}


def llm_format_usd(amount: Any = None, options: Any = None) -> str:
    """Write an amount of USD: ``$1,234.50``, with 2 digits for 0 and from 100 on, 4 from 1 on, else 6.

    Options: ``precision`` (digits), ``sign`` (true writes a plus).
    """
    if type(amount) not in (int, float) and type(amount).__module__ != "decimal":
        raise type_error(f"llm_format_usd: expected a number, got {type_of(amount)}")
    settings = options if type(options) is dict else {}
    precision = settings.get("precision")
    digits = precision if type(precision) is int and 0 <= precision <= 20 else None
    return format_usd(float(amount), digits, bool(settings.get("sign")))


def llm_reasoning_effort_budget(level: Any = None) -> int | None:
    """Give the tokens that a reasoning level may use: 1024 for ``minimal`` and ``low``, 4096, 12000; nil for other
    words.
    """
    return _LEVEL_BUDGETS.get(_name(level).strip().lower())
