"""What stands before every effect of a script: faked answers, then the policy of the run (builtins 3.1, 3.7, 3.8)."""

from __future__ import annotations

from harnpy.capabilities.policy import CONFINED
from harnpy.runtime.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.context import Context


def guarded(capability: str, method: str, full: str, target: Builtin) -> Builtin:
    """Give ``target`` under the name ``full``, guarded as ``harness.<capability>.<method>``.

    A faked answer needs no permission, since nothing happens. A refusal comes before anything happened.
    """
    function: Callable[..., Any] = target.fn
    wants_ctx = target.wants_ctx
    limit = target.max_args
    # Requests ask the policy themselves, behind their mocks and for each redirect.
    checked = capability != "net"
    confined = capability in CONFINED

    def run(ctx: Context, *args: Any) -> Any:
        services = ctx.services
        if "responses" in services:
            answered, value = services["responses"].answer(capability, method, args)
            if answered:
                return value
        if "stand_in" in services:
            answered, value = services["stand_in"].answer(ctx, capability, method, args)
            if answered:
                return value
        policy = services.get("policy")
        if checked and policy is not None and (confined or policy.deny):
            policy.check(capability, method)
        if limit is not None and len(args) > limit:
            args = args[:limit]
        return function(ctx, *args) if wants_ctx else function(*args)

    run.__doc__ = function.__doc__  # the REPL shows it
    return Builtin(full, run)
