"""Reads the older options for more than one route, ``route_policy`` and ``fallback_chain``, as a chain (llm 2.3)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.catalog import known_providers
from harnpy.llm.kinds import kind_of, quoted
from harnpy.llm.resolve import is_known, resolve, split_selector
from harnpy.llm.spelling import close_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.catalog import Catalog

    Dict = dict[str, Any]

_FIELDS = ("mode", "strategy", "targets")
_TARGET = ("model", "provider")
_FORM = '{mode: "preference_list", targets: [...]}'
_HINT = "; for rules of your own use `routing: routing_policy({...})`"


def preference_chain(options: Mapping[str, Any], env: Mapping[str, str], catalog: Catalog) -> list[Dict]:
    """Give ``{provider, model}`` of each route: the targets of the policy or the call's own route, then the fallbacks.

    Raises:
        HarnError: a thrown string that names the first part which cannot be used.
    """
    policy, fallbacks = options.get("route_policy"), options.get("fallback_chain")
    listed: list[tuple[str, Any]] = [("", {key: options.get(key) for key in _TARGET})]
    if policy not in (None, False):
        listed = [(f"route_policy.targets[{index}]", target) for index, target in enumerate(_targets(policy))]
    if fallbacks not in (None, False):
        steps = fallbacks if type(fallbacks) is list else [fallbacks]
        listed += [(f"fallback_chain[{index}]", step) for index, step in enumerate(steps)]
    return [_link(place, target, options, env, catalog) for place, target in listed]


def _targets(policy: Any) -> list[Any]:
    if type(policy) is not dict:
        raise _wrong(f"expected {_FORM}, got {quoted(policy)}{_HINT}")
    for key in sorted(policy):
        if key not in _FIELDS:
            raise _wrong(f"unknown field `{key}`{close_to(key, _FIELDS)}")
    mode, strategy, targets = policy.get("mode"), policy.get("strategy"), policy.get("targets")
    if mode != "preference_list":
        raise _wrong(f'mode: expected "preference_list", got {quoted(mode)}{_HINT}')
    if strategy not in (None, "ordered"):
        raise _wrong(f'strategy: expected "ordered" (the targets in their order), got {quoted(strategy)}{_HINT}')
    if type(targets) is not list or not targets:
        raise _wrong("targets: expected a list with at least one model")
    return targets


def _wrong(detail: str) -> HarnError:
    return thrown_text(f"llm_call: invalid `route_policy`: {detail}")


def _link(place: str, target: Any, options: Mapping[str, Any], env: Mapping[str, str], catalog: Catalog) -> Dict:
    given = {"model": target} if type(target) is str else target
    if type(given) is not dict:
        raise thrown_text(f"llm_call: {place}: expected a model or {{model, provider?}}, got {kind_of(target)}")
    for key in sorted(given):
        if key not in _TARGET:
            raise thrown_text(f"llm_call: {place}: unknown field `{key}`{close_to(key, _TARGET)}")
        if given[key] is not None and type(given[key]) is not str:
            raise thrown_text(f"llm_call: {place}.{key}: expected a string, got {kind_of(given[key])}")
    fields = {key: value for key, value in given.items() if value}
    if not fields and place:
        raise thrown_text(f"llm_call: {place}: expected a model or {{model, provider?}}")
    if place:
        fields = _with_provider(fields, options, catalog)
        if fields.get("provider", "auto") not in ("auto", *catalog.providers):
            known = known_providers(catalog)
            raise thrown_text(f'llm_call: {place}: unknown provider "{fields["provider"]}" (known providers: {known})')
    route = resolve(fields, env, catalog)
    return {"provider": route.provider.name, "model": route.model}


def _with_provider(fields: Dict, options: Mapping[str, Any], catalog: Catalog) -> Dict:
    """Give a target with the provider that it names in its model, else that of the call where the model tells none."""
    if "provider" in fields or "model" not in fields:
        return fields
    own = options.get("provider")
    if own == "mock":
        return {**fields, "provider": own}
    name, colon, model = fields["model"].partition(":")
    chosen, plain = split_selector(fields["model"], catalog)
    if chosen is None and colon and model and name in catalog.providers and catalog.model(plain) is None:
        return {"provider": name, "model": model}
    if chosen is None and own and not is_known(plain, catalog):
        return {**fields, "provider": own}
    return fields
