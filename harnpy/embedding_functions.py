"""Makes Harn callables of Python functions, synchronous or not."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

from harnpy.embedding_callers import CALLER, Caller
from harnpy.embedding_values import to_harn, to_python
from harnpy.errors import HarnError, HarnpyError, categorised, type_error
from harnpy.runtime.iterators import END, Iter
from harnpy.runtime.values import Builtin, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.runtime.context import Context

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
# The attribute of an error with the value that the host sees and the one that the program threw.
THROWN = "_harnpy_thrown"


class HostFunctions:
    """Turns Python functions into Harn callables; ``wrap`` makes Python objects of Harn functions and streams."""

    def __init__(self, wrap: Callable[[Any], Any]) -> None:
        self._wrap = wrap

    def builtin(self, name: str, function: Callable[..., Any]) -> Builtin:
        """Give the builtin that calls ``function`` with its arguments by position.

        Raises:
            TypeError: It cannot be called.
        """
        if not callable(function):
            raise TypeError(f"{name} is to be a function, not a {type(function).__name__}")
        signature = signature_of(function)

        def invoke(ctx: Context, *arguments: Any) -> Any:
            given = [to_python(each, self._wrap) for each in arguments]
            _bind(name, signature, given, {})
            return self._call(ctx, name, function, given, {})

        made = Builtin(name, invoke)
        made.max_args = _most(signature)
        return made

    def handler(self, name: str, function: Callable[..., Any]) -> Builtin:
        """Give the handler of a tool: it calls ``function`` with the fields of its one dict by name."""
        signature = signature_of(function)

        def invoke(ctx: Context, arguments: Any = None) -> Any:
            named = to_python(arguments if type(arguments) is dict else {}, self._wrap)
            _bind(name, signature, [], named)
            return self._call(ctx, name, function, [], named)

        return Builtin(name, invoke)

    def unnamed(self, function: Callable[..., Any]) -> Value:
        """Give the Harn value of a function that the host hands over among other data; it may be one of Harn."""
        own = getattr(function, "harn_value", None)
        if isinstance(own, Value):
            return own
        return self.builtin(getattr(function, "__name__", "host function"), function)

    def _call(
        self, ctx: Context, name: str, function: Callable[..., Any], given: list[Any], named: dict[str, Any]
    ) -> Any:
        return self._guarded(ctx, name, lambda: function(*given, **named))

    def _guarded(self, ctx: Context, name: str, call: Callable[[], Any]) -> Any:
        """Give the Harn value of what ``call`` gives or what its awaitable does; what it raises becomes an error."""
        depth = ctx.depth
        caller = Caller(ctx)
        token = CALLER.set(caller)
        try:
            result = call()
            if inspect.isawaitable(result):
                caller.waiting = True
                result = _awaited(ctx, result)
            if isinstance(result, (Iterator, AsyncIterator)):
                return self._iterator(ctx, name, result)
            return to_harn(result, self.unnamed)
        except HarnError as error:
            self._passing(name, error)
            raise
        except HarnpyError:
            raise
        except Exception as error:
            raise host_error(name, error) from error
        finally:
            CALLER.reset(token)
            caller.end()
            ctx.depth = depth

    def _passing(self, name: str, error: HarnError) -> None:
        """Give an error of Harn that came through the host, or that the host made, a value of Harn."""
        shown, thrown = error.__dict__.pop(THROWN, (None, None))
        try:
            error.value = thrown if shown is error.value else to_harn(error.value, self.unnamed)
        except (TypeError, ValueError) as fault:
            raise host_error(name, fault) from error
        error.diagnostic = None

    def _iterator(self, ctx: Context, name: str, items: Iterator[Any] | AsyncIterator[Any]) -> Iter:
        """Give the Harn iterator that takes one item after the other from the host."""
        if isinstance(items, Iterator):
            return Iter(lambda: self._guarded(ctx, name, lambda: next(items, END)))
        if inspect.isasyncgen(items):
            ctx.scheduler.on_close(items.aclose)

        async def following() -> Any:
            return await anext(items, END)

        return Iter(lambda: self._guarded(ctx, name, following))


def _awaited(ctx: Context, awaitable: Any) -> Any:
    """Wait for an awaitable of the host. One that somebody in the host has cancelled has failed."""
    from asyncio import CancelledError

    try:
        return ctx.scheduler.wait(lambda: awaitable)
    except CancelledError as error:
        raise RuntimeError("it was cancelled") from error


def host_error(name: str, error: Exception) -> HarnError:
    """Give the error of the language for a Python exception that left the host function ``name``."""
    kind = type(error).__name__
    text = f"{name}: {kind}: {error}" if str(error) else f"{name}: {kind}"
    return categorised("generic", text, kind="host_error", function=name, exception=kind)


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """Give the signature of a function, unless it does not tell."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C tell nothing
        return None


def _most(signature: inspect.Signature | None) -> int | None:
    """Give how many arguments may be passed by position; ``None`` for any number."""
    if signature is None:
        return None
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    return None if inspect.Parameter.VAR_POSITIONAL in kinds else sum(kind in _POSITIONAL for kind in kinds)


def _bind(name: str, signature: inspect.Signature | None, given: list[Any], named: dict[str, Any]) -> None:
    if signature is None:
        return
    try:
        signature.bind(*given, **named)
    except TypeError as error:
        raise type_error(f"{name}: {error}") from None
