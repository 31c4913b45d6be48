"""Carries out what a session does, one thing at a time, on a thread of its own or inside an event loop."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any

from harnpy.embedding_functions import HostFunctions
from harnpy.embedding_values import to_harn, to_python
from harnpy.errors import Exit, HarnError, Interrupted, RejectedProgram, RunInterrupted, RunTimeout, TimeLimit
from harnpy.events.redact import redact_text
from harnpy.report import uncaught
from harnpy.runtime.calls import call
from harnpy.runtime.instances import ModuleInstance, takes_handle
from harnpy.runtime.limits import run_in_thread
from harnpy.runtime.tasks import Scheduler
from harnpy.runtime.values import Closure
from harnpy.session import release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnpy.runtime.context import Context


class Execution:
    """The running half of a session; ``begin`` is called before everything that is run."""

    def __init__(self, context: Context, begin: Callable[[], None]) -> None:
        self.context = context
        self.functions = HostFunctions(self.wrap)
        self._begin = begin
        self._lock = threading.Lock()
        self._thread: int | None = None

    def wrap(self, value: Any) -> Function:
        """Give a Harn function to the host."""
        return Function(self, value, self.context.loader)

    def run(self, main: Callable[[], Any]) -> Any:
        """Run ``main`` and give its result; inside a host function it joins the running program."""
        if self.functions.depth and self._thread == threading.get_ident():
            return main()
        with self._alone():
            return run_in_thread(self.context, self._whole(main))

    async def arun(self, main: Callable[[], Any]) -> Any:
        """Run ``main`` inside the running event loop."""
        from harnpy.runtime.hub import run_async

        with self._alone():
            return await run_async(self.context, self._whole(main))

    def interrupt(self) -> None:
        """Stop what is running, if anything is."""
        if self._lock.locked():
            self.context.scheduler.interrupt()

    def _whole(self, main: Callable[[], Any]) -> Callable[[], Any]:
        def whole() -> Any:
            self._thread = threading.get_ident()
            try:
                return main()
            finally:
                release(self.context)

        return whole

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep others out, and turn the ends of a run into exceptions that a host expects."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("the session is running something already; use one session per thread or task")
        try:
            self._begin()
            self.context.depth = self.context.tail_run = 0
            self.context.scheduler = Scheduler(self.context)
            yield
        except HarnError as error:
            error.diagnostic = uncaught(error)
            error.value = to_python(error.value, self.wrap)
            # What a traceback shows; the value itself is for the host.
            error.args = (redact_text(str(error.value)),)
            raise
        except RejectedProgram as error:
            error.diagnostic = error.diagnostics[0] if error.diagnostics else None
            raise
        except TimeLimit:
            raise RunTimeout("the time limit or the step limit of the run passed") from None
        except Interrupted:
            raise RunInterrupted("the run was interrupted") from None
        finally:
            self._thread = None
            self._lock.release()


class Function:
    """A Harn function in the hands of the host."""

    __slots__ = ("_execution", "_loader", "harn_value")

    def __init__(self, execution: Execution, value: Any, loader: Any) -> None:
        self._execution = execution
        self._loader = loader
        self.harn_value = value

    def __call__(self, *arguments: Any) -> Any:
        """Call the function and wait for its result; a parameter for the harness is filled by itself.

        Raises:
            HarnError: The function threw.
            RunInterrupted: The session was interrupted, or the function called ``exit``.
        """
        try:
            return self._execution.run(self._main(arguments))
        except Exit as end:
            raise RunInterrupted(f"the program called exit({end.code})") from None

    async def acall(self, *arguments: Any) -> Any:
        """Call the function inside the running event loop."""
        try:
            return await self._execution.arun(self._main(arguments))
        except Exit as end:
            raise RunInterrupted(f"the program called exit({end.code})") from None

    def _main(self, arguments: tuple[Any, ...]) -> Callable[[], Any]:
        execution, value = self._execution, self.harn_value
        given = [to_harn(each, execution.functions.unnamed) for each in arguments]
        if type(value) is Closure and takes_handle(value.code.function):
            given.insert(0, execution.context.harness)

        def main() -> Any:
            execution.context.loader = self._loader
            try:
                return to_python(call(execution.context, value, given), execution.wrap)
            except HarnError as error:
                if type(value) is Closure:
                    error.trace.append((value.code.name, None))
                raise

        return main


class Module:
    """A loaded program whose statements have run; its functions can be called."""

    __slots__ = ("_execution", "_instance")

    def __init__(self, execution: Execution, instance: ModuleInstance) -> None:
        self._execution = execution
        self._instance = instance

    def names(self) -> list[str]:
        """Give the names that the module declares or imports, sorted."""
        return sorted(self._instance.cells)

    def __getitem__(self, name: str) -> Any:
        """Give what the module knows as ``name``; a function is a ``Function``."""
        return to_python(self._instance.cells[name][0], self._execution.wrap)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the module."""
        return self._function(name)(*arguments)

    async def acall(self, name: str, *arguments: Any) -> Any:
        """Call a function of the module inside the running event loop."""
        return await self._function(name).acall(*arguments)

    def _function(self, name: str) -> Function:
        if name not in self._instance.cells:
            raise KeyError(f"the module declares no {name!r}; it has {', '.join(self.names())}")
        found = self[name]
        if not isinstance(found, Function):
            raise TypeError(f"{name} is no function")
        return found
