"""Asks until a structured answer fits its schema; an answer that breaks it while it arrives is given up (llm 3.3)."""

from __future__ import annotations

import copy

from harnpy.capabilities.llm import answer_of, llm_state, within
from harnpy.errors import HarnError
from harnpy.llm.response import data_of
from harnpy.llm.schema_stream import is_aborted, with_status
from harnpy.llm.structured import answer_errors, ask_again, retries_of
from harnpy.llm.usage import add_usage, usage_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]


def until_it_fits(
    ctx: Context, request: Request, due: int | None = None, *, keep_last: bool = False
) -> tuple[Dict, list[str], int]:
    """Ask again while the answer breaks its schema: the last response, its errors, and the number of attempts.

    ``due`` is the time in ticks by which all attempts together must have ended. ``keep_last``: the last answer is
    wanted as it is, right or wrong.

    Raises:
        HarnError: the call failed, or its last answer was given up while it arrived.
    """
    tries = retries_of(request) + 1
    attempt, used = request, None
    for number in range(1, tries + 1):
        if due is not None:
            attempt = within(ctx, attempt, due)
        attempt = _watched(attempt, number < tries or (request.output.validation == "error" and not keep_last))
        depth = ctx.depth
        try:
            response, reply = answer_of(ctx, attempt)
        except HarnError as error:
            if not is_aborted(error):
                raise
            spent = _spent(ctx, attempt, error)
            if number == tries:
                raise with_status(error, attempt, number) from None
            ctx.depth = depth
            used = _added(used, spent)
            attempt = _next(ctx, attempt, request, number, {"stop_reason": None}, [error.value["message"]])
            continue
        found, response["data"] = data_of(reply)
        response["usage"] = _added(used, response["usage"])
        errors = answer_errors(request, response, found)
        if not errors or number == tries:
            break
        used = response["usage"]
        attempt = _next(ctx, attempt, request, number, response, errors)
    return response, errors, number


def _watched(attempt: Request, wished: bool) -> Request:
    """Let an answer be given up early, or not."""
    output = attempt.output
    watched = output.stream_abort and wished
    if watched is output.watched:
        return attempt
    changed = copy.copy(attempt)
    changed.output = copy.copy(output)
    changed.output.watched = watched
    return changed


def _spent(ctx: Context, attempt: Request, error: HarnError) -> Dict | None:
    """Count what an answer that was given up has used, as far as the provider had told."""
    reply = getattr(error, "reply", None)
    if reply is None:
        return None
    usage = usage_dict(reply, attempt)
    llm_state(ctx).totals.add(usage, 0)
    return usage


def _added(used: Dict | None, more: Dict | None) -> Dict | None:
    if used is None or more is None:
        return more if used is None else used
    return add_usage(used, more)


def _next(ctx: Context, attempt: Request, request: Request, number: int, response: Dict, errors: list[str]) -> Request:
    """Give the next attempt, and note why there is one."""
    following = ask_again(attempt, request, response, errors)
    nudge = following.messages[-1]["content"] if len(following.messages) > len(request.messages) else None
    llm_state(ctx).note(
        "schema_retry", attempt=number, errors=errors, nudge_used=nudge is not None, correction_prompt=nudge
    )
    return following
