"""Running Harn from Python: programs, sessions, and what a run gives back. It never prints and never exits."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Any

from harnpy.analysis.modules import load_source, read_source
from harnpy.capabilities import globals
from harnpy.embedding_checks import (
    advise,
    by_name,
    capabilities,
    check_kinds,
    check_limits,
    check_name,
    environment,
    file,
    folders,
    texts,
)
from harnpy.embedding_execution import Execution, Function, Module, Stream
from harnpy.embedding_tools import described, tool_registry
from harnpy.embedding_values import Variant, to_python
from harnpy.errors import Exit, HarnError, RejectedProgram
from harnpy.events.redact import redact_text
from harnpy.options import Options
from harnpy.runtime.program import Loader, exit_code
from harnpy.runtime.values import Builtin
from harnpy.session import Session as Run
from harnpy.source import Source
from harnpy.streams import memory_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Unpack

    from harnpy.embedding_options import SessionOptions
    from harnpy.embedding_protocols import HostClock
    from harnpy.embedding_providers import Provider
    from harnpy.embedding_shared import Shared

__all__ = ["Function", "Module", "Program", "RunResult", "Session", "Stream", "Variant", "arun", "run"]

TOOLS = "host_tools"
_NO_USAGE = {"total_cost": 0.0, "input_tokens": 0, "output_tokens": 0, "call_count": 0}


class Program:
    """A checked Harn program that any number of sessions may run."""

    __slots__ = ("source",)

    def __init__(self, text: str, *, path: str = "<program>") -> None:
        """Read a program from its text; ``path`` names it in messages, and its imports start from there.

        Raises:
            RejectedProgram: The text does not parse, or breaks a rule of the language.
        """
        self.source = Source(path, text)
        try:
            load_source(self.source)
        except RejectedProgram as error:
            advise(error)
            raise

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Program:
        """Read a program from a file.

        Raises:
            RejectedProgram: The file cannot be read, does not parse, or breaks a rule of the language.
        """
        source = read_source(os.fspath(path))
        return cls(source.text, path=source.path)

    def __repr__(self) -> str:
        return f"Program({self.source.path!r})"


class RunResult:
    """What a run gave.

    ``value`` of the entry; ``stdout`` and ``stderr`` as written; ``events`` in their order, redacted; ``usage`` of its
    model calls (``call_count``, ``input_tokens``, ``output_tokens``, ``total_cost`` in USD); ``exit_code`` as
    ``harnpy run`` would exit.
    """

    __slots__ = ("events", "exit_code", "stderr", "stdout", "usage", "value")

    def __init__(
        self, value: Any, stdout: str, stderr: str, events: list[dict[str, Any]], usage: dict[str, Any], exit_code: int
    ) -> None:
        self.value = value
        self.stdout = stdout
        self.stderr = stderr
        self.events = events
        self.usage = usage
        self.exit_code = exit_code

    def __repr__(self) -> str:
        return redact_text(f"RunResult(value={self.value!r}, exit_code={self.exit_code})")


class Session:
    """One interpreter: runs programs, loads modules, calls their functions, and knows the host's functions and tools.

    A session does one thing at a time; use one per thread or task. What is defined later is seen by programs that
    are loaded later. Limits and policy are those of ``harnpy run``. Connections stay open between what the session
    runs inside one event loop, and inside a ``with`` also between ``run``, ``load`` and calls without one.
    """

    def __init__(
        self,
        *,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        tools: Iterable[Callable[..., Any]] = (),
        providers: Mapping[str, Provider] | None = None,
        clock: HostClock | None = None,
        shared: Shared | None = None,
        argv: Iterable[str] = (),
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        llm_mock: str | os.PathLike[str] | None = None,
        llm_mock_record: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        virtual_time: int | None = None,
        time_limit: float | None = None,
        max_depth: int | None = None,
        max_steps: int | None = None,
        max_cost: float | None = None,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        read_roots: Iterable[str | os.PathLike[str]] = (),
        write_roots: Iterable[str | os.PathLike[str]] = (),
        sandbox: bool = True,
        on_event: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        """Make a session.

        ``functions`` become Harn builtins; ``tools`` stand in the registry that ``host_tools()`` gives; ``providers``
        answer model calls by the name of their provider; ``on_event`` gets every event while a program runs; ``shared``
        is what sessions have in common. The rest are the options of ``harnpy run``: ``time_limit`` in seconds,
        ``virtual_time`` in ms since 1970; and ``max_cost`` in USD: once a run has cost more, its calls fail.

        Raises:
            OSError: A file of model calls cannot be read or written.
            TypeError: An option has the wrong type.
            ValueError: A limit, a name or a capability is none; a file of model calls is none.
        """
        check_limits(time_limit, max_depth, max_steps, max_cost)
        check_kinds(stdin, seed, virtual_time)
        options = Options(
            argv=texts("argv", argv),
            env=environment(env),
            llm_mock=file("llm_mock", llm_mock),
            llm_mock_record=file("llm_mock_record", llm_mock_record),
            seed=seed,
            virtual_time=virtual_time,
            time_limit=time_limit,
            max_depth=max_depth,
            allow=capabilities("allow", allow),
            deny=capabilities("deny", deny),
            write_root=folders("write_roots", write_roots),
            no_sandbox=not sandbox,
        )
        streams, self._out, self._err = memory_streams(stdin)
        self._run = Run(options, streams)
        context = self._context = self._run.context
        context.limits.steps = max_steps
        if sandbox:
            for root in folders("read_roots", read_roots):
                context.services["policy"].let_read(root)
        self._max_cost = max_cost
        self._execution = Execution(context, self._begin)
        self._events: list[dict[str, Any]] = []
        context.events.add_sink(self._events.append)
        if on_event is not None:
            context.events.add_sink(on_event)
        self._builtins: dict[str, Builtin] = {}
        self._tools: list[dict[str, Any]] = []
        context.builtins = _Names(context.builtins, self._builtins)
        context.find_builtin = self._find
        context.loader = Loader(context)
        self._install(shared, clock, virtual_time, by_name("providers", providers))
        self._prepare()
        for name, function in by_name("functions", functions).items():
            self.define(name, function)
        for function in tools:
            self.define_tool(function)

    def define(self, name: str, function: Callable[..., Any]) -> None:
        """Make ``function``, which may be ``async``, a builtin of the programs that are loaded from now on.

        Raises:
            TypeError: It cannot be called.
            ValueError: Harn has a builtin or a word of that name, or it is no name.
        """
        check_name(name, [TOOLS])
        self._builtins[name] = self._execution.functions.builtin(name, function)

    def define_tool(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """Put ``function``, which may be ``async``, into the registry of tools that ``host_tools()`` gives to programs.

        Without more said, name, description (the first paragraph of the docstring) and parameters (the type hints)
        are those of the function; ``Annotated[str, "..."]`` describes a parameter, and ``Literal`` lists its values.

        Raises:
            TypeError: It cannot be called, or does not tell what it is called or takes.
            ValueError: There is a tool of that name.
        """
        tool = described(function, name, description, parameters)
        if any(tool["name"] == other["name"] for other in self._tools):
            raise ValueError(f"there is a tool named {tool['name']!r} already")
        self._tools.append(tool)
        registry = tool_registry(self._execution.functions, self._tools)
        self._builtins[TOOLS] = Builtin(TOOLS, lambda: registry)

    def run(self, program: Program | str) -> RunResult:
        """Run a program from its first statement to the end of its ``main``.

        Raises:
            RejectedProgram: The program was refused; nothing of it ran.
            HarnError: An error that the program did not catch; ``diagnostic`` says where, ``value`` what was thrown.
            RunTimeout: The time limit passed.
            RunInterrupted: ``interrupt`` was called.
        """
        main, before = self._main(program), self._usage()
        try:
            value, code = self._execution.run(main)
        except Exit as end:
            value, code = None, end.code
        return self._result(value, code, before)

    async def arun(self, program: Program | str) -> RunResult:
        """Run a program inside the running event loop; cancelling the awaiting task ends it with its clean-up."""
        main, before = self._main(program), self._usage()
        try:
            value, code = await self._execution.arun(main)
        except Exit as end:
            value, code = None, end.code
        return self._result(value, code, before)

    def load(self, program: Program | str) -> Module:
        """Load a program: run the statements of its modules, but not its ``main``."""
        return Module(self._execution, self._execution.run(self._load(program)))

    async def aload(self, program: Program | str) -> Module:
        """Load a program inside the running event loop."""
        return Module(self._execution, await self._execution.arun(self._load(program)))

    def interrupt(self) -> None:
        """Stop what the session runs, from any thread; its clean-up runs first."""
        self._execution.interrupt()

    @property
    def stdout(self) -> str:
        """What was printed since the last run, load or call began."""
        return "".join(self._out)

    @property
    def stderr(self) -> str:
        """What went to standard error since the last run, load or call began."""
        return "".join(self._err)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events since the last run, load or call began."""
        return list(self._events)

    @property
    def usage(self) -> dict[str, Any]:
        """What the model calls of the session used so far."""
        return self._usage()

    def mock(self, reply: str | Mapping[str, Any]) -> None:
        """Queue an answer to a model call: a text, or an entry as ``llm_mock`` takes it (``match``, ``error`` ...)."""
        from harnpy.capabilities.llm_mocks import llm_mock

        llm_mock(self._context, {"text": reply} if isinstance(reply, str) else dict(reply))

    @contextmanager
    def mocked(self, *replies: str | Mapping[str, Any]) -> Iterator[None]:
        """Inside the ``with``, let the mock answer model calls: with these replies, or with ``"ok"`` each.

        Nothing of these calls remains: no reply, no cost. So a service warms a session up before its first request.
        """
        from harnpy.capabilities.llm import llm_state
        from harnpy.llm.usage import Totals

        state = llm_state(self._context)
        totals, state.totals = state.totals, Totals()
        state.mock.push()
        try:
            for reply in replies or ({"match": "*", "text": "ok"},):
                self.mock(reply)
            yield
        finally:
            state.mock.pop()
            state.totals = totals

    def mocked_calls(self) -> list[dict[str, Any]]:
        """Give the model calls that the mock has answered."""
        from harnpy.capabilities.llm_mocks import llm_mock_calls

        return list(to_python(llm_mock_calls(self._context), self._execution.wrap))

    def unused_mocks(self) -> list[dict[str, Any]]:
        """Give the queued answers that no model call has taken, as entries."""
        from harnpy.capabilities.llm import llm_state

        return list(to_python(llm_state(self._context).mock.unused(), self._execution.wrap))

    def unmocked_calls(self) -> list[str]:
        """Give the last message of each model call that the mock had no queued answer for."""
        from harnpy.capabilities.llm import llm_state

        return llm_state(self._context).mock.unmatched()

    @property
    def now_ms(self) -> int:
        """The Unix time in ms on the clock of the session."""
        return self._context.clock.now_ms()

    def advance(self, ms: int) -> None:
        """Move the virtual clock on, between runs or from another thread during one: waits end, deadlines pass.

        Raises:
            ValueError: The session has no virtual clock.
        """
        if not self._context.clock.virtual:
            raise ValueError("the clock is real: make the session with virtual_time")
        self._run.advance(ms)

    def close(self) -> None:
        """Release what the session holds open; nothing runs in it any more."""
        self._execution.closed = True
        self._run.close()
        kept = self._context.services.pop("kept_loop", None)
        if kept is not None:
            kept.close()

    def __enter__(self) -> Session:
        from harnpy.runtime.kept_loop import KeptLoop

        self._context.services.setdefault("kept_loop", KeptLoop())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _find(self, name: str) -> Builtin | None:
        return self._builtins.get(name) or globals.function(name)

    def _begin(self) -> None:
        """Make ready for something that is run: forget the output of the last, and allow the cost of one run anew."""
        if self._max_cost is not None:
            from harnpy.capabilities.llm import llm_state

            state = llm_state(self._context)
            state.host_budget = float(state.totals.cost) + self._max_cost
        for kept in (self._out, self._err, self._events):
            kept.clear()

    def _prepare(self) -> None:
        try:
            self._run.prepare()
        except HarnError as error:
            if isinstance(error.__cause__, OSError):
                raise error.__cause__ from None
            raise ValueError(str(error.value).replace("--llm-mock", "llm_mock", 1)) from None

    def _install(
        self,
        shared: Shared | None,
        clock: HostClock | None,
        virtual_time: int | None,
        providers: Mapping[str, Provider],
    ) -> None:
        if shared is not None:
            from harnpy.embedding_shared import join

            join(shared, self._context)
        if clock is not None:
            from harnpy.embedding_protocols import AdaptedClock

            self._context.clock = AdaptedClock(clock)
            if virtual_time is not None:
                self._context.clock.mock(virtual_time)
        for name, provider in providers.items():
            from harnpy.embedding_providers import install_provider

            install_provider(self._context, name, provider)

    def _main(self, program: Program | str) -> Callable[[], tuple[Any, int]]:
        context, source = self._context, self._source(program)

        def main() -> tuple[Any, int]:
            context.loader = Loader(context)
            value = context.loader.run(source)
            return to_python(value, self._execution.wrap), exit_code(context, value)

        return main

    def _load(self, program: Program | str) -> Callable[[], Any]:
        context, source = self._context, self._source(program)

        def main() -> Any:
            context.loader = Loader(context)
            return context.loader.load_entry(source)

        return main

    def _source(self, program: Program | str) -> Source:
        if not isinstance(program, (Program, str)):
            raise TypeError(f"a program is a Program or a text, not a {type(program).__name__}")
        source = Source("<program>", program) if isinstance(program, str) else program.source
        if os.path.isfile(source.path):
            self._context.services["source_dir"] = os.path.dirname(os.path.abspath(source.path))
        return source

    def _usage(self) -> dict[str, Any]:
        models = self._context.services.get("llm")
        return dict(_NO_USAGE) if models is None else models.totals.session_cost()

    def _result(self, value: Any, code: int, before: dict[str, Any]) -> RunResult:
        usage = {name: amount - before[name] for name, amount in self._usage().items()}
        return RunResult(value, self.stdout, self.stderr, self.events, usage, code)


class _Names:
    """The names of all builtins, those of a session among them."""

    __slots__ = ("_host", "_own")

    def __init__(self, own: Any, host: Mapping[str, Builtin]) -> None:
        self._own = own
        self._host = host

    def is_function(self, name: str) -> bool:
        """Tell whether ``name`` is a global builtin."""
        return name in self._host or self._own.is_function(name)

    def function_names(self) -> list[str]:
        """Give the names of all global builtins, sorted."""
        return sorted([*self._own.function_names(), *self._host])


def run(program: Program | str, **options: Unpack[SessionOptions]) -> RunResult:
    """Run a program in a session of its own; ``options`` are those of ``Session``."""
    session = Session(**options)
    try:
        return session.run(program)
    finally:
        session.close()


async def arun(program: Program | str, **options: Unpack[SessionOptions]) -> RunResult:
    """Run a program inside the running event loop in a session of its own; ``options`` are those of ``Session``."""
    session = Session(**options)
    try:
        return await session.arun(program)
    finally:
        session.close()
