"""Prices as builtins (llm 13.4) and the token budgets of reasoning levels (llm 4.3)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.errors import thrown_text, type_error
from harnpy.llm.prices import format_usd, per_1k, per_mtok
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_LEVEL_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 4096, "high": 12000, "xhigh": 12000, "max": 12000}


def _name(value: Any) -> str:
    return value if type(value) is str else ""


def pricing_per_1k_for(ctx: Context, provider: Any = None, model: Any = None) -> dict[str, float] | None:
    """Give ``{input, output}`` in USD per 1000 tokens, or nil."""
    return per_1k(_name(provider), _name(model), llm_state(ctx).catalog)


def llm_pricing(ctx: Context, first: Any = None, second: Any = None) -> dict[str, Any] | None:
    """Give the prices of ``(model)``, ``(provider, model)`` or ``({provider?, model})``, or nil."""
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
    """Give the exact cost of so many tokens, 0 when the price is unknown."""
    from decimal import Decimal

    prices = per_mtok(None, _name(model), llm_state(ctx).catalog)
    if prices is None:
        return 0
    spent = Decimal(0)
    for side, tokens in (("input", input_tokens), ("output", output_tokens)):
        spent += Decimal(str(prices[f"{side}_per_mtok"])) * (tokens if type(tokens) is int else 0)
    return spent / 1_000_000


def llm_format_usd(amount: Any = None, options: Any = None) -> str:
    """Write an amount of money."""
    if type(amount) not in (int, float) and type(amount).__module__ != "decimal":
        raise type_error(f"llm_format_usd: expected a number, got {type_of(amount)}")
    settings = options if type(options) is dict else {}
    precision = settings.get("precision")
    digits = precision if type(precision) is int and 0 <= precision <= 20 else None
    return format_usd(float(amount), digits, bool(settings.get("sign")))


def llm_reasoning_effort_budget(level: Any = None) -> int | None:
    """Give the tokens of a reasoning level, nil for none."""
    return _LEVEL_BUDGETS.get(_name(level).strip().lower())
