"""Builds the request of a call: checks the options in their fixed order and gathers what an adapter needs (llm 2.2)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.budget import budget_of
from harnpy.llm.capability import capability_fault, kept_row, overridden
from harnpy.llm.catalog import built_in
from harnpy.llm.conversation import messages_of, system_text
from harnpy.llm.gates import check_gates
from harnpy.llm.kinds import kind_of, quoted
from harnpy.llm.mock_entries import SCOPES
from harnpy.llm.options import ACCEPTED, check_keys, check_providers, check_values, is_number
from harnpy.llm.output import Output, output_of
from harnpy.llm.resolve import Route, alias_chain, is_known, resolve, split_selector
from harnpy.llm.serving import fast_tier, in_dialect, own_row
from harnpy.llm.spelling import close_to
from harnpy.llm.structured import SCHEMA_IN_PROMPT, tell_schema
from harnpy.llm.thinking import POLICY_APPLIED, thinking_of
from harnpy.llm.tool_search import lay_out
from harnpy.llm.tools import native_tools, tool_choice_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.llm.catalog import Catalog

DEFAULT_MAX_TOKENS = 16384
DEFAULT_TIMEOUT_MS = 120_000
DEFAULT_ROLE = "unattributed"
# Options of the Responses API that this version does not carry out: refused, never ignored.
_PLANNED = ("background", "compact")
TOOL_FORMATS = ("native", "text", "json")


class Request:
    """One call as an adapter, the transport and the mock see it. Never changed after it was built."""

    __slots__ = (
        "budget",
        "call_role",
        "deferred",
        "first_chunk_timeout_ms",
        "idle_timeout_ms",
        "max_tokens",
        "messages",
        "mock_scope",
        "mock_text",
        "models",
        "options",
        "output",
        "plan",
        "prefill",
        "route",
        "row",
        "search_tool",
        "session_id",
        "stream",
        "system",
        "text_tools",
        "thinking",
        "tier",
        "timeout_ms",
        "tool_choice",
        "tool_format",
        "tools",
        "warnings",
    )

    route: Route
    models: Catalog
    row: dict[str, Any] | None
    # The serving tier of the catalog that is asked for, when it is not the usual one.
    tier: dict[str, Any] | None
    warnings: list[str]
    # How the call is asked when it has more than one route; it has a method ``ask(ctx, request)``.
    plan: Any
    options: Mapping[str, Any]
    messages: list[dict[str, Any]]
    system: str | None
    output: Output
    thinking: dict[str, Any]
    tools: list[dict[str, Any]] | None
    # The provider's own tool for finding those tools of the call that it does not show the model at once.
    search_tool: dict[str, Any] | None
    deferred: frozenset[str]
    # Tools that are told in the system text and called in the text of the reply.
    text_tools: list[dict[str, Any]] | None
    tool_format: str
    tool_choice: Any
    prefill: str | None
    max_tokens: int
    timeout_ms: int
    idle_timeout_ms: int | None
    first_chunk_timeout_ms: int | None
    stream: bool
    budget: dict[str, Any]
    call_role: str
    mock_scope: str | None
    # What the mock says to this call when nothing is queued; its usual answer when None.
    mock_text: str | None
    session_id: str

    def option(self, key: str) -> Any:
        """Give an option of the call, ``None`` when absent."""
        return self.options.get(key)

    def error_place(self) -> tuple[str, str]:
        """Give provider and model, as every error names them."""
        return self.route.provider.name, self.route.model


def build_request(
    prompt: str,
    system: str | None,
    options: Any,
    env: Mapping[str, str],
    models: Catalog | None = None,
    *,
    gated: bool = True,
) -> Request:
    """Check everything and build the request; ``gated`` tells whether the route must be able to do what is asked.

    Raises:
        HarnError: a thrown string for a wrong option (llm 2.5), an error dict for a wrong route.
    """
    if options is not None and type(options) is not dict:
        raise thrown_text(f"llm_call: options must be a dict, got {kind_of(options)}")
    given: Mapping[str, Any] = options or {}
    check_keys(given)
    given = {key: value for key, value in given.items() if value is not None and not key.startswith("_")}
    request = Request()
    request.models = models = models or built_in()
    given = _without_worked_out(given, (options or {}).get(POLICY_APPLIED), env, models)
    request.warnings = []
    request.plan = request.mock_text = request.search_tool = None
    request.deferred = frozenset()
    request.system = system_text(system, given.get("system"))
    request.call_role, request.mock_scope = _purpose(given)
    _check_strings(given, ("provider", "model", "model_tier", "model_role"))
    given = _with_role(given, models)
    _check_tier(given, models)
    request.route = route = resolve(given, env, models)
    _warn_of_guess(request, given)
    request.route = route = _in_form(given, route, models)
    asked, given = given, _with_defaults(given, models.defaults(route.model))
    check_values(given)
    check_providers(given, models)
    given = request.options = _with_cache(given)
    request.row = _row(given, route, models)
    _choose_tier(request, given, gated)
    request.thinking = _thinking(given, route, env, models)
    given = request.options = _without_clashes(request, asked)
    request.output = output_of(given.get("output"))
    if (options or {}).get(SCHEMA_IN_PROMPT) and request.row is not None and not request.row["structured_output"]:
        tell_schema(request)
    request.messages = messages_of(prompt, given.get("messages"), request.route.provider.name)
    _add_tools(request, given, gated=gated)
    request.prefill = given.get("prefill") or None
    request.session_id = given.get("session_id", "")
    if gated:
        check_gates(request, request.row)
    _fill_limits(request, given, env)
    request.budget = budget_of(given.get("budget"))
    return request


def _choose_tier(request: Request, given: Mapping[str, Any], gated: bool) -> None:
    request.tier = fast_tier(given, request.route, request.models)
    if request.tier is None and given.get("speed") == "fast" and gated:
        provider, model = request.error_place()
        request.warnings.append(f"`{model}` (provider `{provider}`) has no fast tier in the catalog: `speed` dropped")


def _row(given: Mapping[str, Any], route: Route, models: Catalog) -> dict[str, Any] | None:
    """Give what the route can do, with what the call itself says about that."""
    row = kept_row(route.provider.name, route.model, models)
    own = given.get("capabilities")
    if not own:
        return row
    for key in sorted(own):
        detail = capability_fault(key, own[key])
        if detail is not None:
            raise thrown_text(f"llm_call: invalid `capabilities`: `{key}`: {detail}")
    return overridden(row, own)


def _with_role(given: Mapping[str, Any], models: Catalog) -> Mapping[str, Any]:
    """Give the options with the model of their ``model_role``; an own model wins."""
    role = given.get("model_role")
    if role is None or given.get("model"):
        return given
    row = models.keyed["model_roles"].get(role)
    if row is None:
        known = ", ".join(sorted(models.keyed["model_roles"])) or "none"
        raise thrown_text(f'llm_call: no model role "{role}" in the catalog (known roles: {known})')
    return {**row, **given}


def _check_tier(given: Mapping[str, Any], models: Catalog) -> None:
    tier = (given.get("model_tier") or "").strip()
    if tier and models.alias("tier/" + tier) is None:
        tiers = sorted(alias.removeprefix("tier/") for alias in models.aliases if alias.startswith("tier/"))
        expected = ", ".join(f'"{known}"' for known in tiers)
        raise thrown_text(f'llm_call: invalid `model_tier`: expected {expected}, got "{tier}"{close_to(tier, tiers)}')


def _with_cache(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the options with a ``cache`` dict taken apart into the two options that it stands for."""
    cache = given.get("cache")
    if type(cache) is not dict:
        return given
    ttl = {} if cache.get("ttl") is None else {"prompt_cache_ttl": cache["ttl"]}
    return {**ttl, **given, "cache": cache.get("enabled", True)}


def _with_defaults(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill absent options from the catalog; a default effort gives way to any reasoning option of the call."""
    if not defaults:
        return given
    extra = {key: value for key, value in defaults.items() if key in ACCEPTED and key != "reasoning_effort"}
    effort = defaults.get("reasoning_effort")
    if effort is not None and not any(key in given for key in ("thinking", "effort", "reasoning_policy")):
        extra["effort"] = effort
    return {**extra, **given}


def _without_clashes(request: Request, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out defaults of the catalog that Anthropic refuses beside reasoning; what the call asks for stays."""
    mode = request.thinking
    thinks = mode["mode"] != "disabled" and mode.get("level") != "none"
    if not thinks or request.route.provider.dialect != "anthropic":
        return request.options
    clashing = [key for key in ("temperature", "top_k") if key not in asked]
    return {key: value for key, value in request.options.items() if key not in clashing}


def _warn_of_guess(request: Request, given: Mapping[str, Any]) -> None:
    route = request.route
    guessed = route.source.startswith("model `") and split_selector(given["model"].strip(), request.models)[0] is None
    if guessed and not is_known(route.model, request.models):
        name = route.provider.name
        request.warnings.append(f"the provider of model `{given['model']}` is not known; using `{name}`")


def _without_worked_out(
    given: Mapping[str, Any], applied: Any, env: Mapping[str, str], models: Catalog
) -> Mapping[str, Any]:
    """Leave out the ``thinking`` that a pack worked out from the policy: the route of the call works it out again."""
    if type(applied) is not dict or given.get("thinking") is None or given.get("reasoning_policy") is None:
        return given
    place = {key: applied.get(key) for key in ("provider", "model")}
    if any(type(value) is not str for value in place.values()):
        return given
    from harnpy.llm.reasoning import apply_reasoning_policy

    own = {key: value for key, value in given.items() if key != "thinking"}
    worked_out = apply_reasoning_policy({**own, **place}, env, models).get("thinking")
    return own if worked_out == given["thinking"] else given


def _thinking(given: Mapping[str, Any], route: Route, env: Mapping[str, str], models: Catalog) -> dict[str, Any]:
    """Give the reasoning mode: ``effort`` and ``thinking`` beat ``reasoning_policy``."""
    if any(given.get(key) is not None for key in ("reasoning_policy", "reasoning_scale", "reasoning_task")):
        from harnpy.llm.reasoning import check_policy

        check_policy(given)
    if all(given.get(key) is None for key in ("effort", "thinking")) and given.get("reasoning_policy") is not None:
        from harnpy.llm.reasoning import apply_reasoning_policy

        place = {"provider": route.provider.name, "model": route.model}
        lowered: dict[str, Any] | None = apply_reasoning_policy({**given, **place}, env, models).get("thinking")
        if lowered is not None:
            return lowered
    return thinking_of(given)


def _purpose(given: Mapping[str, Any]) -> tuple[str, str | None]:
    role, scope = given.get("call_role"), given.get("mock_scope")
    _check_strings(given, ("call_role", "mock_scope"))
    if role is not None and scope is not None and role != scope:
        raise thrown_text(
            f"call_role `{role}` disagrees with mock_scope `{scope}`; "
            "both name the same semantic call purpose and must match"
        )
    if scope and scope not in SCOPES:
        known = ", ".join(SCOPES)
        raise thrown_text(
            f'llm_call: invalid `mock_scope`: unknown scope "{scope}"{close_to(scope, SCOPES)} (known scopes: {known})'
        )
    return role or scope or DEFAULT_ROLE, scope or role


def _check_strings(given: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        value = given.get(key)
        if value is not None and type(value) is not str:
            raise thrown_text(f"llm_call: invalid `{key}`: expected a string, got {kind_of(value)}")


def _in_form(given: Mapping[str, Any], route: Route, models: Catalog) -> Route:
    """Give the route in the form that the call asks for, else in that of its model."""
    mode = given.get("api_mode")
    if mode is None:
        return in_dialect(route, own_row(route, models).get("api_dialect", route.provider.dialect))
    if mode not in ("chat_completions", "responses") or type(mode) is not str:
        raise thrown_text(f'api_mode: expected "chat_completions" or "responses", got {quoted(mode)}')
    for key in _PLANNED if mode == "responses" else ():
        if given.get(key) not in (None, False):
            raise thrown_text(f"llm_call: option `{key}`: not implemented in this version")
    name = route.provider.name
    if mode == "chat_completions":
        return in_dialect(route, "openai_chat") if name == "openai" else route
    if name == "mock":
        return route
    if name != "openai":
        raise thrown_text(f'api_mode: "responses" is only supported by provider "openai"; got provider "{name}"')
    return in_dialect(route, "openai_responses")


def _add_tools(request: Request, given: Mapping[str, Any], *, gated: bool) -> None:
    all_tools = native_tools(given.get("tools"))
    tools = lay_out(request, given.get("tools"), gated=gated)
    request.tools = all_tools if tools is given.get("tools") else native_tools(tools)
    request.tool_choice = tool_choice_of(given.get("tool_choice"), all_tools, given.get("provider_tools"))
    _choose_tool_format(request, given, tools)


def _choose_tool_format(request: Request, given: Mapping[str, Any], tools: Any) -> None:
    """Settle how calls travel; in the text formats the system text tells of the tools, and the wire does not."""
    asked = (given.get("tool_format") or "").strip().lower()
    if asked not in ("", "auto", *TOOL_FORMATS):
        raise thrown_text(f'tool_format: expected "native", "text", "json", or "auto", got "{asked}"')
    request.tool_format = asked if asked in TOOL_FORMATS else _usual_tool_format(request, given)
    request.text_tools = None
    if request.tool_format != "native" and request.tools:
        from harnpy.llm.tool_contract import contract
        from harnpy.llm.tools import definitions

        request.text_tools = definitions(tools)
        told = contract(request.text_tools, request.tool_format).strip()
        # An agent loop puts it into its own system text, in front of other parts.
        if told not in (request.system or ""):
            request.system = f"{request.system}\n\n{told}" if request.system else told
        request.tools = request.tool_choice = request.search_tool = None


def _usual_tool_format(request: Request, given: Mapping[str, Any]) -> str:
    """Give the format of the alias, else that of the capability row; the mock takes calls as they are."""
    provider, _ = request.error_place()
    for alias in alias_chain((given.get("model") or "").strip(), request.models):
        if request.models.aliases[alias].get("tool_format") in TOOL_FORMATS:
            return str(request.models.aliases[alias]["tool_format"])
    preferred = None if request.row is None else request.row["preferred_tool_format"]
    return str(preferred or ("native" if provider == "mock" else "json"))


def _fill_limits(request: Request, given: Mapping[str, Any], env: Mapping[str, str]) -> None:
    request.max_tokens = given.get("max_tokens", DEFAULT_MAX_TOKENS)
    request.timeout_ms = given.get("timeout_ms") or seconds(env, "HARN_LLM_TIMEOUT") or DEFAULT_TIMEOUT_MS
    request.idle_timeout_ms = given.get("idle_timeout_ms") or seconds(env, "HARN_LLM_IDLE_TIMEOUT")
    request.first_chunk_timeout_ms = seconds(env, "HARN_LLM_FIRST_TOKEN_TIMEOUT")
    default_stream = env.get("HARN_LLM_STREAM", "").strip().lower() not in ("0", "false")
    request.stream = given.get("stream", default_stream)


def seconds(env: Mapping[str, str], variable: str) -> int | None:
    """Read a variable that holds seconds, as ms; anything but a positive number is ignored."""
    try:
        value = float(env.get(variable, ""))
    except ValueError:
        return None
    return max(1, round(value * 1000)) if is_number(value) and value > 0 else None
