"""Facts about models as builtins (llm 1.2, 4.3, 11)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.errors import thrown_text, type_error
from harnpy.events.redact import redact_text
from harnpy.llm.capability import capabilities_of
from harnpy.llm.models import model_info, resolved_options
from harnpy.llm.reasoning import apply_reasoning_policy
from harnpy.llm.resolve import infer_provider, split_selector
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

    Dict = dict[str, Any]


def selector_text(name: str, selector: Any) -> str:
    """Give the first argument of the function ``name``, which must be a text, without blanks around it."""
    if type(selector) is not str:
        raise type_error(f"{name} expects string argument 1, got {type_of(selector)}")
    return selector.strip()


def _selector(name: str, selector: Any) -> str:
    text = selector_text(name, selector)
    if not text:
        raise thrown_text(f"{name}: selector is required")
    return text


def llm_model_info(ctx: Context, selector: Any = None) -> Dict:
    """Describe the model that an id or alias names; always a dict.

    ``{id, provider, alias, tool_format, tier, family, lineage, capabilities, catalog, qc_default_model,
    auth_available}``; ``catalog`` is the whole row (``context_window`` in tokens, prices in USD per million
    tokens), nil for an unknown model, whose provider follows from its name and whose tier is ``mid``.
    Errors: a type error when ``selector`` is no text.
    """
    state = llm_state(ctx)
    return model_info(selector_text("llm_model_info", selector), state.env, state.catalog)


def llm_resolved_options(ctx: Context, options: Any = None) -> Dict:
    """Give call options with the alias and the provider resolved and the model's defaults filled in.

    Keys that are set stay as they are. Errors: throws a text when ``options`` is no dict or has no ``model``.
    """
    state = llm_state(ctx)
    return resolved_options(options, state.env, state.catalog)


def llm_apply_reasoning_policy(ctx: Context, options: Any = None) -> Dict:
    """Give call options with the ``thinking`` that their ``reasoning_policy`` means for their model.

    Policies: ``auto off minimal low medium high xhigh``; options without one come back unchanged.
    Errors: throws a text for an unknown policy.
    """
    state = llm_state(ctx)
    return apply_reasoning_policy(options, state.env, state.catalog)


def llm_resolve_model(ctx: Context, selector: Any = None) -> Dict:
    """Give ``{id, provider, tier, alias?}`` of an id or alias. Errors: throws a text for a blank one."""
    info = llm_model_info(ctx, _selector("llm_resolve_model", selector))
    resolved = {key: info[key] for key in ("id", "provider", "tier")}
    return resolved if info["alias"] is None else {**resolved, "alias": info["alias"]}


def llm_infer_provider(ctx: Context, model: Any = None) -> str:
    """Give the provider of a model id: that of its row, else the one that its name suggests."""
    state = llm_state(ctx)
    own, name = split_selector(_selector("llm_infer_provider", model), state.catalog)
    return own or infer_provider(name, state.env, state.catalog)


def llm_model_tier(ctx: Context, model: Any = None) -> str:
    """Give the tier of a model: ``small``, ``mid`` or ``frontier``; ``mid`` for an unknown one."""
    tier: str = llm_model_info(ctx, _selector("llm_model_tier", model))["tier"]
    return tier


def llm_known_models(ctx: Context) -> list[str]:
    """Give the names of all aliases, sorted."""
    return sorted(llm_state(ctx).catalog.aliases)


def llm_catalog(ctx: Context) -> list[Dict]:
    """Give the rows of all models, sorted by id."""
    catalog = llm_state(ctx).catalog
    return [catalog.current(row) for _, row in sorted(catalog.models.items())]


def llm_available_providers(ctx: Context) -> list[str]:
    """Give the providers whose key is there or that need none."""
    state = llm_state(ctx)
    return sorted(name for name, provider in state.catalog.providers.items() if provider.available(state.env))


def llm_providers(ctx: Context) -> list[Dict]:
    """Give ``{name, base_url, auth_available}`` of all providers."""
    state = llm_state(ctx)
    env = state.env
    return [
        {
            "name": name,
            "base_url": redact_text(provider.base(env)) if provider.base_url else "",
            "auth_available": provider.available(env),
        }
        for name, provider in sorted(state.catalog.providers.items())
    ]


def provider_capabilities(ctx: Context, provider: Any = None, model: Any = None) -> Dict:
    """Give what a model at a provider can do, as a dict of switches such as ``native_tools`` and ``vision``."""
    for number, value in ((1, provider), (2, model)):
        if type(value) is not str:
            raise type_error(f"provider_capabilities expects string argument {number}, got {type_of(value)}")
    return capabilities_of(provider, model, llm_state(ctx).catalog.capability_rules)
