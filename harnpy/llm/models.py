"""Facts about a model selector: its route, family, lineage, tier and catalog row (llm 11.5, 11.6)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.capability import capabilities_of
from harnpy.llm.resolve import alias_chain, infer_provider, is_known, split_selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.llm.catalog import Catalog

    Dict = dict[str, Any]

# First hit on the lower-cased id.
_FAMILIES = (
    ("claude", "anthropic-claude"), ("gemini", "google-gemini"), ("deepseek", "deepseek"), ("qwen", "qwen"),
    ("kimi", "kimi"), ("moonshot", "kimi"), ("glm", "glm"), ("zhipu", "glm"), ("mistral", "mistral"),
    ("mixtral", "mistral"), ("devstral", "mistral"), ("minimax", "minimax"), ("llama", "llama"), ("gemma", "gemma"),
)  # fmt: skip
_FAMILY_OF_PROVIDER = {
    "anthropic": "anthropic-claude", "bedrock": "anthropic-claude", "openai": "openai-gpt",
    "azure_openai": "openai-gpt", "gemini": "google-gemini", "vertex": "google-gemini", "google": "google-gemini",
    "zai": "glm",
}  # fmt: skip


def _token(text: str) -> str:
    return text.strip().lower().replace("_", "-")


def family_of(model: str, provider: str | None, catalog: Catalog) -> str:
    """Give the review-diversity family; ``provider`` only when it is really known."""
    row = catalog.model(model)
    if row is not None and row.get("family"):
        return _token(row["family"])
    name = model.lower()
    for part, family in _FAMILIES:
        if part in name:
            return family
    for separator in ("/", ":", "."):
        name = name.replace(separator, "\0")
    if any(part.startswith(("o1", "o3", "o4")) for part in name.split("\0")):
        return "openai-reasoning"
    if "gpt-" in name:
        return "openai-gpt"
    if provider is None:
        return "unknown"
    return _FAMILY_OF_PROVIDER.get(provider, "-".join(provider.lower().replace("_", " ").split()))


def lineage_of(model: str, family: str, catalog: Catalog) -> str:
    """Give the narrower lineage of a model."""
    row = catalog.model(model)
    if row is not None and row.get("lineage"):
        return _token(row["lineage"])
    name = model.lower()
    if "haiku" in name:
        return "claude-haiku"
    if any(part in name for part in ("opus-4-7", "opus-4-8", "mythos")):
        return "claude-opus-adaptive"
    if "claude" in name:
        return "claude-sonnet-opus"
    if "gpt-5" in name:
        return "openai-gpt5"
    if family == "openai-reasoning":
        return family
    if "gpt-" in name:
        return "openai-legacy"
    if family == "google-gemini":
        return "gemini-flash" if "flash" in name else "gemini-pro"
    if "qwen3" in name:
        return "qwen3"
    return "gemma4" if "gemma4" in name or "gemma-4" in name else family


def model_info(selector: str, env: Mapping[str, str], catalog: Catalog) -> Dict:
    """Describe what a selector stands for; ``catalog`` is nil for unknown models."""
    alias = catalog.alias(selector)
    own, model = split_selector(selector, catalog)
    provider = own or infer_provider(model, env, catalog)
    capabilities = capabilities_of(provider, model, catalog.capability_rules)
    row = catalog.model(model)
    family = family_of(model, provider if own is not None or is_known(model, catalog) else None, catalog)
    known = catalog.providers.get(provider)
    return {
        "id": model,
        "provider": provider,
        "alias": None if alias is None else selector,
        "tool_format": (alias or {}).get("tool_format") or capabilities["preferred_tool_format"] or "json",
        "tier": catalog.tier(model),
        "family": family,
        "lineage": lineage_of(model, family, catalog),
        "capabilities": capabilities,
        "catalog": None if row is None else catalog.current(row),
        "qc_default_model": catalog.keyed["qc_defaults"].get(provider),
        "auth_available": known is not None and known.available(env),
    }


def resolved_options(options: Any, env: Mapping[str, str], catalog: Catalog) -> Dict:
    """Give a copy of call options with alias and provider resolved; own keys are never overwritten."""
    if type(options) is not dict:
        raise thrown_text("llm_resolved_options: opts must be a dict")
    selector = options.get("model")
    if type(selector) is not str or not selector.strip():
        raise thrown_text("llm_resolved_options: opts.model is required")
    own, model = split_selector(selector.strip(), catalog)
    given = options.get("provider")
    provider = given if given and given != "auto" else own or infer_provider(model, env, catalog)
    return {**catalog.defaults(model), **options, "model": model, "provider": provider}


def execution_contract(selector: Any, env: Mapping[str, str], catalog: Catalog) -> Dict:
    """Give the receipt of how a selector is carried out (llm 11.7)."""
    from harnpy.llm.options import GENERATION, fault_of

    if type(selector) is not str or not selector.strip():
        raise thrown_text("llm_execution_contract: selector is required")
    name = selector.strip()
    info = model_info(name, env, catalog)
    row = info["catalog"] or {}
    defaults = catalog.defaults(info["id"])
    return {
        "schema": "harn.llm.execution-contract/v2",
        "requested_model": name,
        "alias_chain": alias_chain(name, catalog),
        "resolved_provider": info["provider"],
        "resolved_model": info["id"],
        "catalog_version": catalog.version,
        "wire_model": row.get("wire_model") or info["id"],
        "tool_format": info["tool_format"],
        "tier": info["tier"],
        "family": info["family"],
        "lineage": info["lineage"],
        "generation_defaults": {
            key: value for key, value in defaults.items() if key in GENERATION and fault_of(key, value) is None
        },
    }
