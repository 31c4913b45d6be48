"""``agent_loop`` as a global, and what the loop must know about its route (agent 1.1, 1.4, 1.7)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.errors import HarnError
from harnpy.llm.capability import capability_row
from harnpy.llm.resolve import alias_chain, resolve
from harnpy.llm.tool_search import must_be_native
from harnpy.runtime.calls import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

LOOP_MODULE = "std/agent/loop"
# For models that the catalog does not know.
DEFAULT_WINDOW = 128_000

# Options that choose a route by name.
_ROUTE = ("provider", "model", "model_role", "model_tier")

# Options that are the loop's own: no caller sees them.
_LOOP_ONLY = frozenset(
    """
    approval_policy auto_compact autonomy_budget compact_strategy compact_threshold compaction context_callback
    context_filter context_overflow_recover_max context_profile daemon deadline_ms done_judge done_sentinel
    final_wrapup history input_guardrail iteration_budget llm_caller llm_options llm_retry llm_transcript_dir
    loop_control loop_until_done max_concurrent_tools max_iterations max_nudges max_verify_attempts mcp_servers
    message_decorator missing_tool_call_recovery native_tool_fallback nudge on_delta output permissions policy
    post_turn_callback pre_turn_scope_classifier profile progress_tool project_context_profile prompts
    read_only_stance require_successful_tools retry scratchpad skill_match skills stall_diagnostics step_judge
    stop_after_successful_tools structural_validator system task_ledger terminal_callback timestamp_messages
    token_budget tool_backoff_ms tool_caller tool_retries tool_surface_narrowing transcript_projection
    turn_end_condition turn_policy verify_completion verify_completion_judge wrapup_context wrapup_directive
    lane_policy overlay_policy completion_gate pin_policy fallback_chain
    """.split()
)


def agent_loop(ctx: Context, harness: Any = None, task: Any = None, system: Any = None, options: Any = None) -> Any:
    """Run an agent: ask the model, run the tools that it calls, and go on until it is done or a limit is reached.

    Options: those of a model call and of the loop (``docs/agent/loop.md``), such as ``tools``, ``max_iterations``,
    ``session_id``, ``llm_caller``, ``lane_policy``.
    Gives ``{status, stop_reason, text, visible_text, error, tools, llm, transcript, cost_usd, session_id, ...}``.
    Effects: model calls, the effects of the tools, events of the session.
    Errors: throws a text for wrong options; a failed model call gives a result whose ``status`` says so.
    """
    function = ctx.loader.std_export(LOOP_MODULE, "agent_loop")
    return call(ctx, function, [harness, task, system, options])


def warn_of_options(ctx: Context, options: Any) -> None:
    """Tell which options are probably misspelt: a limit with a wrong name is no limit.

    Others that nobody knows may be for the caller of the script, and are let be.
    """
    from harnpy.builtins.option_names import warn_of_option
    from harnpy.edit_distance import edit_distance
    from harnpy.llm.options import ACCEPTED

    known = sorted(_LOOP_ONLY.union(ACCEPTED))
    for name in options:
        if len(name) < 5 or name[0] == "_" or name in known:
            continue
        most = 1 if len(name) < 8 else 2
        meant = next(
            (each for each in known if abs(len(each) - len(name)) <= most and edit_distance(name, each) <= most), None
        )
        if meant is not None:
            text = f"agent_loop: unknown option `{name}` (did you mean `{meant}`?)"
            warn_of_option(ctx, "agent_loop", name, text)


def call_options(ctx: Context, options: Any, messages: Any, session_id: Any, tool_format: Any) -> dict[str, Any]:
    """Give the options of one model call: those of the loop without its own, with what this turn adds."""
    chosen = {key: value for key, value in options.items() if key not in _LOOP_ONLY and key[:1] != "_"}
    override = options.get("llm_options")
    if type(override) is dict:
        chosen.update({key: value for key, value in override.items() if key[:1] != "_"})
    if not _provider_searches(ctx, chosen, tool_format):
        chosen.pop("tool_search", None)  # the loop has no tool that would answer a search
    chosen["messages"] = messages
    chosen["session_id"] = session_id
    if chosen.get("tools") is None:
        chosen.pop("tools", None)
        chosen.pop("tool_choice", None)
        chosen.pop("tool_format", None)
    else:
        chosen["tool_format"] = tool_format
    return chosen


def _provider_searches(ctx: Context, options: dict[str, Any], tool_format: Any) -> bool:
    """Tell whether the provider of a call finds those of its tools that are not shown at once (llm 5.1)."""
    search = options.get("tool_search")
    if not search or must_be_native(search):
        return True
    if tool_format != "native" or (type(search) is dict and search.get("mode") == "client"):
        return False
    route = route_of(ctx, options)
    row = capability_row(route["provider"], route["model"], llm_state(ctx).catalog.capability_rules)
    return row is not None and bool(row["tool_search"])


def route_of(ctx: Context, options: Any = None) -> dict[str, Any]:
    """Give provider and model that a call with these options goes to; both empty when it has no route."""
    state = llm_state(ctx)
    options = _first_step(options, state.catalog)
    try:
        route = resolve(options, state.env, state.catalog)
    except HarnError:
        return {"provider": options.get("provider") or "", "model": options.get("model") or ""}
    return {"provider": route.provider.name, "model": route.model}


def _first_step(options: dict[str, Any], catalog: Any) -> dict[str, Any]:
    """Give options whose provider and model are those that a ladder of models starts with (llm 12.7).

    What should be a text and is none is left out: the call itself complains about it.
    """
    steps = options.get("models")
    if type(options.get("ladder")) is str:
        row = catalog.keyed["model_ladders"].get(options["ladder"])
        steps = row.get("steps") if row else None
    source: Any = options
    if type(steps) is list and steps:
        source = steps[0] if type(steps[0]) is dict else {"model": steps[0]}
    named = {key: source[key] for key in ("provider", "model") if type(source.get(key)) is str}
    rest = {key: value for key, value in options.items() if key not in _ROUTE or type(value) is str}
    return {**rest, "provider": None, "model": None, **named}


def format_resolution(ctx: Context, options: Any = None) -> dict[str, Any]:
    """Give ``{tool_format, source, provider, model}`` for options without a format of their own (llm 5.2)."""
    state = llm_state(ctx)
    options = _first_step(options, state.catalog)
    route = route_of(ctx, options)
    found = {"source": "capabilities", **route, "capability_gap_event": None, "tool_format_override_event": None}
    if route["provider"] == "mock":
        return {**found, "tool_format": "native"}
    selector = options.get("model")
    for alias in alias_chain(selector, state.catalog) if type(selector) is str else ():
        row = state.catalog.alias(alias)
        if row is not None and row.get("tool_format"):
            return {**found, "tool_format": row["tool_format"]}
    capabilities = (
        capability_row(route["provider"], route["model"], state.catalog.capability_rules) if route["provider"] else None
    )
    preferred = capabilities and capabilities.get("preferred_tool_format")
    if preferred:
        return {**found, "tool_format": preferred}
    return {**found, "tool_format": "json", "source": "fallback"}


def window_of(ctx: Context, options: Any = None) -> int:
    """Give the context window of the route in tokens."""
    route = route_of(ctx, options)
    row = llm_state(ctx).catalog.model(route["model"])
    size = None if row is None else row.get("runtime_context_window") or row.get("context_window")
    return size if type(size) is int else DEFAULT_WINDOW


def tool_contract(tools: Any = None, tool_format: Any = "json") -> str:
    """Give the text that tells a model which tools there are and how to call them in its text (llm 5.2)."""
    from harnpy.llm.tool_contract import contract
    from harnpy.llm.tools import definitions

    return contract(definitions(tools), "text" if tool_format == "text" else "json")
