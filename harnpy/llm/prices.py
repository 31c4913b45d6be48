"""Prices of models: the catalog's row first, then the usual price of the provider (llm 13.4)."""

from __future__ import annotations

from harnpy.llm.resolve import split_selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.catalog import Catalog

# USD per 1000 tokens, in and out, for models without a row.
_PROVIDER_PRICES = {
    "anthropic": ("0.003", "0.015"),
    "openai": ("0.0025", "0.010"),
    "openrouter": ("0.003", "0.015"),
    "gemini": ("0.00125", "0.005"),
    "deepseek": ("0.00014", "0.00028"),
    "ollama": ("0", "0"),
    "local": ("0", "0"),
}


def per_mtok(
    provider: str | None, model: str, catalog: Catalog, tier: dict[str, Any] | None = None
) -> dict[str, Any] | None:
    """Give ``{provider, model, input_per_mtok, ..., source}``, or ``None`` when no price is known.

    ``tier`` is the serving tier of the catalog that the call goes to, when it is not the usual one.
    """
    if model and catalog.model(model) is None:
        chosen, model = split_selector(model, catalog)
        provider = provider or chosen
    row = catalog.model(model) if model else None
    if row is not None and tier is not None:
        return _of_row(row, tier["pricing"], "catalog_serving_tier")
    prices = None if row is None else catalog.pricing(row)
    if row is not None and prices is not None:
        return _of_row(row, prices, "catalog_model")
    usual = _usual(provider or "", catalog)
    if usual is None:
        return None
    from decimal import Decimal

    return {
        "provider": provider,
        "model": model,
        "input_per_mtok": float(Decimal(usual[0]) * 1000),
        "output_per_mtok": float(Decimal(usual[1]) * 1000),
        "cache_read_per_mtok": None,
        "cache_write_per_mtok": None,
        "source": "provider_economics",
    }


def _of_row(row: dict[str, Any], prices: dict[str, Any], source: str) -> dict[str, Any]:
    return {
        "provider": row["provider"],
        "model": row["id"],
        "input_per_mtok": prices["input_per_mtok"],
        "output_per_mtok": prices["output_per_mtok"],
        "cache_read_per_mtok": prices.get("cache_read_per_mtok"),
        "cache_write_per_mtok": prices.get("cache_write_per_mtok"),
        "source": source,
    }


_CACHE_LIMIT = 1000


def per_1k(provider: str, model: str, catalog: Catalog) -> dict[str, float] | None:
    """Give ``{input, output}`` in USD per 1000 tokens, or ``None`` when no price is known.

    Middleware asks for every call, so the answers are kept.
    """
    row = catalog.model(split_selector(model, catalog)[1])
    day = catalog.day() if row is not None and "price_changes" in row else ""
    key = (provider, model, day)
    kept = catalog.per_1k
    if key not in kept:
        if len(kept) >= _CACHE_LIMIT:
            kept.clear()
        kept[key] = _read_per_1k(provider, model, catalog)
    return kept[key]


def _usual(provider: str, catalog: Catalog) -> tuple[str, str] | None:
    """Give what a provider usually takes per 1000 tokens: its overlay row first."""
    row = catalog.provider_rows.get(provider, {})
    if "cost_per_1k_in" in row and "cost_per_1k_out" in row:
        return str(row["cost_per_1k_in"]), str(row["cost_per_1k_out"])
    return _PROVIDER_PRICES.get(provider)


def _read_per_1k(provider: str, model: str, catalog: Catalog) -> dict[str, float] | None:
    prices = per_mtok(provider, model, catalog)
    if prices is None:
        return None
    from decimal import Decimal

    return {side: float(Decimal(str(prices[f"{side}_per_mtok"])) / 1000) for side in ("input", "output")}


def format_usd(amount: float, precision: int | None = None, sign: bool = False) -> str:
    """Write an amount of money: more digits the smaller it is."""
    if amount != amount:
        return "$NaN"
    size = abs(amount)
    digits = precision
    if digits is None:
        digits = 2 if size == 0 or size >= 100 else 4 if size >= 1 else 6
    lead = "-" if amount < 0 else "+" if sign else ""
    return f"{lead}${size:,.{digits}f}"
