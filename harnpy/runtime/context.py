"""The state of one run that compiled code and builtins reach: limits, flags, services, output."""

from __future__ import annotations

from harnpy.runtime.limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.clock import Clock
    from harnpy.runtime.tasks import Scheduler
    from harnpy.runtime.values import Builtin


class Context:
    """One run.

    Hot fields, read by compiled code:
      ``stop``   falsy, or a callable that raises what must stop the running task; read at every
                 call and loop turn (``if ctx.stop: ctx.stop()``). The watchdog and the scheduler set it.
      ``depth``  Harn frames of the running task; the scheduler keeps it per task.
      ``max_depth``  the limit of ``depth``.
      ``tail_closure``, ``tail_frame``  the pending tail call (``calls.follow_tail``).
      ``tail_run``  tail calls that nest in Python right now (``calls.TAIL_RUN``).

    Services:
      ``scheduler``  tasks, sleeping, waiting for I/O.     ``clock``  wall and monotonic ms.
      ``random``     a ``random.Random`` of the run.        ``limits`` the run's limits.
      ``write_out(text)``, ``write_err(text)``, ``read_line()``  standard streams.
      ``events``     the event bus (``events.bus``).
      ``find_builtin(name)``, ``find_method(type_name, name)``  give a ``Builtin`` or ``None``.
      ``builtins``   knows the names of builtins without loading them (``builtins.registry``).
      ``predefined`` values that every module sees beside ``harness``, ``argv``, ``pi`` and ``e``, by name.
      ``harness``    the predefined ``harness`` handle.     ``argv``  list of strings.
      ``loader``     loads and links modules (``runtime.program``).
      ``services``   a dict for state that builtins keep per run, by builtin module name
                     (mock queues, circuits, mocked stdin ...); cleared with the run.
    """

    __slots__ = (
        "argv",
        "builtins",
        "clock",
        "depth",
        "events",
        "find_builtin",
        "find_method",
        "harness",
        "limits",
        "loader",
        "max_depth",
        "predefined",
        "random",
        "read_line",
        "scheduler",
        "services",
        "stop",
        "tail_closure",
        "tail_frame",
        "tail_run",
        "write_err",
        "write_out",
    )

    stop: Callable[[], None] | None
    depth: int
    max_depth: int
    tail_closure: Any
    tail_frame: list[Any] | None
    tail_run: int
    scheduler: Scheduler
    clock: Clock
    random: Any
    limits: Limits
    write_out: Callable[[str], None]
    write_err: Callable[[str], None]
    read_line: Callable[[], str | None]
    events: Any
    find_builtin: Callable[[str], Builtin | None]
    find_method: Callable[[str, str], Builtin | None]
    harness: Any
    argv: list[str]
    builtins: Any
    predefined: dict[str, Any]
    loader: Any
    services: dict[str, Any]

    def __init__(self) -> None:
        self.stop = None
        self.depth = 0
        self.max_depth = 1000
        self.tail_closure = None
        self.tail_frame = None
        self.tail_run = 0
        self.limits = Limits()
        self.argv = []
        self.predefined = {}
        self.services = {}
