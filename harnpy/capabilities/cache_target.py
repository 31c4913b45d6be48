"""What a model call is about, for the key under which its answer is cached (llm-stdlib 3.7)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.llm.resolve import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def cache_target(ctx: Context, options: Any = None) -> dict[str, Any]:
    """``__llm_cache_target``: give ``{provider, model, base_url}`` of a call; nil for the built-in base URL."""
    state = llm_state(ctx)
    env = state.env
    route = resolve(options if type(options) is dict else {}, env, state.catalog)
    base = route.provider.base(env)
    return {
        "provider": route.provider.name,
        "model": route.model,
        "base_url": None if base == route.provider.base({}) else base,
    }
