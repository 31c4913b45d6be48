"""One task of a run, and the words for what it waits for and how it ends (language 11)."""

from __future__ import annotations

from harnpy.errors import ControlSignal, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DEADLINE = "Deadline exceeded"
CANCELLED = "kind:cancelled:VM cancelled by host"

# What a task waits for; a task that waits for other tasks is not itself the cause of a deadlock.
BRANCHES = "its branches"
TASK = "a task"
IO = "I/O"
FOR_TASKS = (BRANCHES, TASK)

# A cancelled task that went on after this many deliveries is stopped at calls and loop turns too.
PATIENCE = 2


class TaskAborted(ControlSignal):
    """Ends a task that cannot be asked any more; nothing in the task can catch it."""


class Task:
    """One task: the main program, a branch or a spawned block.

    ``fn(*args)`` is its work; ``index`` its place among the branches of one construct. When ``done``, ``result``
    or ``error`` holds the outcome; ``on_done(task)`` is called when it ends. ``deadline`` is in clock ticks.
    ``cancelled`` makes the error that a cancelled task gets at each wait; ``deliveries`` counts how often it did.
    """

    __slots__ = (
        "args",
        "cancelled",
        "cleanups",
        "context",
        "deadline",
        "deliveries",
        "depth",
        "done",
        "error",
        "fn",
        "greenlet",
        "id",
        "index",
        "locals",
        "name",
        "on_done",
        "parked",
        "result",
        "shielded",
        "stamp",
        "thrown",
        "value",
        "waiters",
        "why",
    )

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], name: str, index: int = 0) -> None:
        self.id = 0
        self.fn = fn
        self.args = args
        self.name = name
        self.index = index
        self.context: Any = None
        self.greenlet: Any = None
        self.depth = 0
        self.deadline: int | None = None
        self.locals: dict[str, Any] = {}
        self.cancelled: Callable[[], BaseException] | None = None
        self.deliveries = 0
        self.cleanups = 0
        self.parked = False
        self.shielded = False
        self.stamp = 0
        self.why = ""
        self.value: Any = None
        self.thrown: BaseException | None = None
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.waiters: list[Task] = []
        self.on_done: Callable[[Task], None] | None = None


class _Expired:
    """What ``park`` gives when the clock ended the wait."""

    __slots__ = ()


EXPIRED = _Expired()


def cancellation() -> BaseException:
    """Make the error that a cancelled task gets."""
    return thrown_text(CANCELLED)


def no_work() -> None:
    """The work of a task that has none (any more)."""
    return
