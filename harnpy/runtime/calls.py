"""Calling a Harn value from Python code: the one way for builtins, capabilities and the embedder.

Compiled call nodes repeat the closure case inline for speed; the rules are these.
"""

from __future__ import annotations

from harnpy.errors import HarnError, type_error
from harnpy.runtime.values import Builtin, Closure, EnumValue, StructType, VariantConstructor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


class _Tail:
    """What a body gives when a tail call is pending in the context."""

    __slots__ = ()


TAIL = _Tail()

OVERFLOW = "Stack overflow: too many nested calls"


def call(ctx: Context, fn: Any, args: list[Any]) -> Any:
    """Call any Harn callable with ``args`` (the list is consumed).

    Raises:
        HarnError: ``Type error: Cannot call <display>`` for a value that is not callable, the arity
            and type errors of the callee, and whatever its body throws.
    """
    kind = type(fn)
    if kind is Closure:
        code = fn.code
        if code.exact == len(args):
            args += fn.tail
            frame = args
        else:
            frame = code.bind(fn, args)
        return enter(ctx, code, frame)
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
    while result is TAIL:
        result = follow_tail(ctx)
    ctx.depth = depth
    return result


def follow_tail(ctx: Context) -> Any:
    """Run the pending tail call once; the result may be ``TAIL`` again."""
    frame = ctx.tail_frame
    closure = ctx.tail_closure
    ctx.tail_frame = ctx.tail_closure = None
    if ctx.stop:
        ctx.stop()
    return closure.code.body(frame)
