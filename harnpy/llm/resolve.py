"""Chooses provider and model of a call from options, environment and catalog (llm 8.1)."""

from __future__ import annotations

from harnpy.llm.catalog import built_in, known_providers
from harnpy.llm.errors import local_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.catalog import Catalog
    from harnpy.llm.providers.table import Provider

_SELECTOR_PREFIXES = {"ollama:": "ollama", "local:": "local", "huggingface:": "huggingface", "hf:": "huggingface"}

# First match on the start of the id; ``=`` means the whole id.
_INFERENCE = (
    ("claude-", "anthropic"), ("gpt-", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"),
    ("anthropic.claude-", "bedrock"), ("meta.llama", "bedrock"), ("amazon.", "bedrock"), ("mistral.", "bedrock"),
    ("cohere.", "bedrock"), ("gemini-", "gemini"), ("mistral-", "mistral"), ("devstral-", "mistral"),
    ("codestral-", "mistral"), ("magistral-", "mistral"), ("command-", "cohere"), ("grok-", "xai"),
    ("groq/", "groq"), ("cerebras/", "cerebras"), ("dashscope/", "dashscope"), ("minimax-", "minimax"),
    ("glm-", "zai"), ("deepseek-v4", "deepseek"),
)  # fmt: skip


class Route:
    """Where a call goes: provider row, model id, and what chose the provider (for messages)."""

    __slots__ = ("model", "provider", "source")

    def __init__(self, provider: Provider, model: str, source: str) -> None:
        self.provider = provider
        self.model = model
        self.source = source


def alias_chain(selector: str, catalog: Catalog) -> list[str]:
    """Give the aliases that are followed from a selector, in order; none for a plain id."""
    chain: list[str] = []
    alias = catalog.alias(selector)
    while alias is not None and selector not in chain:
        chain.append(selector)
        selector = alias["id"]
        alias = catalog.alias(selector)
    return chain


def split_selector(selector: str, catalog: Catalog) -> tuple[str | None, str]:
    """Give the provider that a selector itself names (alias or prefix), and the plain model id."""
    chain = alias_chain(selector, catalog)
    if chain:
        last = catalog.aliases[chain[-1]]
        return last["provider"], last["id"]
    for prefix, provider in _SELECTOR_PREFIXES.items():
        if selector.startswith(prefix) and len(selector) > len(prefix):
            return provider, selector[len(prefix) :]
    return None, selector


def is_known(model: str, catalog: Catalog) -> bool:
    """Tell whether the provider of a plain id follows from the id, and not from a default."""
    lowered = model.lower()
    if catalog.model(model) is not None or catalog.provider_by_rule(model) is not None:
        return True
    if any(lowered.startswith(start) for start, _ in _INFERENCE):
        return True
    return model.count("/") == 1 or ":" in model


def infer_provider(model: str, env: Mapping[str, str], catalog: Catalog) -> str:
    """Give the provider of a plain model id: the catalog first, then the patterns, then the default."""
    row = catalog.model(model)
    if row is not None:
        return str(row["provider"])
    ruled = catalog.provider_by_rule(model)
    if ruled is not None:
        return ruled
    lowered = model.lower()
    for start, provider in _INFERENCE:
        if lowered.startswith(start):
            return provider
    if model.count("/") == 1:
        return "openrouter"
    if ":" in model:
        return "ollama"
    return env.get("HARN_DEFAULT_PROVIDER", "").strip() or catalog.default_provider or "anthropic"


def resolve(options: Mapping[str, Any], env: Mapping[str, str], catalog: Catalog | None = None) -> Route:
    """Choose provider and model of a call.

    Raises:
        HarnError: unknown provider, or a provider without a default model when none was given.
    """
    catalog = catalog or built_in()
    name, source = _provider_name(options, env, catalog)
    provider = catalog.providers.get(name)
    if provider is None:
        raise _unknown_provider(name, options, catalog)
    return Route(provider, _model(provider, options, env, catalog), source)


def _provider_name(options: Mapping[str, Any], env: Mapping[str, str], catalog: Catalog) -> tuple[str, str]:
    """Give the provider and what chose it."""
    asked = (options.get("provider") or "").strip()
    selector = (options.get("model") or "").strip()
    if asked and asked != "auto":
        return asked, "the `provider` option"
    for variable in ("HARN_LLM_PROVIDER", "LLM_PROVIDER"):
        value = env.get(variable, "").strip()
        # An explicit "auto" asks for inference, which only the offline switch overrides.
        if value and value != "auto" and (value == "mock" or asked != "auto" or not selector):
            return value, variable
    if selector:
        return _of_selector(selector, asked, env, catalog)
    tier = (options.get("model_tier") or "").strip()
    alias = catalog.alias("tier/" + tier) if tier else None
    if alias is not None:
        return str(alias["provider"]), "the `model_tier` option"
    model = env.get("HARN_LLM_MODEL", "").strip()
    if model:
        own, model_id = split_selector(model, catalog)
        return own or infer_provider(model_id, env, catalog), "HARN_LLM_MODEL"
    return _default(env, catalog)


def _of_selector(selector: str, asked: str, env: Mapping[str, str], catalog: Catalog) -> tuple[str, str]:
    own, model = split_selector(selector, catalog)
    if own is not None:
        return own, f"model `{selector}`"
    if asked != "auto" and env.get("LOCAL_LLM_BASE_URL", "").strip():
        return "local", "LOCAL_LLM_BASE_URL"
    return infer_provider(model, env, catalog), f"model `{selector}`"


def _default(env: Mapping[str, str], catalog: Catalog) -> tuple[str, str]:
    chosen = env.get("HARN_DEFAULT_PROVIDER", "").strip()
    if chosen:
        return chosen, "HARN_DEFAULT_PROVIDER"
    if catalog.default_provider:
        return catalog.default_provider, "the catalog's default_provider"
    if not catalog.providers["anthropic"].available(env):
        for name, variable in (("ollama", "OLLAMA_HOST"), ("local", "LOCAL_LLM_BASE_URL")):
            if env.get(variable, "").strip():
                return name, variable
    return "anthropic", "the default provider"


def _model(provider: Provider, options: Mapping[str, Any], env: Mapping[str, str], catalog: Catalog) -> str:
    selector = (options.get("model") or "").strip()
    if selector:
        return split_selector(selector, catalog)[1]
    tier = (options.get("model_tier") or "").strip()
    alias = catalog.alias("tier/" + tier) if tier else None
    if alias is not None:
        return str(alias["id"])
    model = env.get("HARN_LLM_MODEL", "").strip()
    if model and provider.name != "mock":
        own, model_id = split_selector(model, catalog)
        if (own or infer_provider(model_id, env, catalog)) == provider.name:
            return model_id
    if provider.name == "local" and env.get("LOCAL_LLM_MODEL", "").strip():
        return env["LOCAL_LLM_MODEL"].strip()
    runtime = catalog.keyed["provider_defaults"].get(provider.name, {}).get("runtime") or provider.default_model
    if runtime:
        return str(runtime)
    raise _no_model(provider.name, catalog)


def _no_model(provider: str, catalog: Catalog) -> HarnError:
    known = sorted(row["id"] for row in catalog.models.values() if row["provider"] == provider)
    hint = f"; known models: {', '.join(known)}" if known else ""
    message = f"provider `{provider}` has no default model: set the `model` option{hint}"
    return local_error("invalid_request", message, provider, "")


def _unknown_provider(name: str, options: Mapping[str, Any], catalog: Catalog) -> HarnError:
    message = f"Unknown provider `{name}`; known providers: {known_providers(catalog)}"
    return local_error("invalid_request", message, name, options.get("model") or "")


def key_of(route: Route, env: Mapping[str, str]) -> str | None:
    """Give the key of the route's provider; ``None`` when it needs none.

    Raises:
        HarnError: the key is missing (an auth error of local origin).
    """
    provider = route.provider
    key = provider.key(env)
    if key is not None or not provider.key_env:
        return key
    names = provider.key_env
    wanted = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
    variables = "environment variable" if len(names) == 1 else "environment variables"
    message = (
        f"Missing API key: set {wanted} {variables} (provider '{provider.name}' selected via {route.source}; "
        "set HARN_LLM_PROVIDER=mock or LLM_PROVIDER=mock for offline use)"
    )
    raise local_error("auth_failure", message, provider.name, route.model)
