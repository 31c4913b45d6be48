"""How a model of the catalog is served: its id and form on the wire, and its fast tier (llm 2.3, 11.1)."""

from __future__ import annotations

import copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.llm.catalog import Catalog
    from harnpy.llm.request import Request
    from harnpy.llm.resolve import Route

    Row = dict[str, Any]

# Where the form of a wire is asked for, when a model is not served in the form of its provider.
_PATHS = {
    "anthropic": "/messages", "gemini": "/v1beta/models", "ollama": "/api/chat", "openai_chat": "/chat/completions",
    "openai_responses": "/responses",
}  # fmt: skip


def in_dialect(route: Route, dialect: str) -> Route:
    """Give a route whose provider is asked in another form."""
    if route.provider.dialect == dialect:
        return route
    changed = copy.copy(route)
    changed.provider = copy.copy(route.provider)
    changed.provider.dialect, changed.provider.path = dialect, _PATHS[dialect]
    return changed


def own_row(route: Route, models: Catalog) -> Row:
    """Give the catalog row of a route, an empty one when another provider's model has that id."""
    row = models.model(route.model)
    return row if row is not None and row["provider"] == route.provider.name else {}


def fast_tier(options: Mapping[str, Any], route: Route, models: Catalog) -> Row | None:
    """Give the fast tier that a call asks for; ``None`` when it asks for none or there is none."""
    if options.get("speed") != "fast":
        return None
    row = models.model(route.model) if route.provider.name == "mock" else own_row(route, models)
    tiers: list[Row] = (row or {}).get("serving_tiers", [])
    return next((tier for tier in tiers if tier["name"] == "fast"), None)


def wire_model(request: Request) -> str:
    """Give the id under which the provider knows the model."""
    tier = request.tier or {}
    name = tier.get("wire_model") or own_row(request.route, request.models).get("wire_model") or request.route.model
    return str(name)


def served_in_tier(tier: Row | None, word: str | None) -> bool:
    """Tell whether a reply was served in the tier that was asked for; one that does not say so was."""
    if tier is None or word is None:
        return tier is not None
    names = [tier["served_as"]] if "served_as" in tier else list(tier.get("body", {}).values())
    return not names or word in names
