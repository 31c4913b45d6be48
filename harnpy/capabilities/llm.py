"""``harness.llm`` and the ``llm_*`` globals: where the evaluator meets the LLM package (llm 1)."""

from __future__ import annotations

from harnpy.capabilities.observers import IN_A_CALL
from harnpy.errors import HarnError, thrown_text
from harnpy.llm.budget import check_budget, estimate_tokens
from harnpy.llm.errors import TERMINAL, RefusedReply, local_error, timeout_error
from harnpy.llm.options import is_number
from harnpy.llm.request import Request, build_request
from harnpy.llm.resolve import resolve
from harnpy.llm.response import Reply, build_response
from harnpy.llm.state import LlmState
from harnpy.llm.usage import add_usage, usage_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.llm.exchange import Call
    from harnpy.llm.mock import Answer
    from harnpy.llm.sharing import SharedCalls
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

_TRUE = ("1", "true", "yes")
# Options that give a call more than one route.
ROUTES = ("equivalent_failover", "fallback_chain", "ladder", "models", "route_policy", "routing")
# Thrown texts that are no failures of the call: they pass through everything.
PASSING = ("Deadline exceeded", "kind:cancelled:VM cancelled by host")


def llm_state(ctx: Context) -> LlmState:
    """Give the state that the model calls of this run share."""
    state: LlmState | None = ctx.services.get("llm")
    if state is None:
        import os

        from harnpy.capabilities.data_cache import warm_up
        from harnpy.llm.catalog_files import overlays

        warm_up()
        given = ctx.services.get("env")
        env: Mapping[str, str] = os.environ if given is None else given
        state = ctx.services["llm"] = LlmState(env, overlays(env, _project_file(ctx)), ctx.clock)
        shared: SharedCalls | None = ctx.services.get("shared_calls")
        if shared is not None:
            state.share(shared)
    return state


def window_time(ctx: Context) -> int:
    """Give the ms on the axis of the windows of rate limits."""
    clock = ctx.clock
    return (clock.ticks() if "shared_calls" not in ctx.services else clock.common_ticks()) // 1_000_000


def _project_file(ctx: Context) -> str | None:
    """Give the path of the ``harn.toml`` of the program, or ``None``."""
    import os

    from harnpy.analysis.modules import PROJECT_FILE, project_root

    root = project_root(ctx.services.get("source_dir") or ctx.services.get("cwd") or os.getcwd())
    return None if root is None else os.path.join(root, PROJECT_FILE)


def close(ctx: Context) -> None:
    """Close what model calls left open; called when the run ends."""
    state: LlmState | None = ctx.services.get("llm")
    if state is not None:
        state.close()


def permit(ctx: Context, method: str) -> None:
    """Refuse ``harness.llm.<method>`` when the policy of the run denies it."""
    policy = ctx.services.get("policy")
    if policy is not None:
        policy.check("llm", method)


def _text(value: Any) -> str:
    from harnpy.runtime.display import display

    return display(value)


def request_of(ctx: Context, prompt: Any, system: Any, options: Any) -> Request:
    """Build the request of a call from the arguments of a script."""
    if prompt is None:
        has_messages = type(options) is dict and options.get("messages") is not None
        if not has_messages:
            raise thrown_text("llm_call: missing required `prompt` argument (expected (prompt, system?, options?))")
        prompt = ""
    if type(system) is dict:
        refuse_options(system, "system", "options stand behind `system`: pass nil as `system`")
    system_text = None if system is None else _text(system)
    words = _text(prompt)

    def build(given: Any, gated: bool = True) -> Request:
        return _built(ctx, words, system_text, given, gated)

    if type(options) is dict and any(options.get(key) not in (None, False) for key in ROUTES):
        from harnpy.capabilities.routes import routed_request

        return routed_request(ctx, build, options)
    return build(options)


def refuse_options(given: Dict, place: str, hint: str) -> None:
    """Refuse the options of a call where another argument belongs: the call would go to another model."""
    from harnpy.llm.options import ACCEPTED, REMOVED

    for key in given:
        if key in ACCEPTED or key in REMOVED:
            raise thrown_text(f"llm_call: `{place}` was given the option `{key}`; {hint}")


def _built(ctx: Context, prompt: str, system: str | None, options: Any, gated: bool) -> Request:
    state = llm_state(ctx)
    checked = gated and not state.mock.active()
    request = build_request(prompt, system, options, state.env, state.catalog, gated=checked)
    for warning in request.warnings:
        if warning not in state.warned:
            state.warned.add(warning)
            ctx.write_err(f"warning: {warning}\n")
    return request


def llm_call(ctx: Context, prompt: Any = None, system: Any = None, options: Any = None) -> Dict:
    """Ask a model once and give its response; a failure throws.

    Gives ``{text, data, tool_calls, stop_reason, outcome: {kind, billed}, usage, model, provider, ...}``; ``usage``
    has ``input_tokens``, ``output_tokens`` and ``cost_usd`` (USD, nil when no price is known).
    Options: the closed set of ``docs/llm/llm_call.md``: ``model``, ``provider``, ``max_tokens``, ``temperature``,
    ``messages``, ``output``, ``tools``, ``timeout_ms``, ``budget`` (USD), ``routing`` ...
    Effects: one request to the provider, or an answer of the mock; events; the totals of the run.
    Errors: a text for wrong options, before anything is sent; else ``{kind: "transient" | "terminal", reason,
    category, message, origin, provider, model, status?, retry_after_ms?}``.
    """
    permit(ctx, "call")
    return perform(ctx, request_of(ctx, prompt, system, options))


def llm_call_safe(ctx: Context, prompt: Any = None, system: Any = None, options: Any = None) -> Dict:
    """Ask a model once and give ``{ok, response, error}``; ``error`` is what ``llm_call`` would throw, as a dict.

    Options and effects: those of ``llm_call``. Errors: only cancellation and a deadline pass through.
    """
    depth = ctx.depth
    try:
        return {"ok": True, "response": llm_call(ctx, prompt, system, options), "error": None}
    except HarnError as error:
        if error.value in PASSING:
            raise
        ctx.depth = depth
        return {"ok": False, "response": None, "error": error_dict(error.value)}


def error_dict(value: Any) -> Dict:
    """Give the error dict of a thrown value; a thrown text becomes its message."""
    if type(value) is dict:
        return value
    return {
        "kind": TERMINAL,
        "reason": "unknown",
        "category": "generic",
        "message": _text(value),
        "origin": "local",
        "provider": None,
        "model": None,
    }


def perform(ctx: Context, request: Request) -> Dict:
    """Carry out a request: once, or until its structured answer fits."""
    if request.output.kind == "text":
        return answer_of(ctx, request)[0]
    from harnpy.capabilities.structured_attempts import until_it_fits
    from harnpy.llm.structured import schema_error

    response, errors, attempts = until_it_fits(ctx, request)
    if errors and request.output.validation == "error":
        raise schema_error(request, errors, attempts)
    if errors and request.output.validation == "warn":
        ctx.write_err(f"warning: LLM output failed schema validation: {'; '.join(errors)}\n")
    return response


def admit(ctx: Context, state: LlmState, request: Request) -> None:
    """Refuse a call that no budget allows, and let it wait for its turn under the rate limit of its provider."""
    check_budget(request, state.totals, state.budget())
    tokens = estimate_tokens([request.messages, request.system or ""])
    provider, model = request.error_place()
    wait = state.rate_limits.reserve(provider, window_time(ctx), tokens, model)
    if wait > 0:
        ctx.scheduler.sleep(wait, f"the rate limit of {provider}")


def is_mocked(state: LlmState, request: Request) -> bool:
    """Tell whether the mock answers this call."""
    return request.route.provider.name == "mock" or state.mock.active()


def within(ctx: Context, request: Request, due: int) -> Request:
    """Give the request with no more time than is left until ``due``."""
    import copy

    left = (due - ctx.clock.ticks()) // 1_000_000
    if left <= 0:
        provider, model = request.error_place()
        raise timeout_error(provider, model, "total", request.option("operation_timeout_ms"))
    shorter = copy.copy(request)
    shorter.timeout_ms = min(request.timeout_ms, left)
    return shorter


def answer_of(ctx: Context, request: Request) -> tuple[Dict, Reply]:
    """Ask once, or along the routes of the request."""
    if request.plan is None:
        return ask_once(ctx, request)
    routed: tuple[Dict, Reply] = request.plan.ask(ctx, request)
    return routed


def ask_once(ctx: Context, request: Request) -> tuple[Dict, Reply]:
    """Make one request to the one route of ``request``, or let the mock answer it; observers see it begin and end."""
    if "llm_observers" not in ctx.services:
        return _ask_once(ctx, request)
    from harnpy.capabilities.observers import Watched

    watched = Watched(ctx, request)
    try:
        answer = _ask_once(ctx, request)
    except BaseException as error:
        watched.failed(error)
        raise
    watched.ended(answer[0]["usage"])
    return answer


def _ask_once(ctx: Context, request: Request) -> tuple[Dict, Reply]:
    state = llm_state(ctx)
    started = ctx.clock.ticks()
    simulated_cost: float | None = None
    empty = 0
    admit(ctx, state, request)
    try:
        if is_mocked(state, request):
            answer = mocked(ctx, state, request)
            reply, simulated_cost = answer.reply, answer.simulated_cost
            assert reply is not None
            if answer.chunks and request.output.watched:
                from harnpy.llm.schema_stream import watch_chunks

                watch_chunks(request, reply, answer.chunks)
        else:
            reply, empty = _asked(ctx, state, request)
    except RefusedReply as error:
        _count_refused(state, request, error, (ctx.clock.ticks() - started) // 1_000_000)
        raise
    usage = usage_dict(reply, request, simulated_cost=simulated_cost)
    usage["provider_attempts"]["empty_completion"] = empty
    if reply.before is not None and reply.before.tokens.known:
        usage = add_usage(usage_dict(reply.before, request), usage)
    else:
        usage["provider_attempts"]["total"] += empty
    duration = (ctx.clock.ticks() - started) // 1_000_000
    state.totals.add(usage, duration)
    _trace(state, request, reply, usage, duration)
    return build_response(request, reply, usage), reply


def _count_refused(state: LlmState, request: Request, error: RefusedReply, duration: int) -> None:
    """Put replies that are no answers on the bill, as far as the provider told what they used."""
    replies = [] if error.reply is None else [error.reply.before, error.reply]
    for reply in replies:
        if reply is not None and reply.tokens.known:
            state.totals.add(usage_dict(reply, request), duration if reply is error.reply else 0)


def _trace(state: LlmState, request: Request, reply: Reply, usage: Dict, duration: int) -> None:
    if usage["provider_attempts"]["empty_completion"]:
        state.note("empty_completion_retry", provider=reply.provider, model=reply.model)
    state.note(
        "llm_call",
        provider=reply.provider,
        model=reply.model,
        input_tokens=usage["input_tokens"],
        output_tokens=usage["output_tokens"],
        cache_tokens=usage["cache_read_tokens"],
        duration_ms=duration,
        iteration=request.option("_iteration"),
    )


def _asked(ctx: Context, state: LlmState, request: Request) -> tuple[Reply, int]:
    """Ask the provider, and keep what came for a later replay when the run records."""
    recorded = None if state.recorder is None else state.recorder.begin(request)
    try:
        call = real_call(ctx, state, request)
        call.begin(ctx.clock.ticks())
        answer: tuple[Reply, int] = ctx.scheduler.wait(lambda: call.ask(state.transport()))
    except BaseException as error:
        if recorded is not None:
            recorded.failed(error)
        raise
    if recorded is not None:
        recorded.reply(answer[0])
    return answer


def mocked(ctx: Context, state: LlmState, request: Request) -> Answer:
    """Answer from the mock."""
    return settle(ctx, request, state.mock.answer(request))


def settle(ctx: Context, request: Request, answer: Answer) -> Answer:
    """Let the delay of a mock answer pass on the clock of the run, up to the deadline of the call; raise its error."""
    provider, model = request.error_place()
    if answer.delay_ms > request.timeout_ms or (answer.reply is None and answer.error is None):
        ctx.scheduler.sleep(request.timeout_ms, IN_A_CALL)
        raise timeout_error(provider, model, "total", request.timeout_ms, phase="awaiting_first_chunk")
    if answer.delay_ms:
        ctx.scheduler.sleep(answer.delay_ms, IN_A_CALL)
    if answer.error is not None:
        raise answer.error
    return answer


def real_call(ctx: Context, state: LlmState, request: Request) -> Call:
    """Prepare a call that leaves the process; its key and the switch against such calls are looked at here."""
    provider, model = request.error_place()
    if provider in state.hosts:
        hosted: Call = state.hosts[provider](request)
        return hosted
    if state.env.get("HARN_LLM_CALLS_DISABLED", "").strip().lower() in _TRUE:
        message = (
            f"LLM calls are disabled by HARN_LLM_CALLS_DISABLED; provider `{provider}` would make a real LLM request"
        )
        raise local_error("unknown", message, provider, model, category="egress_blocked")
    from harnpy.llm.exchange import Call

    return Call(request, state.env, ctx.clock.now_ms)


def llm_session_cost(ctx: Context) -> Dict:
    """Give what the calls of this run used: ``{total_cost (USD), input_tokens, output_tokens, call_count}``."""
    return llm_state(ctx).totals.session_cost()


def llm_budget(ctx: Context, limit: Any = None) -> None:
    """Set the budget of the run in USD; the call after the one that passes it is refused.

    Errors: throws a text when ``limit`` is no number.
    """
    if type(limit) not in (int, float):
        raise thrown_text("llm_budget: requires a numeric argument")
    if not is_number(limit) or limit < 0:
        raise thrown_text("llm_budget: expected a finite, non-negative number")
    llm_state(ctx).session_budget = float(limit)


def llm_budget_remaining(ctx: Context) -> float | None:
    """Give what is left of the budget of the run in USD, nil when none was set."""
    state = llm_state(ctx)
    if state.session_budget is None:
        return None
    from decimal import Decimal

    return float(Decimal(str(state.session_budget)) - state.totals.cost)


def check_provider(name: str, provider: str, state: LlmState) -> None:
    """Refuse a limit for a provider that nobody knows: it would limit nothing."""
    known = {*state.catalog.providers, *state.hosts}
    if provider not in known:
        from harnpy.llm.spelling import close_to

        text = f"{name}: unknown provider `{provider}`{close_to(provider, known)}"
        raise thrown_text(f"{text} (known providers: {', '.join(sorted(known))})")


def llm_rate_limit(ctx: Context, provider: Any = None, limits: Any = None) -> Dict | None:
    """Set the limits ``{rpm?, tpm?}`` of a provider, requests and tokens a minute; 0 clears one.

    With ``{details: true}``, or without limits, describe them. Errors: a text for an unknown provider.
    """
    if type(provider) is not str:
        raise thrown_text("llm_rate_limit: provider must be a string")
    state = llm_state(ctx)
    check_provider("llm_rate_limit", provider, state)
    if limits is None or (type(limits) is dict and limits.get("details")):
        return state.rate_limits.details(provider, window_time(ctx))
    good = type(limits) is dict and all(type(value) is int and value >= 0 for value in limits.values())
    if not good or not set(limits) <= {"rpm", "tpm"}:
        raise thrown_text("llm_rate_limit: expected {rpm?, tpm?} with non-negative ints, or {details: true}")
    state.rate_limits.set(provider, limits)
    return None


def llm_usage(ctx: Context) -> Dict:
    """Give the counters of this run: ``{input_tokens, output_tokens, total_duration_ms, call_count, total_calls}``."""
    return llm_state(ctx).totals.usage()


def llm_info(ctx: Context) -> Dict:
    """Give the default route: ``{provider, model, api_key_set}``."""
    env = llm_state(ctx).env
    route = resolve({}, env, llm_state(ctx).catalog)
    return {"provider": route.provider.name, "model": route.model, "api_key_set": route.provider.available(env)}


def retry_after_ms(ctx: Context, value: Any = None) -> int | None:
    """Read a ``Retry-After`` value against the wall clock of the run; nil when it says nothing (llm 9.6)."""
    from harnpy.llm.retry_after import read_retry_after

    return None if value is None else read_retry_after(_text(value), ctx.clock.now_ms())
