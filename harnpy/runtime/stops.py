"""What stops a running task: deadlines, cancellation, interrupts and the limits of the run (language 9.3, 11.5)."""

from __future__ import annotations

from _thread import allocate_lock

from harnpy.errors import ControlSignal, Interrupted, TimeLimit, thrown_text
from harnpy.runtime.clock import MS
from harnpy.runtime.task import DEADLINE, PATIENCE, Task, no_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.runtime.watchdog import Watchdog

# Steps that clean-up may use after the step limit struck.
_SPARE_STEPS = 100_000


class Stops:
    """The half of the scheduler that decides whether a task may go on.

    ``ctx.stop`` is ``None`` while nothing can stop the running task, and ``check`` as soon as something may.
    """

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.clock = ctx.clock
        self.clock.watchers = (self._clock_moved,)
        self.main = self.current = Task(no_work, (), "main")
        self.live: dict[int, Task] = {}
        self.loop: Any = None
        self.alarm: Callable[[], None] | None = None
        self.pending: BaseException | None = None
        self.broken_off = self.hurried = False
        self.asked = False  # the running task is to look; so while anything is pending or hurried
        self.doorbell = allocate_lock()
        self.doorbell.acquire()
        self._watchdog: Watchdog | None = None
        self._steps: int | None = ctx.limits.steps
        self._resting: Callable[[], None] | None = self.check if self._steps is not None else None
        ctx.stop = self._resting

    # --- checks -------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise what must stop the running task, if anything must."""
        task = self.current
        if self._steps is not None:
            self._count_step()
        self.asked = self.hurried
        self._deliver_pending()
        self.set_stop(task)
        if task.cleanups:
            return
        self.check_deadline()
        if task.cancelled is not None and task.deliveries >= PATIENCE:
            raise task.cancelled()

    def check_clock(self) -> None:
        """Raise when the deadline has passed; a busy machine may have kept the watchdog from saying so."""
        if not self.current.cleanups:
            self.check_deadline()

    def set_stop(self, task: Task) -> None:
        """Set ``ctx.stop`` to what it must be while ``task`` runs."""
        ctx = self.ctx
        ctx.stop = self._resting
        deadline = task.deadline
        # Another thread that asks now sets ctx.stop behind this one.
        if self.asked or task.deliveries >= PATIENCE or (deadline is not None and self.clock.ticks() >= deadline):
            ctx.stop = self.check

    def before_wait(self) -> None:
        """Raise what must stop the running task instead of letting it wait."""
        task = self.current
        if self.asked:
            self._deliver_pending()
        if task.cancelled is not None:
            task.deliveries += 1
            self.set_stop(task)
            raise task.cancelled()
        self.check_deadline()

    def check_deadline(self) -> None:
        """Raise when the running task's deadline has passed."""
        deadline = self.current.deadline
        if deadline is not None and self.clock.ticks() >= deadline:
            raise thrown_text(DEADLINE)

    def _deliver_pending(self) -> None:
        if self.pending is not None:
            signal, self.pending = self.pending, None
            raise signal
        if self.hurried:
            raise Interrupted

    def _count_step(self) -> None:
        if self._steps is not None:
            self._steps -= 1
            if self._steps < 0:
                self._steps = _SPARE_STEPS
                raise TimeLimit("the run took more steps than its limit allows")

    # --- deadlines ----------------------------------------------------------------------------

    def begin_deadline(self, ms: int) -> int | None:
        """Limit the running task to ``ms`` from now; give what ``end_deadline`` needs."""
        task = self.current
        outer = task.deadline
        at = self.clock.ticks() + ms * MS
        if outer is None or at < outer:
            task.deadline = at
            if not self.clock.virtual and ms > 0:
                self._watch().arm(at)
        self.set_stop(task)
        return outer

    def end_deadline(self, outer: int | None) -> None:
        """Go back to the limit that held before ``begin_deadline``."""
        task = self.current
        task.deadline = outer
        self.set_stop(task)

    def begin_cleanup(self) -> None:
        """Let the running task's ``finally`` or ``defer`` run on although its deadline passed."""
        self.current.cleanups += 1

    def end_cleanup(self) -> None:
        """End what ``begin_cleanup`` began."""
        self.current.cleanups -= 1

    def _clock_moved(self) -> None:
        if self.current.deadline is not None:
            self.ctx.stop = self.check
        if not self.clock.virtual:
            for task in (self.main, *self.live.values()):
                if task.deadline is not None:
                    self._watch().arm(task.deadline)

    # --- from other threads -------------------------------------------------------------------

    def interrupt(self) -> None:
        """Stop the program as Ctrl-C does; its clean-up runs."""
        self._signal(Interrupted())

    def hurry(self) -> None:
        """Stop the program and its clean-up: nothing of it runs beyond its next call, loop turn or wait."""
        self.hurried = True
        self._signal(Interrupted())

    def time_out(self) -> None:
        """Stop the program because its time limit passed."""
        self._signal(TimeLimit())

    def look(self) -> None:
        """Have the running task check its deadline."""
        self.asked = True
        self.ctx.stop = self.check

    def _signal(self, signal: ControlSignal) -> None:
        self.broken_off = True
        self.pending = signal
        self.look()
        self.ring()

    def ring(self) -> None:
        """Have the scheduler look again at what tasks wait for; from any thread."""
        try:  # noqa: SIM105 (contextlib is not imported at start-up)
            self.doorbell.release()
        except RuntimeError:  # it rang already
            pass
        loop = self.loop
        if loop is not None:
            try:  # noqa: SIM105
                loop.call_soon_threadsafe(self._sound)
            except RuntimeError:  # the loop is closed: the run is over
                pass

    def _sound(self) -> None:
        if self.hurried:
            self.recall()
        if self.alarm is not None:
            self.alarm()

    def recall(self) -> None:
        """Ask I/O again that was cancelled and does not end."""

    # --- the watchdog -------------------------------------------------------------------------

    def limit_time(self) -> None:
        """Start the clock of the run's own time limit."""
        wall_ms = self.ctx.limits.wall_ms
        if wall_ms is not None:
            self._watch().arm_limit(wall_ms)

    def dismiss_watchdog(self) -> None:
        """End the watchdog's thread."""
        if self._watchdog is not None:
            self._watchdog.close()
            self._watchdog = None

    def _watch(self) -> Watchdog:
        if self._watchdog is None:
            from harnpy.runtime.watchdog import Watchdog

            self._watchdog = Watchdog(self)
        return self._watchdog
