"""Compiles method calls: builtin methods by the receiver's type, closures in dicts inline, else ``MethodSite``."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime.calls_nodes import builtin_call, collect, exact_call, written_args
from harnpy.runtime.methods import MethodSite
from harnpy.runtime.templates import share
from harnpy.runtime.values import Handle, StructValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.templates import Builder
    from harnpy.runtime.values import Builtin


def method_call(b: Builder, node: r.MethodCall) -> str:
    """``receiver.name(args)`` and ``receiver?.name(args)``."""
    args = written_args(node.args)
    if not node.optional:
        operation = _operation(b, node)
        if operation is not None and args is not None:
            return builtin_call(b, operation, b.values(args), b.compiler.site(node))
        if args is None:
            return _call_collected(b, node, b.hold(node.receiver))
        receiver, *texts = b.values([node.receiver, *args])
        return _call(b, node, b.held(receiver), texts)
    receiver = b.hold(node.receiver)
    result = b.temp()
    b.line(f"{result} = None")
    with b.block(f"if {receiver} is not None:"):
        if args is None:
            text = _call_collected(b, node, receiver)
        else:
            text = _call(b, node, receiver, b.values(args))
        b.line(f"{result} = {text}")
    return result


def _operation(b: Builder, node: r.MethodCall) -> Builtin | None:
    """Give the operation that ``harness.member.name(...)`` means."""
    handle = _handle(b, node.receiver)
    return None if handle is None else handle.methods.get(node.name)


def _handle(b: Builder, node: r.Expr) -> Handle | None:
    """Give the handle that ``harness`` or ``harness.member`` is, where the name has its predefined meaning."""
    if type(node) is r.Global and node.name == "harness":
        module = b.compiler.module
        cell = module.lookup("harness")
        if cell is None or cell is not module.outer_cells.get("harness"):
            return None
        return cell[0] if type(cell[0]) is Handle else None
    if type(node) is not r.Property or node.optional:
        return None
    handle = _handle(b, node.receiver)
    return None if handle is None else handle.members.get(node.name)


def _call_collected(b: Builder, node: r.MethodCall, receiver: str) -> str:
    compiler = b.compiler
    site = compiler.site(node)
    args = b.bind(collect(compiler, node.args, site))
    method = b.bind(MethodSite(compiler.ctx, node.name, site))
    return f"{method}.call{'_tail' if node.tail else ''}({receiver}, {args}(f))"


def _call(b: Builder, node: r.MethodCall, receiver: str, args: list[str]) -> str:
    """A call with few arguments; a dict is asked for a stored closure only if no builtin method wins over it."""
    compiler = b.compiler
    ctx = compiler.ctx
    site = compiler.site(node)
    result = b.temp()
    if ctx.find_method("dict", node.name) is not None:
        _call_known(b, node, receiver, args, result)
        return result
    name = b.bind(node.name)
    function, in_dict = b.temp(), b.temp()
    b.line(f"{in_dict} = type({receiver}) is dict")
    b.line(f"if {in_dict}: {function} = {receiver}.get({name})")
    b.line(f"elif type({receiver}) is StructValue: {function} = {receiver}.type.methods.get({name})")
    b.line(f"else: {function} = None")
    # What a dict stores is called without it, the method of a struct with it.
    listed = "".join([arg + ", " for arg in args])
    count = f"({len(args)} if {in_dict} else {len(args) + 1})"
    frame = f"[{listed}*{function}.tail] if {in_dict} else [{receiver}, {listed}*{function}.tail]"
    exact_call(b, result, function, count, frame, b.bind(site), node.tail)
    with b.block("else:"):
        _call_known(b, node, receiver, args, result)
    return result


def _call_known(b: Builder, node: r.MethodCall, receiver: str, args: list[str], result: str) -> None:
    """Write the call of the builtin method of the receiver's type, or of whatever else the name means."""
    compiler = b.compiler
    site = compiler.site(node)
    method = MethodSite(compiler.ctx, node.name, site)
    at = b.bind(method)
    builtin = b.temp()
    listed = ", ".join(args)
    with_receiver = ", ".join([receiver, *args])
    b.line(f"{builtin} = {b.bind(method.known)}.get(type({receiver}))")
    with b.block(f"if {builtin} is None:"):
        b.line(f"{result} = {at}.call{'_tail' if node.tail else ''}({receiver}, [{listed}])")
    with b.block("else:"):
        with b.block("try:"):
            plain = f"{builtin}.fn({with_receiver})"
            b.line(
                f"{result} = {builtin}.fn({b.bind(compiler.ctx)}, {with_receiver}) if {builtin}.wants_ctx else {plain}"
            )
        with b.block("except FAULTS as error:"):
            b.line(f"locate(error, {b.bind(site)})")
            b.line("raise")


share(StructValue=StructValue)

EMITTERS: dict[type, Callable[[Builder, Any], str]] = {r.MethodCall: method_call}
