"""Compiles calls: a closure that is called with just its parameters runs inline, anything else by ``calls.invoke``."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site
from harnpy.runtime.builtin_nodes import usual_case
from harnpy.runtime.calls import (
    FAULTS,
    TAIL,
    TAIL_RUN,
    blame,
    follow_tails,
    invoke,
    invoke_pipe,
    invoke_tail,
    locate,
    overflow,
)
from harnpy.runtime.expressions import spread_list, spread_or_plain, undefined
from harnpy.runtime.inlining import inlined
from harnpy.runtime.places import placed
from harnpy.runtime.templates import share
from harnpy.runtime.values import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.templates import Builder, Eval
    from harnpy.runtime.values import Builtin, Closure

# Calls with more arguments, or with spreads, collect them in a loop.
_MOST_WRITTEN = 6


def call(b: Builder, node: r.Call) -> str:
    """``callee(args)``."""
    callee = node.callee
    compiler = b.compiler
    args = written_args(node.args)
    if args is None:
        return _call_collected(b, node)
    site = compiler.site(node)
    if not isinstance(callee, (r.Global, r.Outer)):
        function = b.hold(callee)
        return closure_call(b, function, b.values(args), site, node.tail)
    module = compiler.module
    cell = module.lookup(callee.name) if type(callee) is r.Global else module.outer_cells.get(callee.name)
    if cell is None:
        builtin = compiler.ctx.find_builtin(callee.name)
        if builtin is not None:
            return builtin_call(b, builtin, b.values(args), site)
        return f"undefined({b.bind(module)}, {b.bind(callee.name)}, {b.bind(site)}, True)"
    declared = module.declared(callee.name) if type(callee) is r.Global else None
    if declared is not None and declared is cell[0] and declared.code.exact == len(args):
        texts = b.values(args)
        return inlined(b, declared, texts) or declared_call(b, declared, texts, site, node.tail)
    function = b.temp()
    b.line(f"{function} = {b.bind(cell)}[0]")
    return closure_call(b, function, b.values(args), site, node.tail, callee.name)


def written_args(args: tuple[r.Expr | r.Spread, ...]) -> list[r.Expr] | None:
    """Give the arguments, or None when they are too many or have spreads: then they are collected in a loop."""
    plain = [arg for arg in args if not isinstance(arg, r.Spread)]
    return plain if len(plain) == len(args) <= _MOST_WRITTEN else None


def pipe_call(b: Builder, node: r.PipeCall) -> str:
    """``left |> right``: left's value, then right's, then the call."""
    value, function = b.holds([node.left, node.right])
    return closure_call(b, function, [value], b.compiler.site(node), False, otherwise="invoke_pipe")


def builtin_call(b: Builder, builtin: Builtin, args: list[str], site: Site) -> str:
    """A call of a builtin that is known when compiled."""
    if len(args) == 1 and builtin.name == "type_of":
        return f"type_of({args[0]})"
    builtin = placed(builtin, site)
    limit = builtin.max_args
    if limit is not None and len(args) > limit:
        args = [b.held(arg) for arg in args][:limit]
    result = b.temp()
    usual = usual_case(b, builtin, args)
    if usual is None:
        _call_builtin(b, builtin, args, result, b.bind(site))
        return result
    test, value, args = usual
    b.line(f"if {test}: {result} = {value}")
    with b.block("else:"):
        _call_builtin(b, builtin, args, result, b.bind(site))
    return result


def _call_builtin(b: Builder, builtin: Builtin, args: list[str], result: str, site: str) -> None:
    if builtin.wants_ctx:
        args = [b.bind(b.compiler.ctx), *args]
    with b.block("try:"):
        b.line(f"{result} = {b.bind(builtin.fn)}({', '.join(args)})")
    with b.block("except FAULTS as error:"):
        b.line(f"locate(error, {site})")
        b.line("raise")


def closure_call(
    b: Builder,
    function: str,
    args: list[str],
    place: Site,
    tail: bool,
    name: str | None = None,
    otherwise: str = "invoke",
) -> str:
    """A call of the held value ``function``; ``name`` is that of a module variable that may be unset.

    ``otherwise`` is the function that calls what is no closure with just its parameters.
    """
    ctx = b.bind(b.compiler.ctx)
    site = b.bind(place)
    result = b.temp()
    frame = f"[{''.join([arg + ', ' for arg in args])}*{function}.tail]"
    exact_call(b, result, function, str(len(args)), frame, site, tail)
    if name is not None:
        with b.block(f"elif {function} is UNSET:"):
            b.line(f"undefined({b.bind(b.compiler.module)}, {b.bind(name)}, {site}, True)")
    with b.block("else:"):
        b.line(f"{result} = {'invoke_tail' if tail else otherwise}({ctx}, {function}, [{', '.join(args)}], {site})")
    return result


def declared_call(b: Builder, function: Closure, args: list[str], place: Site, tail: bool) -> str:
    """A call, with just its parameters, of a function that a name means for good."""
    free = function.tail
    others = ["None"] * len(free) if free == [None] * len(free) and len(free) <= _MOST_WRITTEN else [f"*{b.bind(free)}"]
    result, frame = b.temp(), b.temp()
    b.line(f"{frame} = [{', '.join([*args, *others])}]")
    enter = _enter_tail if tail else _enter
    enter(b, b.bind(b.compiler.ctx), result, b.bind(function.code), frame, b.bind(function), b.bind(place))
    return result


def exact_call(b: Builder, result: str, function: str, count: str, made: str, site: str, tail: bool) -> None:
    """Write the case of a closure that takes just the ``count`` arguments, as the ``if`` of a chain.

    ``made`` is the expression of its frame.
    """
    ctx = b.bind(b.compiler.ctx)
    code, frame = b.temp(), b.temp()
    with b.block(f"if type({function}) is Closure and ({code} := {function}.code).exact == {count}:"):
        b.line(f"{frame} = {made}")
        if tail:
            _enter_tail(b, ctx, result, code, frame, function, site)
        else:
            _enter(b, ctx, result, code, frame, function, site)


def _enter(b: Builder, ctx: str, result: str, code: str, frame: str, function: str, site: str) -> None:
    depth = b.temp()
    b.line(f"{depth} = {ctx}.depth")
    b.line(f"if {depth} >= {ctx}.max_depth: overflow({site})")
    b.line(f"if {ctx}.stop: {ctx}.stop()")
    b.line(f"{ctx}.depth = {depth} + 1")
    with b.block("try:"):
        b.line(f"{result} = {code}.body({frame})")
        b.line(f"if {result} is TAIL: {result} = follow_tails({ctx})")
    with b.block("except FAULTS as error:"):
        b.line(f"blame(error, {function}, {site})")
        b.line("raise")
    b.line(f"{ctx}.depth = {depth}")


def _enter_tail(b: Builder, ctx: str, result: str, code: str, frame: str, function: str, site: str) -> None:
    run = b.temp()
    b.line(f"{run} = {ctx}.tail_run")
    with b.block(f"if {run} < {TAIL_RUN}:"):
        b.line(f"{ctx}.tail_run = {run} + 1")
        with b.block("try:"):
            b.line(f"{result} = {code}.body({frame})")
        with b.block("except FAULTS as error:"):
            b.line(f"locate(error, {site})")
            b.line("raise")
        b.line(f"{ctx}.tail_run = {run}")
    with b.block("else:"):
        b.line(f"{ctx}.tail_closure = {function}")
        b.line(f"{ctx}.tail_frame = {frame}")
        b.line(f"{result} = TAIL")


# --- any number of arguments --------------------------------------------------------------------------


def collect(compiler: Compiler, args: tuple[r.Expr | r.Spread, ...], site: Site) -> Eval:
    """Give a function that evaluates arguments in order, spreads among them, into a fresh list."""
    parts = [(isinstance(arg, r.Spread), compiler.expr(spread_or_plain(arg))) for arg in args]

    def gather(f: list[Any]) -> list[Any]:
        values: list[Any] = []
        for spread, part in parts:
            if spread:
                values += spread_list(part(f), site)
            else:
                values.append(part(f))
        return values

    return gather


def _call_collected(b: Builder, node: r.Call) -> str:
    compiler = b.compiler
    site = compiler.site(node)
    function = b.hold(node.callee)
    args = b.bind(collect(compiler, node.args, site))
    word = "invoke_tail" if node.tail else "invoke"
    return f"{word}({b.bind(compiler.ctx)}, {function}, {args}(f), {b.bind(site)})"


share(
    FAULTS=FAULTS,
    HarnError=HarnError,
    TAIL=TAIL,
    UNSET=UNSET,
    blame=blame,
    follow_tails=follow_tails,
    invoke=invoke,
    invoke_pipe=invoke_pipe,
    invoke_tail=invoke_tail,
    locate=locate,
    overflow=overflow,
    undefined=undefined,
)

EMITTERS: dict[type, Callable[[Builder, Any], str]] = {r.Call: call, r.PipeCall: pipe_call}
