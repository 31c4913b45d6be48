"""What a model call is about, for the key under which its answer is cached (llm-stdlib 3.7)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.events.redact import redact_text
from harnpy.llm.options import check_values
from harnpy.llm.providers.table import PROVIDERS
from harnpy.llm.resolve import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

# The options that choose provider and model.
_NAMES = ("model", "model_tier", "provider")


def cache_target(ctx: Context, options: Any = None) -> dict[str, Any]:
    """``__llm_cache_target``: give ``{provider, model, defaults, base_url}`` of a call.

    ``defaults`` are the catalog's parameters of the model; ``base_url``, without secrets, is nil when it
    is the built-in one.

    Raises:
        HarnError: what names the model is no text, or names none that is known.
    """
    state = llm_state(ctx)
    env = state.env
    given = options if type(options) is dict else {}
    check_values({key: given.get(key) for key in _NAMES})
    route = resolve(given, env, state.catalog)
    base = route.provider.base(env)
    built_in = PROVIDERS.get(route.provider.name)
    return {
        "provider": route.provider.name,
        "model": route.model,
        "defaults": state.catalog.defaults(route.model),
        "base_url": None if built_in is not None and base == built_in.base({}) else redact_text(base),
    }
