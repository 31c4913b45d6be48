"""The limits of a run, and the room that the deepest call chain they allow takes (language 7.3)."""

from __future__ import annotations

from harnpy.errors import HarnError, Interrupted
from harnpy.recursion import allow_frames, hold_frames, release_frames
from harnpy.runtime.calls import OVERFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.context import Context

MIN_CALL_DEPTH = 16
MAX_CALL_DEPTH = 10_000

# One Harn call takes three Python frames, and more when it stands deep in an expression. Pure Python
# calls use no C stack, so the room is generous; what is left over is caught as RecursionError.
FRAMES_PER_CALL = 40
SPARE_FRAMES = 20_000


class Limits:
    """What one run may use.

    ``call_depth`` counts Harn frames, ``steps`` calls and loop turns (``None``: not counted), ``wall_ms`` real
    time; ``max_string`` and ``max_list`` bound single values that builtins make. How deeply brackets and blocks may
    nest in a source text is fixed (``syntax.parser``).
    """

    __slots__ = ("call_depth", "max_list", "max_string", "steps", "wall_ms")

    def __init__(
        self,
        call_depth: int = 1000,
        steps: int | None = None,
        wall_ms: int | None = None,
        max_string: int = 256 * 1024 * 1024,
        max_list: int = 50_000_000,
    ) -> None:
        if not MIN_CALL_DEPTH <= call_depth <= MAX_CALL_DEPTH:
            raise ValueError(f"call depth must be from {MIN_CALL_DEPTH} to {MAX_CALL_DEPTH}, got {call_depth}")
        self.call_depth = call_depth
        self.steps = steps
        self.wall_ms = wall_ms
        self.max_string = max_string
        self.max_list = max_list


def allow_depth(call_depth: int) -> None:
    """Let Python nest as deeply as ``call_depth`` Harn frames need; the limit is never lowered."""
    allow_frames(_frames(call_depth))


def _frames(call_depth: int) -> int:
    return call_depth * FRAMES_PER_CALL + SPARE_FRAMES


def enter_run(call_depth: int) -> None:
    """Raise the host's recursion limit for a run; ``leave_run`` puts it back when no run is left."""
    hold_frames(_frames(call_depth))


def leave_run() -> None:
    """End what ``enter_run`` began."""
    release_frames()


def run_in_thread(ctx: Context, main: Callable[[], Any]) -> Any:
    """Run ``main`` as the main program of ``ctx`` on a thread with a large stack.

    Gives what ``main`` gives and raises what it raises. Ctrl-C becomes ``Interrupted`` inside the program.
    """
    from harnpy.runtime.worker import run_on_worker

    return run_on_worker(lambda: ctx.scheduler.run(main), ctx.scheduler.interrupt)


def translated(error: BaseException) -> BaseException:
    """Give the error of the language that a Python error at the edge of a task stands for."""
    if isinstance(error, RecursionError):
        return HarnError(OVERFLOW)
    if isinstance(error, KeyboardInterrupt):
        return Interrupted()
    return error
