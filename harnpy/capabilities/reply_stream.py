"""``stream_call``: a reply as a stream of chunks (llm 7)."""

from __future__ import annotations

from harnpy.capabilities.llm import admit, is_mocked, llm_state, permit, real_call, request_of, settle
from harnpy.capabilities.observers import Watched
from harnpy.errors import HarnError
from harnpy.llm.errors import error_with
from harnpy.llm.mock import Answer
from harnpy.llm.usage import usage_dict
from harnpy.llm.visible import visible_text
from harnpy.runtime.iterators import END, Pullable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Queue, Task
    from collections.abc import Callable
    from typing import Any

    from harnpy.llm.exchange import Call
    from harnpy.llm.mock_record import RecordedCall
    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply
    from harnpy.llm.state import LlmState
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]


class ReplyStream(Pullable):
    """A stream of ``{delta, visible_delta, partial, role, stop_reason}``, the last one with the stop reason.

    ``next_text`` gives the next piece of text, or the finished reply.
    """

    __slots__ = ("_next_text", "_raw", "_stop", "_visible", "done", "last")
    type_name = "stream"

    def __init__(self, next_text: Callable[[], str | Reply], stop: Callable[[], None]) -> None:
        self._next_text = next_text
        self._stop = stop
        self._raw = ""
        self._visible = ""
        self.done = False
        self.last: Any = None

    def pull(self) -> Any:
        """Give the next chunk or ``END``."""
        if self.done:
            return END
        try:
            piece = self._next_text()
        except BaseException:
            self.stop()
            raise
        if type(piece) is str:
            self.last = self._chunk(piece)
        else:
            self.stop()
            self.last = self._chunk("", getattr(piece, "stop_reason", None))
        return self.last

    def next_text(self) -> str | Reply:
        """Give the next piece of text, or the finished reply, to a stream that hands it on."""
        return self._next_text()

    def stop(self) -> None:
        """Let nothing more come."""
        self.done = True
        self._stop()

    def _chunk(self, delta: str, stop_reason: str | None = None) -> Dict:
        self._raw += delta
        visible = visible_text(self._raw)
        grown = visible[len(self._visible) :] if visible.startswith(self._visible) else visible
        self._visible = visible
        chunk = {"delta": delta, "visible_delta": grown, "partial": visible, "role": "assistant"}
        return {**chunk, "stop_reason": stop_reason}

    def display_text(self) -> str:
        """Give the display form."""
        return "<stream (done)>" if self.done else "<stream>"

    def equals(self, other: object) -> bool:
        """Streams are never equal."""
        return False

    def __del__(self) -> None:
        if not self.done:
            self._stop()


def stream_call(ctx: Context, prompt: Any = None, system: Any = None, options: Any = None) -> ReplyStream:
    """Ask a model and give its answer as a stream of chunks; nothing is tried again.

    A chunk is ``{delta, visible_delta, partial, role, stop_reason}``: the new text, its public part, and all public
    text so far; the last chunk has an empty ``delta`` and the stop reason.
    Options: those of ``llm_call``. Effects: one model call; leaving the loop over the stream ends it.
    Errors: wrong options throw at once; a failure of the call is thrown where the stream is pulled, with
    ``partial``.
    """
    permit(ctx, "stream_call")
    request = request_of(ctx, prompt, system, options)
    if request.plan is not None:
        from harnpy.capabilities.routed_stream import routed_stream

        return routed_stream(ctx, request)
    return open_stream(ctx, request)


def open_stream(ctx: Context, request: Request) -> ReplyStream:
    """Give the stream of one request to one route."""
    state = llm_state(ctx)
    admit(ctx, state, request)
    started = ctx.clock.ticks()
    watched = Watched(ctx, request)

    def count(reply: Reply) -> None:
        elapsed = (ctx.clock.ticks() - started) // 1_000_000
        usage = usage_dict(reply, request)
        state.totals.add(usage, elapsed)
        watched.ended(usage)

    if is_mocked(state, request):
        return _mock_stream(ctx, state, request, count, watched)
    request.stream = True
    call = real_call(ctx, state, request)
    return _real_stream(ctx, state, call, _Recording(state, request, count, watched))


def _at_start(error: HarnError) -> HarnError:
    """Give an error with what a stream's errors say; one that says nothing itself came before the first chunk."""
    return error_with(error, source="provider_stream", phase="awaiting_first_chunk")


def _mock_stream(
    ctx: Context, state: LlmState, request: Any, count: Callable[[Reply], None], watched: Watched
) -> ReplyStream:
    """Hand out the chunks of a mock answer; it is taken when the stream is first pulled."""
    pieces: list[str | Reply | Answer] = []

    def begin(answer: Answer) -> str | Reply:
        try:
            settle(ctx, request, answer)
        except HarnError as error:
            watched.failed(error)
            raise _at_start(error) from None
        reply = answer.reply
        assert reply is not None
        pieces.extend(answer.chunks or ([reply.text] if reply.text else []))
        pieces.append(reply)
        count(reply)
        return next_text()

    def next_text() -> str | Reply:
        if not pieces:
            answer = state.mock.answer(request)
            if answer.reply is None:
                pieces.extend(answer.chunks or [])
            pieces.append(answer)
        piece = pieces.pop(0)
        return begin(piece) if isinstance(piece, Answer) else piece

    return ReplyStream(next_text, lambda: None)


class _Recording:
    """Counts a streamed call and keeps it for a later replay when the run records."""

    def __init__(self, state: LlmState, request: Request, count: Callable[[Reply], None], watched: Watched) -> None:
        self._watched = watched
        self._recorder = state.recorder
        self._request = request
        self._count = count
        self._call: RecordedCall | None = None
        self._chunks: list[str] = []

    def began(self) -> None:
        """Note that the request goes out."""
        if self._recorder is not None:
            self._call = self._recorder.begin(self._request)

    def text(self, text: str) -> None:
        """Note one piece."""
        if self._call is not None:
            self._chunks.append(text)

    def ended(self, reply: Reply) -> None:
        """Note the finished reply."""
        self._count(reply)
        if self._call is not None:
            self._call.reply(reply, self._chunks)

    def failed(self, error: HarnError) -> None:
        """Note a failure."""
        self._watched.failed(error)
        if self._call is not None:
            self._call.failed(error, self._chunks)

    def dropped(self) -> None:
        """Note that nobody waits for more."""
        self._watched.failed(HarnError("the stream was dropped"))
        if self._call is not None:
            self._call.unanswered(self._chunks)


def _real_stream(ctx: Context, state: LlmState, call: Call, recording: _Recording) -> ReplyStream:
    """Run the exchange beside the program, and let pulls wait for what it brings."""
    queue: list[Queue[Any]] = []
    exchange: list[Task[None]] = []

    def on_text(text: str) -> None:
        recording.text(text)
        queue[0].put_nowait(text)

    async def run() -> None:
        try:
            reply = await call.stream(state.transport(), on_text)
        except HarnError as error:
            recording.failed(error)
            queue[0].put_nowait(error)
        else:
            recording.ended(reply)
            queue[0].put_nowait(reply)

    async def receive() -> Any:
        if not exchange:
            from asyncio import Queue, get_running_loop

            recording.began()
            queue.append(Queue())
            exchange.append(get_running_loop().create_task(run()))
            state.open_streams.add(stop)
        return await queue[0].get()

    def next_text() -> str | Reply:
        if not exchange:
            call.begin(ctx.clock.ticks())
        item = ctx.scheduler.wait(receive)
        if isinstance(item, HarnError):
            raise _at_start(item)
        piece: str | Reply = item
        return piece

    def stop() -> None:
        state.open_streams.discard(stop)
        recording.dropped()
        for task in exchange:
            if not task.done() and not task.get_loop().is_closed():
                task.cancel()

    return ReplyStream(next_text, stop)
