"""Makes the request of a call with more than one route: a policy, a ladder, or equivalent models (llm 12.1, 12.7)."""

from __future__ import annotations

from harnpy.capabilities.llm import ROUTES, llm_state
from harnpy.capabilities.routing import RoutedPlan
from harnpy.errors import thrown_text
from harnpy.llm.catalog import known_providers
from harnpy.llm.kinds import kind_of
from harnpy.llm.options import check_keys
from harnpy.llm.routing import Policy, policy_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.routing import Link
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]
    Build = Callable[..., Request]

_POLICY_KEYS = ("budget", "failover", "latency", "observe")
# Options that go together under one name.
_KINDS = {"models": "ladder", "route_policy": "fallback_chain"}


def routed_request(ctx: Context, build: Build, options: Dict) -> Request:
    """Give a request that carries its plan."""
    check_keys(options)
    asked = [key for key in ROUTES if options.get(key) not in (None, False)]
    plain = {key: value for key, value in options.items() if key not in ROUTES}
    _check_one(asked)
    if "models" in asked or "ladder" in asked:
        from harnpy.capabilities.ladder import ladder_request

        return ladder_request(ctx, build, options, plain)
    if "routing" in asked:
        return _under(ctx, _policy(ctx, options["routing"]), build, plain)
    if "equivalent_failover" in asked:
        return _with_equivalents(ctx, build, plain, options["equivalent_failover"])
    return _preferred(ctx, build, options, plain, asked)


def _check_one(asked: list[str]) -> None:
    """Refuse options that contradict each other: each of them says alone which routes are asked."""
    kinds = {_KINDS.get(key, key): key for key in reversed(asked)}
    if len(kinds) > 1:
        first, second = sorted(kinds.values())[:2]
        raise thrown_text(
            f"llm_call: `{first}` and `{second}` are mutually exclusive: each names the routes of the call"
        )


def _preferred(ctx: Context, build: Build, options: Dict, plain: Dict, asked: list[str]) -> Request:
    """Build a call that goes along a list of preferred routes, by the rules of a policy without rules of its own."""
    from harnpy.llm.preference import preference_chain

    state = llm_state(ctx)
    chain = preference_chain(options, state.env, state.catalog)
    label = "route_policy(preference_list)" if "route_policy" in asked else "fallback_chain"
    return _under(ctx, policy_of({"chain": chain, "label": label}), build, plain)


def _policy(ctx: Context, value: Any) -> Policy:
    """Find the policy that a value of ``routing_policy`` stands for."""
    if type(value) is not dict:
        raise thrown_text(f"llm_call(... routing: ...): expected a routing_policy(...) value, got {kind_of(value)}")
    handle: Any = value.get("__handle__")
    policies = llm_state(ctx).policies
    known = value.get("__routing_policy__") is True and type(handle) is int and 0 <= handle < len(policies)
    if not known:
        detail = "pass the result of routing_policy({...}); the routing key does not accept a bare dict"
        raise thrown_text(f"llm_call(... routing: ...): {detail}")
    if policies[handle][1] != value:
        detail = "this routing_policy value was changed; build a new one with routing_policy({...})"
        raise thrown_text(f"llm_call(... routing: ...): {detail}")
    policy: Policy = policies[handle][0]
    return policy


def _under(ctx: Context, policy: Policy, build: Build, options: Dict) -> Request:
    """Build the request of a call under a policy; what holds for all links is checked here."""
    catalog = llm_state(ctx).catalog
    for index, link in enumerate(policy.chain):
        if link.provider not in catalog.providers:
            known = known_providers(catalog)
            text = f'routing_policy.chain[{index}]: unknown provider "{link.provider}" (known providers: {known})'
            raise thrown_text(text)

    def for_link(link: Link) -> Request:
        return build({**options, "provider": link.provider, "model": link.model})

    first = policy.chain[0]
    request = build({**options, "provider": first.provider, "model": first.model}, gated=False)
    request.plan = plan = RoutedPlan(policy, for_link)
    plan.base = request
    return request


def _with_equivalents(ctx: Context, build: Build, options: Dict, wish: Any) -> Request:
    """Build a call that goes on with the same model elsewhere; without such a model it is a plain call."""
    if wish is not True and type(wish) is not dict:
        raise thrown_text(f"llm_call: invalid `equivalent_failover`: expected a bool or a dict, got {kind_of(wish)}")
    settings: Dict = wish if type(wish) is dict else {}
    unknown = next((key for key in sorted(settings) if key not in _POLICY_KEYS), None)
    if unknown is not None:
        raise thrown_text(f"llm_call: invalid `equivalent_failover`: unknown field `{unknown}`")
    state = llm_state(ctx)
    request = build(options)
    provider, model = request.error_place()
    others = [row for row in state.catalog.equivalents(model) if row["provider"] != provider]
    if not others:
        return request
    chain = [{"provider": provider, "model": model}]
    chain += [{"provider": row["provider"], "model": row["id"]} for row in others]
    label = f"equivalent_failover({provider}:{model})"
    return _under(ctx, policy_of({**settings, "chain": chain, "label": label}), build, options)
