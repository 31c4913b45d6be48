"""Finds the method of a value (language 7.4)."""

from __future__ import annotations

from harnpy.errors import HarnError, Site, runtime_error, type_error
from harnpy.runtime.access import get_property
from harnpy.runtime.calls import FAULTS, call, invoke, invoke_tail, locate
from harnpy.runtime.places import placed
from harnpy.runtime.values import (
    CALLABLE_TYPES,
    Builtin,
    EnumType,
    EnumValue,
    Handle,
    Namespace,
    StructValue,
    VariantConstructor,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

# Kinds whose unknown method is a runtime error; of all others it is a type error (builtins 2.0).
_RUNTIME_ERROR_KINDS = frozenset(("list", "string", "set"))


def call_method(ctx: Context, receiver: Any, name: str, args: list[Any]) -> Any:
    """Call ``receiver.name(args)``; ``args`` is consumed."""
    return call(ctx, find_callee(ctx, receiver, name, args), args)


def find_callee(ctx: Context, receiver: Any, name: str, args: list[Any]) -> Any:
    """Give what ``receiver.name(args)`` calls, by the order of resolution.

    Builtin methods and those of structs take the receiver, which is put in front of ``args``.
    """
    kind = type(receiver)
    if kind is Namespace:
        return get_property(receiver, name)
    if kind is Handle or kind is StructValue:
        method = receiver.methods.get(name) if kind is Handle else receiver.type.methods.get(name)
        if method is None:
            raise unknown_method(receiver, name)
        if kind is StructValue:
            args.insert(0, receiver)
        return method
    builtin = ctx.find_method(type_of(receiver), name)
    if builtin is not None:
        args.insert(0, receiver)
        return builtin
    if kind is dict:
        stored = receiver.get(name)
        if type(stored) in CALLABLE_TYPES:
            return stored
    elif kind is EnumType and name in receiver.variants:
        return VariantConstructor(receiver, name)
    raise unknown_method(receiver, name)


def unknown_method(receiver: Any, name: str) -> HarnError:
    """Make the error of a method that the kind of ``receiver`` does not have."""
    if receiver is None:
        return type_error(f"cannot access property `{name}` on nil")
    kind = type_of(receiver)
    if kind in _RUNTIME_ERROR_KINDS:
        return runtime_error(f"{kind} has no method `{name}`")
    return type_error(f"value of type {kind} has no method `{name}`")


class MethodSite:
    """One method call in a program.

    ``known`` maps receiver types to the builtin that was found for them. A handle is one object for the whole run as
    a rule, so the one that was called last is kept with its operation.
    """

    __slots__ = ("ctx", "handle", "known", "name", "operation", "site")

    def __init__(self, ctx: Context, name: str, site: Site) -> None:
        self.ctx = ctx
        self.name = name
        self.site = site
        self.known: dict[type, Builtin] = {}
        self.handle: Handle | None = None
        self.operation: Builtin | None = None

    def call(self, receiver: Any, args: list[Any]) -> Any:
        """Call the method by the general rule."""
        kind = type(receiver)
        if kind is Handle:
            return self._operate(receiver, args)
        if kind is EnumType and self.name in receiver.variants:
            return EnumValue(receiver, self.name, tuple(args))
        return invoke(self.ctx, self._callee(receiver, args), args, self.site)

    def _operate(self, handle: Handle, args: list[Any]) -> Any:
        """Call an operation of a handle."""
        if handle is not self.handle:
            self.operation = placed(self._callee(handle, args), self.site)
            self.handle = handle
        operation = self.operation
        if operation is None or (operation.max_args is not None and operation.max_args < len(args)):
            return invoke(self.ctx, operation, args, self.site)
        try:
            return operation.fn(self.ctx, *args) if operation.wants_ctx else operation.fn(*args)
        except FAULTS as error:
            locate(error, self.site)
            raise

    def call_tail(self, receiver: Any, args: list[Any]) -> Any:
        """The same as a tail call."""
        if type(receiver) is Handle:  # its operations leave no frame
            return self._operate(receiver, args)
        return invoke_tail(self.ctx, self._callee(receiver, args), args, self.site)

    def _callee(self, receiver: Any, args: list[Any]) -> Any:
        count = len(args)
        try:
            callee = find_callee(self.ctx, receiver, self.name, args)
        except HarnError as error:
            error.locate(self.site)
            raise
        if type(callee) is Builtin and len(args) > count:
            self._remember(receiver, callee, count + 1)
        return callee

    def _remember(self, receiver: Any, builtin: Builtin, count: int) -> None:
        """Keep a builtin that takes all the arguments, where the Python type alone decides which one it is."""
        kind = type(receiver)
        # Where the name of the kind belongs to the value (generator or stream), it is looked up each time.
        by_type = type(getattr(kind, "type_name", "")) is str
        if by_type and (builtin.max_args is None or builtin.max_args >= count):
            self.known[kind] = builtin
