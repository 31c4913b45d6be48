"""Choosing among models: contracts, reviewers, ladders, equivalents, defaults (llm 1.2, 11.7, 11.8, 12.7)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.capabilities.models import llm_catalog, llm_providers, selector_text
from harnpy.errors import thrown_text
from harnpy.llm.models import execution_contract, model_info
from harnpy.llm.resolve import split_selector
from harnpy.llm.reviewer import complementary_reviewer
from harnpy.llm.spelling import slip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

_TIERS = ("small", "mid", "frontier")


def llm_execution_contract(ctx: Context, selector: Any = None) -> Dict:
    """Give the receipt of how an id or alias is carried out; no call is made.

    ``{schema, requested_model, alias_chain, resolved_provider, resolved_model, catalog_version, wire_model,
    tool_format, tier, family, lineage, generation_defaults}``. Errors: throws a text for a blank selector.
    """
    state = llm_state(ctx)
    return execution_contract(selector, state.env, state.catalog)


def llm_complementary_reviewer(ctx: Context, options: Any = None) -> Dict:
    """Choose a model of another family to review an author's work; no call is made.

    Options: ``author_model`` (required), ``author_provider``, ``intent`` (``review``, ``critique`` or
    ``plan_review``), ``max_price_multiplier`` (against the author's price). Gives ``{intent, author, reviewer,
    fallback, fallback_reason, reason, estimated_incremental_cost}``; without a candidate ``fallback`` is true and
    the reviewer is the author.
    Errors: throws a text for wrong options.
    """
    state = llm_state(ctx)
    return complementary_reviewer(options, state.env, state.catalog)


def llm_model_ladder(ctx: Context, name: Any = None) -> Dict | None:
    """Give the ladder of the catalog called ``name``: ``{label?, steps: [{model, options?}]}``, or nil."""
    row = llm_state(ctx).catalog.ladder(selector_text("llm_model_ladder", name))
    return None if row is None else {**row, "steps": [dict(step) for step in row["steps"]]}


def llm_equivalent_models(ctx: Context, selector: Any = None) -> list[Dict]:
    """Give the rows of the models that count as the same one at other providers, its own row first."""
    catalog = llm_state(ctx).catalog
    _, model = split_selector(selector_text("llm_equivalent_models", selector), catalog)
    return [catalog.current(row) for row in catalog.equivalents(model)]


def llm_qc_default_model(ctx: Context, provider: Any = None) -> str | None:
    """Give the id of the model that checks the work of a provider's models, or nil."""
    name: str | None = llm_state(ctx).catalog.keyed["qc_defaults"].get(selector_text("llm_qc_default_model", provider))
    return name


def llm_model_defaults(ctx: Context, selector: Any = None) -> Dict:
    """Give the call options that the catalog fills in for a model; ``{}`` when it has none."""
    catalog = llm_state(ctx).catalog
    _, model = split_selector(selector_text("llm_model_defaults", selector), catalog)
    return catalog.defaults(model)


def llm_pick_model(ctx: Context, target: Any = None, options: Any = None) -> Dict:
    """Give ``{id, provider, tier}`` of a model, an alias or a tier (``small``, ``mid``, ``frontier``).

    Options: ``provider`` asks for a model of that provider. Errors: throws a text when it has none of the tier.
    """
    state = llm_state(ctx)
    name = selector_text("llm_pick_model", target)
    if not name:
        raise thrown_text("llm_pick_model: target is required")
    given = options if type(options) is dict else {}
    wrong = slip(given, ("provider",))
    if wrong is not None:
        raise thrown_text(f"llm_pick_model: {wrong}")
    wanted = given.get("provider")
    if name in _TIERS:
        if wanted is not None:
            return _of_tier(ctx, name, str(wanted))
        name = "tier/" + name
    info = model_info(name, state.env, state.catalog)
    return {"id": info["id"], "provider": wanted or info["provider"], "tier": info["tier"]}


def _of_tier(ctx: Context, tier: str, provider: str) -> Dict:
    rows = llm_state(ctx).catalog.models.values()
    fitting = [row for row in rows if row["provider"] == provider and row.get("tier") == tier]
    current = [row for row in fitting if not row.get("deprecated")]
    if not current:
        raise thrown_text(f"llm_pick_model: no {tier} model of provider `{provider}` in the catalog")
    return {"id": current[0]["id"], "provider": provider, "tier": tier}


def llm_provider_catalog(ctx: Context) -> Dict:
    """Give everything that the catalog knows.

    ``{catalog_version, providers, aliases, models, qc_defaults, model_ladders, model_roles}``.
    """
    catalog = llm_state(ctx).catalog
    aliases = {name: dict(row) for name, row in catalog.aliases.items()}
    return {
        "catalog_version": catalog.version,
        "providers": llm_providers(ctx),
        "aliases": aliases,
        "models": llm_catalog(ctx),
        "qc_defaults": dict(catalog.keyed["qc_defaults"]),
        "model_ladders": {name: dict(row) for name, row in catalog.keyed["model_ladders"].items()},
        "model_roles": {name: dict(row) for name, row in catalog.keyed["model_roles"].items()},
    }


def llm_catalog_refresh(ctx: Context, _options: Any = None) -> Dict:
    """Say ``{refreshed: false, catalog_version, reason}``: the catalog comes from files, and nothing is fetched."""
    version = llm_state(ctx).catalog.version
    return {
        "refreshed": False,
        "catalog_version": version,
        "reason": "the catalog is read from files; nothing is fetched",
    }
