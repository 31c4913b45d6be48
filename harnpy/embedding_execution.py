"""Carries out what a session does, one thing at a time, on a thread of its own or inside an event loop."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any

from harnpy.embedding_callers import CALLER
from harnpy.embedding_checks import advise
from harnpy.embedding_functions import THROWN, HostFunctions
from harnpy.embedding_values import to_harn, to_python
from harnpy.errors import (
    Exit,
    HarnError,
    HarnpyError,
    Interrupted,
    RejectedProgram,
    RunInterrupted,
    RunTimeout,
    TimeLimit,
)
from harnpy.render import summary
from harnpy.report import uncaught
from harnpy.runtime.calls import call
from harnpy.runtime.display import display
from harnpy.runtime.instances import ModuleInstance, takes_handle
from harnpy.runtime.iterators import END, Iter, Pullable
from harnpy.runtime.limits import run_in_thread
from harnpy.runtime.tasks import Scheduler
from harnpy.runtime.values import Closure
from harnpy.session import release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnpy.embedding_callers import Caller
    from harnpy.runtime.context import Context


class Execution:
    """The running half of a session; ``begin`` is called before everything that is run."""

    def __init__(self, context: Context, begin: Callable[[], None]) -> None:
        self.context = context
        self.functions = HostFunctions(self.wrap)
        self.closed = False
        self._begin = begin
        self._lock = threading.Lock()

    def wrap(self, value: Any) -> Any:
        """Give a Harn function or stream to the host."""
        if isinstance(value, (Iter, Pullable)):
            return Stream(self, value)
        return Function(self, value, self.context.loader)

    def run(self, main: Callable[[], Any]) -> Any:
        """Run ``main`` and give its result; inside a host function it joins the running program."""
        caller = self.caller()
        if caller is not None:
            with self._errors():
                return caller.join(main)
        try:
            with self._alone():
                return run_in_thread(self.context, self._whole(main, keep="kept_loop" in self.context.services))
        except HarnpyError as error:
            error.__traceback__ = None  # frames of the interpreter: they tell a host nothing, and keep all values alive
            raise

    async def arun(self, main: Callable[[], Any]) -> Any:
        """Run ``main`` inside the running event loop; inside an async host function it joins the running program."""
        from harnpy.runtime.hub import run_async

        caller = self.caller()
        if caller is not None:
            with self._errors():
                return await caller.join_async(main)
        try:
            with self._alone():
                return await run_async(self.context, self._whole(main, keep=True))
        except HarnpyError as error:
            error.__traceback__ = None
            raise

    def caller(self) -> Caller | None:
        """Give the call of a host function inside which this happens, if the session's program made it."""
        caller = CALLER.get()
        return (
            caller
            if caller is not None and self._lock.locked() and caller.scheduler is self.context.scheduler
            else None
        )

    def interrupt(self) -> None:
        """Stop what is running, if anything is."""
        if self._lock.locked():
            self.context.scheduler.interrupt()

    def _whole(self, main: Callable[[], Any], *, keep: bool) -> Callable[[], Any]:
        def whole() -> Any:
            try:
                return main()
            finally:
                release(self.context, keep=keep)

        return whole

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep others out, and turn the ends of a run into exceptions that a host expects."""
        if self.closed:
            raise RuntimeError("the session is closed")
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("the session is running something already; use one session per thread or task")
        try:
            self._begin()
            self.context.depth = self.context.tail_run = 0
            self.context.scheduler = Scheduler(self.context)
            with self._errors():
                yield
        finally:
            self._lock.release()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except HarnError as error:
            self._show(error)
            raise
        except RejectedProgram as error:
            advise(error)
            raise
        except TimeLimit as limit:
            raise RunTimeout(str(limit) or "the time limit of the run passed") from None
        except Interrupted:
            raise RunInterrupted("the run was interrupted") from None

    def _show(self, error: HarnError) -> None:
        """Turn an error of the program into what a host expects."""
        diagnostic = error.diagnostic = uncaught(error)
        shown = to_python(error.value, self.wrap)
        # A host function that lets the error pass gives the program what was thrown, and no copy of it.
        error.__dict__[THROWN] = (shown, error.value)
        error.value = shown
        # What a traceback shows; the value itself is for the host.
        error.args = (summary(diagnostic),)


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

    def __repr__(self) -> str:
        return f"Function({display(self.harn_value)})"

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
                    # Arguments that do not fit have no place of their own: the caller stands in Python's traceback.
                    error.locate((value.code.module.source, value.code.function.span))
                raise

        return main


class Stream:
    """A Harn iterator, generator or stream in the hands of a host function, for as long as the run lasts.

    A function iterates over it, an ``async`` one with ``async for``. What a run gives back has ended with the run.
    """

    __slots__ = ("_execution", "_scheduler", "harn_value")

    def __init__(self, execution: Execution, value: Any) -> None:
        self._execution = execution
        self._scheduler = execution.context.scheduler
        self.harn_value = value

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Any:
        item = self._execution.run(self._pull())
        if item is END:
            raise StopIteration
        return item

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Any:
        item = await self._execution.arun(self._pull())
        if item is END:
            raise StopAsyncIteration
        return item

    def __repr__(self) -> str:
        return f"Stream({display(self.harn_value)})"

    def _pull(self) -> Callable[[], Any]:
        execution = self._execution
        if execution.caller() is None or execution.context.scheduler is not self._scheduler:
            raise RuntimeError(
                "a stream ends with the run that made it: give back a list, or hand the stream to a host function"
            )
        return lambda: to_python(self.harn_value.pull(), execution.wrap)


class Module:
    """A loaded program whose statements have run; its functions can be called."""

    __slots__ = ("_execution", "_instance")

    def __init__(self, execution: Execution, instance: ModuleInstance) -> None:
        self._execution = execution
        self._instance = instance

    def names(self) -> list[str]:
        """Give the names that the module declares or imports, sorted."""
        loaded = self._instance.loaded
        return sorted({*loaded.module.globals, *loaded.scope, *loaded.namespaces})

    def __getitem__(self, name: str) -> Any:
        """Give what the module knows as ``name``; a function is a ``Function``."""
        if name not in self._instance.cells:
            raise KeyError(f"the module declares no {name!r}; it has {', '.join(self.names())}")
        return to_python(self._instance.cells[name][0], self._execution.wrap)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the module."""
        return self._function(name)(*arguments)

    async def acall(self, name: str, *arguments: Any) -> Any:
        """Call a function of the module inside the running event loop."""
        return await self._function(name).acall(*arguments)

    def _function(self, name: str) -> Function:
        found = self[name]
        if not isinstance(found, Function):
            raise TypeError(f"{name} is no function")
        return found
