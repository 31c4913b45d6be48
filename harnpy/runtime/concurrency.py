"""Compiles parallel, spawn, deadline, scope, mutex, select, yield and emit (language 10, 11)."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import type_error
from harnpy.runtime import blocks
from harnpy.runtime.calls import FAULTS, call, enter, locate
from harnpy.runtime.flow import EXPRESSION, STATEMENT
from harnpy.runtime.values import Closure, Duration, RangeValue, SetValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.errors import Site
    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.context import Context
    from harnpy.runtime.flow import Flow
    from harnpy.runtime.locks import Mutex
    from harnpy.runtime.nursery import Nursery

    Run = Callable[[list[Any]], Any]

# The service with the mutexes that are named by a key.
_KEYED_MUTEXES = "mutexes"
# The service with the identities of the spawn nodes that stand inside a scope.
_SCOPED_SPAWNS = "scoped spawns"


def _placed(run: Run, site: Site) -> Run:
    """Give errors of ``run`` that have no place yet the place of the construct."""

    def placed(frame: list[Any]) -> Any:
        try:
            return run(frame)
        except FAULTS as error:
            locate(error, site)
            raise

    return placed


# --- parallel and spawn -----------------------------------------------------------------------


def _parallel(compiler: Compiler, node: r.Parallel) -> Run:
    from harnpy.runtime.fanout import run_all, settle

    ctx = compiler.ctx
    subject = compiler.expr(node.subject)
    limit_of = None if node.max_concurrent is None else compiler.expr(node.max_concurrent)
    make = compiler.expr(r.MakeClosure(node.span, node.function))
    binds = bool(node.function.params)
    gather = _stream_of if node.stream else settle if node.kind == "settle" else run_all
    counts = node.kind == "count"

    def run(frame: list[Any]) -> Any:
        value = subject(frame)
        items = _indices(value) if counts else _items(value)
        limit = 0 if limit_of is None else _limit(limit_of(frame))
        if items is None:
            return None
        return gather(ctx.scheduler, _branch(ctx, make(frame), binds), items, limit)

    return _placed(run, compiler.site(node))


def _stream_of(*args: Any) -> Any:
    from harnpy.runtime.generators import CompletionStream

    return CompletionStream(*args)


def _branch(ctx: Context, closure: Closure, binds: bool) -> Callable[[Any], Any]:
    code, tail = closure.code, closure.tail
    if code.exact != binds:
        return lambda item: call(ctx, closure, [item])
    if binds:
        return lambda item: enter(ctx, code, [item, *tail])
    return lambda item: enter(ctx, code, [*tail])


def _indices(count: Any) -> range:
    return range(count) if type(count) is int else range(0)


def _items(value: Any) -> Any:
    """Give the items of a parallel construct; only a list, a set or a range has some."""
    kind = type(value)
    if kind is list:
        return value
    if kind is SetValue:
        return list(value.members.values())
    return range(value.start, value.stop) if kind is RangeValue else None


def _limit(value: Any) -> int:
    if value is None:
        return 0
    if type(value) is not int:
        raise type_error(f"parallel max_concurrent must be an int; got {type_of(value)}")
    return value


def _spawn(compiler: Compiler, node: r.Spawn) -> Run:
    from harnpy.runtime.nursery import NURSERY, TaskHandle

    ctx = compiler.ctx
    make = compiler.expr(r.MakeClosure(node.span, node.function))
    scoped = id(node) in ctx.services.get(_SCOPED_SPAWNS, ())

    def run(frame: list[Any]) -> Any:
        scheduler = ctx.scheduler
        scheduler.handles += 1
        number = scheduler.handles
        task = scheduler.spawn(call, ctx, make(frame), [], name=f"task {number}")
        if scoped:
            nursery: Nursery | None = scheduler.local(NURSERY)
            if nursery is not None and nursery.open:
                nursery.adopt(task)
        return TaskHandle(number, task)

    return run


# --- deadline and scope -----------------------------------------------------------------------


def milliseconds(value: Any, what: str) -> int:
    """Give the ms of a duration or an int."""
    if type(value) is Duration:
        return value.ms
    if type(value) is int:
        return value
    raise type_error(f"{what} must be a duration or an int of ms, got {type_of(value)}")


def _deadline(compiler: Compiler, node: r.Deadline, flow: Flow) -> Run:
    ctx = compiler.ctx
    limit = compiler.expr(node.limit)
    body = blocks.part_watched(compiler, node.body, flow, watched=True)

    def run(frame: list[Any]) -> Any:
        scheduler = ctx.scheduler
        outer = scheduler.begin_deadline(milliseconds(limit(frame), "deadline"))
        try:
            scheduler.check_deadline()
            value = body(frame)
            scheduler.check_deadline()
            return value
        finally:
            scheduler.end_deadline(outer)

    return _placed(run, compiler.site(node))


def _scope(compiler: Compiler, node: r.ScopeExpr, flow: Flow) -> Run:
    from harnpy.runtime.nursery import Nursery

    ctx = compiler.ctx
    _note_spawns(node.body, ctx.services.setdefault(_SCOPED_SPAWNS, set()))
    body = blocks.part(compiler, node.body, flow)
    return _placed(lambda frame: Nursery(ctx.scheduler).run(body, frame), compiler.site(node))


def _note_spawns(part: Any, found: set[int]) -> None:
    if isinstance(part, tuple):
        for item in part:
            _note_spawns(item, found)
    elif isinstance(part, r.Node):
        if type(part) is r.Spawn:
            found.add(id(part))
        for name in part.FIELDS:
            _note_spawns(getattr(part, name), found)


# --- mutex ------------------------------------------------------------------------------------


def _mutex(compiler: Compiler, node: r.Mutex) -> Run:
    from harnpy.runtime.convert import key_text
    from harnpy.runtime.locks import Mutex

    ctx = compiler.ctx
    body = compiler.block(node.body)
    key = None if node.key is None else compiler.expr(node.key)
    own: list[Mutex] = []

    def find(frame: list[Any]) -> Mutex:
        if key is None:
            if not own:
                own.append(Mutex(ctx.scheduler, "a mutex"))
            return own[0]
        name = key_text(key(frame))
        mutexes: dict[str, Mutex] = ctx.services.setdefault(_KEYED_MUTEXES, {})
        if name not in mutexes:
            mutexes[name] = Mutex(ctx.scheduler, f"mutex {name}")
        return mutexes[name]

    def run(frame: list[Any]) -> Any:
        mutex = find(frame)
        mutex.enter()
        try:
            return body(frame)
        finally:
            mutex.leave()

    return _placed(run, compiler.site(node))


# --- select -----------------------------------------------------------------------------------


def _select(compiler: Compiler, node: r.Select) -> Run:
    from harnpy.runtime.channels import Channel, receive_any, take_any

    ctx = compiler.ctx
    channels = [compiler.expr(case.channel) for case in node.cases]
    stores = [compiler.target(case.target) for case in node.cases]
    bodies = [compiler.block(case.body) for case in node.cases]
    timeout = None if node.timeout is None else compiler.expr(node.timeout)
    last = node.default_body or node.timeout_body
    otherwise = None if last is None else compiler.block(last)
    waits = node.default_body is None

    def channel_of(value: Any) -> Channel:
        if type(value) is not Channel:
            raise type_error(f"select: expected a channel, got {type_of(value)}")
        return value

    def run(frame: list[Any]) -> Any:
        sources = [channel_of(channel(frame)) for channel in channels]
        limit = None if timeout is None else milliseconds(timeout(frame), "select timeout")
        found, value, index = receive_any(ctx.scheduler, sources, limit) if waits else take_any(sources)
        if found:
            stores[index](frame, value)
            return bodies[index](frame)
        if otherwise is None or (waits and all(source.drained() for source in sources)):
            return None
        return otherwise(frame)

    return _placed(run, compiler.site(node))


# --- yield and emit ---------------------------------------------------------------------------


def _produce(compiler: Compiler, node: r.Yield | r.Emit) -> Run:
    from harnpy.runtime.generators import hand_over

    value = None if node.value is None else compiler.expr(node.value)

    def run(frame: list[Any]) -> None:
        hand_over(None if value is None else value(frame))

    return run


blocks.OWN_FORMS[r.Deadline] = _deadline
blocks.OWN_FORMS[r.ScopeExpr] = _scope


def _form(flow: Flow) -> Callable[[Compiler, Any], Run]:
    return lambda compiler, node: blocks.form(compiler, node, flow)


EXPRESSIONS: dict[type, Callable[[Compiler, Any], Run]] = {
    r.Parallel: _parallel,
    r.Spawn: _spawn,
    r.Deadline: _form(EXPRESSION),
    r.ScopeExpr: _form(EXPRESSION),
}

STATEMENTS: dict[type, Callable[[Compiler, Any], Run]] = {
    r.Deadline: _form(STATEMENT),
    r.ScopeExpr: _form(STATEMENT),
    r.Mutex: _mutex,
    r.Select: _select,
    r.Yield: _produce,
    r.Emit: _produce,
}
