"""Providers as builtins: configuration, rows of the script, capability rules, health (llm 1.2, 11.1, 11.3)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.errors import thrown_text, type_error
from harnpy.events.redact import redact_text
from harnpy.llm.catalog_files import parse_overlay
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.providers.table import Provider
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]


def provider_register(ctx: Context, row: Any = None) -> None:
    """Add a provider ``{name, base_url, ...}`` for this run; the other keys are those of a catalog row.

    Errors: throws a text for a wrong key or a row without a name.
    """
    if type(row) is not dict or type(row.get("name")) is not str or not row["name"].strip():
        raise thrown_text("provider_register: expected a dict with a `name`")
    from harnpy.llm.catalog_files import check_layer

    fields = {key: value for key, value in row.items() if key != "name" and value is not None}
    layer = {"providers": {row["name"].strip(): fields}}
    check_layer("provider_register", layer)
    llm_state(ctx).overlay(layer)


def provider_capabilities_install(ctx: Context, toml: Any = None) -> int:
    """Put capability rows (``[[provider.NAME]]`` of a TOML text) before all others, and give their number.

    Errors: throws a text with the line of a wrong row.
    """
    if type(toml) is not str:
        raise type_error(f"provider_capabilities_install expects string argument 1, got {type_of(toml)}")
    layer = parse_overlay("provider_capabilities_install", toml)
    rules = {"provider": layer.get("provider", {})}
    llm_state(ctx).overlay(rules)
    return sum(len(rows) for rows in rules["provider"].values())


def provider_capabilities_clear(ctx: Context) -> None:
    """Drop the capability rows that the script put in."""
    llm_state(ctx).drop_overlays("provider")


def _described(ctx: Context, provider: Provider) -> Dict:
    state = llm_state(ctx)
    return {
        "name": provider.name,
        "base_url": redact_text(provider.base(state.env)) if provider.base_url or provider.base_env else "",
        "api_dialect": provider.dialect,
        "auth_style": provider.auth if provider.auth in ("bearer", "none") else "header",
        "auth_env": list(provider.key_env),
        "auth_available": provider.available(state.env),
        "chat_endpoint": provider.path,
        "default_model": provider.default_model or None,
    }


def llm_config(ctx: Context, name: Any = None) -> Any:
    """Give the configuration of a provider without secrets, or of all of them by name; nil for an unknown name.

    ``{name, base_url, api_dialect, auth_style, auth_env, auth_available, chat_endpoint, default_model}``.
    """
    providers = llm_state(ctx).catalog.providers
    if name is None:
        return {key: _described(ctx, provider) for key, provider in sorted(providers.items())}
    if type(name) is not str:
        raise type_error(f"llm_config expects string argument 1, got {type_of(name)}")
    return _described(ctx, providers[name]) if name in providers else None


def llm_healthcheck(ctx: Context, target: Any = None) -> Dict:
    """Tell whether a provider is known and has a key; nothing is sent.

    ``target`` is a name or ``{provider, api_key?}``. Gives ``{provider, valid, message, metadata: {reason}}``.
    """
    given = target if type(target) is dict else {"provider": target}
    name = given.get("provider")
    if type(name) is not str:
        raise thrown_text("llm_healthcheck: expected a provider or {provider, api_key?}")
    state = llm_state(ctx)
    provider = state.catalog.providers.get(name)
    if provider is None:
        return _health(name, False, f"Unknown provider `{name}`", "unknown_provider")
    if not given.get("api_key") and not provider.available(state.env):
        wanted = " or ".join(provider.key_env)
        return _health(name, False, f"Missing API key: set {wanted}", "missing_api_key")
    return _health(name, True, f"Provider `{name}` is configured", "configured")


def _health(provider: str, valid: bool, message: str, reason: str) -> Dict:
    return {"provider": provider, "valid": valid, "message": message, "metadata": {"reason": reason}}
