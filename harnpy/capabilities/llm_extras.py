"""Further ways to ask a model: completion, a slot of a rate limit, certainty, a token estimate (llm 1.1)."""

from __future__ import annotations

from harnpy.capabilities.llm import check_provider, is_mocked, llm_state, perform, permit, request_of, window_time
from harnpy.errors import thrown_text, type_error
from harnpy.llm.budget import estimate_tokens
from harnpy.runtime.calls import call
from harnpy.runtime.values import CALLABLE_TYPES, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

_FILL = (
    "Write the text that belongs between the prefix and the suffix. Answer with that text only: no quotes, no fences, "
    "nothing of the prefix or the suffix."
)


def llm_completion(
    ctx: Context, prefix: Any = None, suffix: Any = None, system: Any = None, options: Any = None
) -> Dict:
    """Ask for the text between ``prefix`` and ``suffix``, or after ``prefix``; the response is that of ``llm_call``.

    Options, effects and errors: those of ``llm_call``.
    """
    permit(ctx, "completion")
    if type(prefix) is not str:
        raise type_error(f"llm_completion expects string argument 1, got {type_of(prefix)}")
    after = suffix if type(suffix) is str else ""
    prompt = f"<prefix>{prefix}</prefix>\n<suffix>{after}</suffix>\n\n{_FILL}"
    request = request_of(ctx, prompt, system, options)
    if is_mocked(llm_state(ctx), request):
        request.mock_text = f"Mock completion after {len(prefix)} chars before {len(after)} chars"
    return perform(ctx, request)


def llm_with_rate_limit(ctx: Context, provider: Any = None, callback: Any = None, options: Any = None) -> Any:
    """Wait for a slot of the provider's rate limit, then call ``callback()`` and give its value.

    Options: ``tokens`` (0) that the slot shall count. Effects: sleeps on the clock of the run.
    Errors: a text for an unknown provider or wrong arguments; a throw of ``callback`` passes through.
    """
    if type(provider) is not str:
        raise thrown_text("llm_with_rate_limit: provider must be a string")
    if type(callback) not in CALLABLE_TYPES:
        raise thrown_text("llm_with_rate_limit: callback must be callable")
    check_provider("llm_with_rate_limit", provider, llm_state(ctx))
    given: Dict = {} if options is None else options
    if type(given) is not dict or set(given) - {"tokens"}:
        raise thrown_text("llm_with_rate_limit: options: expected {tokens?}")
    tokens = given.get("tokens", 0)
    if type(tokens) is not int or tokens < 0:
        raise thrown_text("llm_with_rate_limit: options.tokens must be a non-negative integer")
    wait = llm_state(ctx).rate_limits.reserve(provider, window_time(ctx), tokens)
    if wait > 0:
        ctx.scheduler.sleep(wait, f"the rate limit of {provider}")
    return call(ctx, callback, [])


def llm_self_certainty(ctx: Context, subject: Any = None, options: Any = None) -> float:
    """Give the mean log-probability (0 or less) of an answer: of a response with ``logprobs``, or of the answer to a
    prompt.

    Options: those of ``llm_call``, for a prompt. Effects: one model call for a prompt.
    Errors: throws a text when there are no log-probabilities.
    """
    if type(subject) is str:
        given = options if type(options) is dict else {}
        subject = perform(ctx, request_of(ctx, subject, None, {"logprobs": True, **given}))
    found: list[float] = list(_logprobs(subject.get("logprobs") if type(subject) is dict else None))
    if not found:
        raise thrown_text("llm_self_certainty: the result has no logprobs; ask with {logprobs: true}")
    return sum(found) / len(found)


def _logprobs(value: Any) -> Iterator[float]:
    """Give every log-probability of a token, in whatever lists and dicts they stand."""
    if type(value) is list:
        for item in value:
            yield from _logprobs(item)
    elif type(value) is dict:
        own: Any = value.get("logprob")
        if type(own) in (int, float):
            yield float(own)
        else:
            yield from _logprobs(value.get("content"))
    elif type(value) in (int, float):
        yield float(value)


def warn_of_slips(ctx: Context, dropped: Any = None) -> None:
    """Tell once about each key that a caller does not hand on and that is probably a misspelt call option."""
    told: set[str] = ctx.services.setdefault("told_slips", set())
    for name in dropped if type(dropped) is list else ():
        if type(name) is not str or name in told:
            continue
        from harnpy.builtins.option_names import warn_of_option
        from harnpy.llm.options import ACCEPTED
        from harnpy.llm.spelling import near_miss

        told.add(name)
        meant = near_miss(name, ACCEPTED)
        if meant is not None:
            text = f"llm_call: option `{name}` is not handed on (did you mean `{meant}`?)"
            warn_of_option(ctx, "llm_call", name, text)


def tiktoken_count_tokens(text: Any = None, _model: Any = None) -> int:
    """Estimate the tokens of a text as a quarter of its UTF-8 bytes, rounded up; there is no tokenizer here."""
    if type(text) is not str:
        raise type_error(f"tiktoken_count_tokens expects string argument 1, got {type_of(text)}")
    return estimate_tokens(text)


def agent_trace(ctx: Context) -> list[Dict]:
    """Give what happened in the model calls of this run so far: calls, retries, moves along a ladder."""
    return list(llm_state(ctx).trace)


def agent_trace_summary(ctx: Context) -> Dict:
    """Give how often each kind of entry stands in the trace."""
    counts: Dict = {}
    for entry in llm_state(ctx).trace:
        counts[entry["type"]] = counts.get(entry["type"], 0) + 1
    return {"total": sum(counts.values()), "by_type": counts}
