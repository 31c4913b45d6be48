"""``stream``: the text of a reply as a channel of strings; a failure comes as its last item (llm 7)."""

from __future__ import annotations

from harnpy.capabilities.llm import PASSING, error_dict
from harnpy.capabilities.reply_stream import ReplyStream, stream_call
from harnpy.errors import HarnError
from harnpy.runtime.channels import Channel
from harnpy.runtime.iterators import END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_CAPACITY = 256


def stream(ctx: Context, prompt: Any = None, system: Any = None, options: Any = None) -> Channel:
    """Ask a model and give a channel of the pieces of its text.

    The channel closes behind the last piece; a failure comes as its last item, the error dict of ``llm_call``.
    Options: those of ``llm_call``. Effects: one model call, in a task of its own; closing the channel ends it.
    Errors: wrong options throw at once.
    """
    chunks = stream_call(ctx, prompt, system, options)
    channel = Channel(ctx.scheduler, "llm_stream", _CAPACITY)
    ctx.scheduler.spawn(_pump, chunks, channel, name="llm_stream")
    return channel


def _pump(chunks: ReplyStream, channel: Channel) -> None:
    """Hand the text on until it ends, or nobody takes it any more."""
    try:
        while (chunk := chunks.pull()) is not END:
            if channel.closed:
                chunks.stop()
                return
            if chunk["delta"]:
                channel.send(chunk["delta"])
    except HarnError as error:
        if error.value in PASSING:
            raise
        if not channel.closed:
            channel.send(error_dict(error.value))
    finally:
        channel.close()
