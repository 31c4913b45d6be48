"""Tells the observers of a run (trace page, progress) how a model call goes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.runtime.context import Context

# What a task waits for while it is inside a model call: no wait of its own.
IN_A_CALL = "a model call"


class Watched:
    """One model call as ``services["llm_observers"]`` see it; its end is told once."""

    __slots__ = ("_calls",)

    def __init__(self, ctx: Context, request: Request) -> None:
        self._calls = [(each, each.began(request)) for each in ctx.services.get("llm_observers", ())]

    def ended(self, usage: dict[str, Any]) -> None:
        """Tell that the call was answered."""
        calls, self._calls = self._calls, []
        for observer, call in calls:
            observer.ended(call, usage)

    def failed(self, error: BaseException) -> None:
        """Tell that the call failed."""
        calls, self._calls = self._calls, []
        for observer, call in calls:
            observer.failed(call, error)
