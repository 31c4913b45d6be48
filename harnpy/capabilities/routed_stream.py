"""A stream under a routing policy: routes may change until the first text was handed out (llm 12.2)."""

from __future__ import annotations

from harnpy.capabilities.llm import PASSING
from harnpy.capabilities.reply_stream import ReplyStream, open_stream
from harnpy.capabilities.routing import Dispatch, RoutedPlan
from harnpy.capabilities.routing_record import error_summary
from harnpy.errors import HarnError, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply
    from harnpy.llm.routing import Policy
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]


def routed_stream(ctx: Context, request: Request) -> ReplyStream:
    """Give the stream of a call with a policy; races and verifiers need whole replies and do not apply."""
    if not isinstance(request.plan, RoutedPlan):
        raise thrown_text(
            "llm_stream_call: `models` and `ladder` are for whole replies; give a stream a `routing` policy"
        )
    routed = _Routed(ctx, request, request.plan)
    return ReplyStream(routed.next_text, routed.stop)


class _Routed:
    """The current route of one stream."""

    def __init__(self, ctx: Context, request: Request, plan: RoutedPlan) -> None:
        self._ctx = ctx
        self._policy: Policy = plan.policy
        self._dispatch = Dispatch(ctx, plan, request)
        self._index = -1
        self._inner: ReplyStream | None = None
        self._entry: Dict = {}

    def next_text(self) -> str | Reply:
        """Give the next piece of the route that answered first."""
        if self._inner is None:
            self._dispatch.record.decision()
            return self._first()
        try:
            piece = self._inner.next_text()
        except HarnError as error:
            self._failed(error)
            if self._policy.eligible(error.value) and self._dispatch.may_try(self._index + 1):
                link = self._policy.chain[self._index]
                self._dispatch.record.on_link("failover_suppressed", link, reason="public_stream_committed")
            raise
        return self._noted(piece)

    def _first(self) -> str | Reply:
        """Ask the links in order until one begins to answer."""
        depth = self._ctx.depth
        self._index = 0
        while self._dispatch.may_try(self._index):
            request = self._dispatch.usable(self._index, [])
            if request is not None:
                self._entry = self._dispatch.record.begin(self._policy.chain[self._index])
                try:
                    self._inner = open_stream(self._ctx, request)
                    return self._noted(self._inner.next_text())
                except HarnError as error:
                    if error.value in PASSING:
                        raise
                    self._ctx.depth = depth
                    self._failed(error)
                    self.stop()
                    self._dispatch.after_error(error)
            self._index += 1
        self._dispatch.give_up()
        raise AssertionError("a stream has no rejected answers")

    def _noted(self, piece: str | Reply) -> str | Reply:
        if type(piece) is not str:
            self._entry["status"] = "succeeded"
        return piece

    def _failed(self, error: HarnError) -> None:
        if error.value not in PASSING:
            self._entry.update(status="failed", error=error_summary(error.value))

    def stop(self) -> None:
        """End the request that runs."""
        if self._inner is not None and not self._inner.done:
            self._inner.stop()
