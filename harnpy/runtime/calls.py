"""Calling a Harn value from Python code: the one way for builtins, capabilities and the embedder.

Compiled call nodes repeat the closure case inline for speed; the rules are these.

A tail call does not count as a frame. The first few in a row are run as plain nested Python calls
(``ctx.tail_run`` counts them), because that is fast; the next one leaves its callee and frame in the context
and gives ``TAIL``, which whoever runs a body follows. So the Python stack stays bounded.
"""

from __future__ import annotations

from harnpy.errors import HarnError, Site, type_error
from harnpy.runtime.values import (
    CALLABLE_TYPES,
    Builtin,
    Closure,
    EnumValue,
    StructType,
    VariantConstructor,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


class _Tail:
    """What a body gives when a tail call is pending in the context."""

    __slots__ = ()


TAIL = _Tail()

OVERFLOW = "Stack overflow: too many nested calls"

# How many tail calls in a row may nest in Python before one is left to the trampoline.
TAIL_RUN = 8

OUT_OF_MEMORY = "Runtime error: out of memory"

# What a call can fail with: errors of the program, and the host's own limits as the safety net.
FAULTS = (HarnError, RecursionError, MemoryError)


def call(ctx: Context, fn: Any, args: list[Any]) -> Any:
    """Call any Harn callable with ``args`` (the list is consumed).

    Raises:
        HarnError: ``Type error: Cannot call <display>`` for a value that is not callable, the arity
            and type errors of the callee, and whatever its body throws.
    """
    kind = type(fn)
    if kind is Closure:
        depth = ctx.depth
        if depth >= ctx.max_depth:
            raise HarnError(OVERFLOW)
        if ctx.stop:
            ctx.stop()
        ctx.depth = depth + 1
        code = fn.code
        if code.exact == len(args):
            args += fn.tail
        else:
            args = code.bind(fn, args)
        result = code.body(args)
        if result is TAIL:
            result = follow_tails(ctx)
        ctx.depth = depth
        return result
    if kind is Builtin:
        limit = fn.max_args
        if limit is not None and len(args) > limit:
            del args[limit:]
        return fn.fn(ctx, *args) if fn.wants_ctx else fn.fn(*args)
    if kind is VariantConstructor:
        return EnumValue(fn.type, fn.variant, tuple(args))
    if kind is StructType:
        from harnpy.runtime.structs import build_struct

        return build_struct(fn, args[0] if args else None)
    from harnpy.runtime.display import display

    raise type_error(f"Cannot call {display(fn)}")


def enter(ctx: Context, code: Any, frame: list[Any]) -> Any:
    """Run the body of ``code`` one level deeper and follow its tail calls."""
    depth = ctx.depth
    if depth >= ctx.max_depth:
        raise HarnError(OVERFLOW)
    if ctx.stop:
        ctx.stop()
    ctx.depth = depth + 1
    result = code.body(frame)
    if result is TAIL:
        result = follow_tails(ctx)
    ctx.depth = depth
    return result


def follow_tails(ctx: Context) -> Any:
    """Run the pending tail call, and those that its body leaves."""
    result = follow_tail(ctx)
    while result is TAIL:
        result = follow_tail(ctx)
    return result


def follow_tail(ctx: Context) -> Any:
    """Run the pending tail call once; the result may be ``TAIL`` again."""
    frame = ctx.tail_frame
    closure = ctx.tail_closure
    ctx.tail_frame = ctx.tail_closure = None
    ctx.tail_run = 0
    if ctx.stop:
        ctx.stop()
    return closure.code.body(frame)


def invoke(ctx: Context, fn: Any, args: list[Any], site: Site) -> Any:
    """``call`` from compiled code: an error gets the place and a trace entry."""
    try:
        return call(ctx, fn, args)
    except FAULTS as error:
        blame(error, fn, site)
        raise


def invoke_pipe(ctx: Context, fn: Any, args: list[Any], site: Site) -> Any:
    """``invoke`` for the right side of a pipe."""
    if type(fn) not in CALLABLE_TYPES:
        error = type_error(f"cannot pipe into {type_of(fn)}")
        error.site = site
        raise error
    return invoke(ctx, fn, args, site)


def invoke_tail(ctx: Context, fn: Any, args: list[Any], site: Site) -> Any:
    """A tail call whose frame needs work: leaves a closure to the trampoline, calls anything else."""
    try:
        if type(fn) is not Closure:
            return call(ctx, fn, args)
        ctx.tail_frame = fn.code.bind(fn, args)
    except FAULTS as error:
        blame(error, fn, site)
        raise
    ctx.tail_closure = fn
    return TAIL


def overflow(site: Site) -> None:
    """Raise the error of a call at the deepest level."""
    raise HarnError(OVERFLOW, site=site)


def blame(error: BaseException, fn: Any, site: Site) -> None:
    """Note on ``error`` that it passed the call of ``fn`` at ``site``.

    An error without a place is one of the call itself (its arguments), not of the body.
    """
    if not isinstance(error, HarnError) or error.site is None:
        locate(error, site)
    elif type(fn) is Closure:
        error.trace.append((fn.code.name, site))


def locate(error: BaseException, site: Site) -> None:
    """Give ``error`` its place if it has none; the host's own limits become errors of the program here.

    An error that comes out of another file leaves a trace entry here: of a tail call, or of a builtin that ran
    closures, which leave none where all is in one file.
    """
    if not isinstance(error, HarnError):
        text = OUT_OF_MEMORY if isinstance(error, MemoryError) else OVERFLOW
        raise HarnError(text, site=site) from None
    if error.site is None:
        error.site = site
    else:
        last = error.trace[-1][1] if error.trace else error.site
        if last is not None and last[0] is not site[0]:
            error.trace.append(("", site))
