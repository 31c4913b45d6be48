"""``harness.testing``: queued responses for harness methods (builtins 3.7)."""

from __future__ import annotations

from harnpy.errors import HarnError, runtime_error, thrown_text, type_error
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

    Key = tuple[str, str]


class Response:
    """One queued answer: a value or a thrown message, for calls that fit ``when``."""

    __slots__ = ("error", "repeat", "value", "when")

    def __init__(self, value: Any, error: str | None, when: Any, repeat: bool) -> None:
        self.value = value
        self.error = error
        self.when = when
        self.repeat = repeat

    def fits(self, args: tuple[Any, ...]) -> bool:
        """Tell whether the first dict argument holds all entries of ``when``."""
        from harnpy.runtime.equality import equal

        first = next((arg for arg in args if type(arg) is dict), {})
        return all(key in first and equal(first[key], value) for key, value in self.when.items())


class Responses:
    """Queued answers and recorded calls; scopes nest."""

    def __init__(self) -> None:
        self._scopes: list[tuple[dict[Key, list[Response]], list[dict[str, Any]]]] = [({}, [])]

    def add(self, key: Key, response: Response) -> None:
        """Queue an answer in the current scope."""
        self._scopes[-1][0].setdefault(key, []).append(response)

    def answer(self, capability: str, method: str, args: tuple[Any, ...]) -> tuple[bool, Any]:
        """Give ``(True, value)`` for a registered method, ``(False, None)`` when the real one must run."""
        registered, calls = self._scopes[-1]
        queue = registered.get((capability, method))
        if queue is None:
            return False, None
        calls.append(
            {"capability": capability, "operation": method, "method": method, "args": list(args), "params": list(args)}
        )
        chosen = next((r for r in queue if r.when is not None and r.fits(args)), None)
        if chosen is None:
            chosen = next((r for r in queue if r.when is None), None)
        if chosen is None:
            from harnpy.runtime.display import display

            raise runtime_error(f"no fixture for {capability}.{method} matched arguments {display(list(args))}")
        if not chosen.repeat:
            queue.remove(chosen)
        if chosen.error is not None:
            raise thrown_text(chosen.error)
        return True, chosen.value

    def calls(self) -> list[dict[str, Any]]:
        """Give the recorded calls of the current scope."""
        return list(self._scopes[-1][1])

    def registered(self, capability: str, method: str) -> bool:
        """Tell whether answers were queued for this method in the current scope."""
        return (capability, method) in self._scopes[-1][0]

    def push(self) -> None:
        """Start an empty scope."""
        self._scopes.append(({}, []))

    def pop(self) -> bool:
        """Restore the outer scope; false when there is none."""
        if len(self._scopes) == 1:
            return False
        self._scopes.pop()
        return True


def _responses(ctx: Context) -> Responses:
    responses: Responses | None = ctx.services.get("responses")
    if responses is None:
        responses = ctx.services["responses"] = Responses()
    return responses


def _key(method: str, capability: Any, operation: Any) -> Key:
    for number, value in ((1, capability), (2, operation)):
        if type(value) is not str:
            raise type_error(f"HarnessTesting.{method} expects string argument {number}, got {type_of(value)}")
    return capability, operation


def _selector(method: str, when: Any) -> dict[str, Any] | None:
    if when is None or type(when) is dict:
        return when
    raise _bad_selector(method, when)


def _bad_selector(method: str, when: Any) -> HarnError:
    return type_error(f"HarnessTesting.{method} expects dict argument 4, got {type_of(when)}")


def respond(
    ctx: Context, capability: Any = None, method: Any = None, value: Any = None, when: Any = None, repeat: Any = None
) -> None:
    """Queue ``value`` as the answer of ``harness.<capability>.<method>``; one call uses it up, unless ``repeat`` is
    true.

    ``when`` is a dict that must be part of the call's first dict argument. Once a method has answers, a call that
    none of them fits throws; a faked answer needs no permission.
    """
    key = _key("respond", capability, method)
    _responses(ctx).add(key, Response(value, None, _selector("respond", when), bool(repeat)))


def respond_error(
    ctx: Context, capability: Any = None, method: Any = None, message: Any = None, when: Any = None, repeat: Any = None
) -> None:
    """Queue a failure of ``harness.<capability>.<method>``: the call throws ``message``. ``when``, ``repeat``: as
    ``respond``.
    """
    from harnpy.runtime.display import display

    key = _key("respond_error", capability, method)
    text = "" if message is None else display(message)
    _responses(ctx).add(key, Response(None, text, _selector("respond_error", when), bool(repeat)))


def calls(ctx: Context) -> list[dict[str, Any]]:
    """Give the calls of methods that have answers, in order: ``{capability, method, operation, args, params}``.

    Then those that host mocks answered.
    """
    from harnpy.builtins.hosts import host_mock_calls

    hosts = [{**call, "method": call["operation"], "args": [call["params"]]} for call in host_mock_calls(ctx)]
    return _responses(ctx).calls() + hosts


def push_scope(ctx: Context) -> None:
    """Start an empty scope of answers and of host mocks."""
    from harnpy.builtins.hosts import host_mock_push_scope

    _responses(ctx).push()
    host_mock_push_scope(ctx)


def pop_scope(ctx: Context) -> None:
    """Restore the outer scope of answers and of host mocks."""
    from harnpy.builtins.hosts import host_mock_pop_scope

    if not _responses(ctx).pop():
        raise runtime_error("HarnessTesting.pop_scope called without a matching push_scope")
    try:
        host_mock_pop_scope(ctx)
    except HarnError as error:  # the script popped the host scope itself
        if type(error.value) is not str:
            raise


def clear(ctx: Context) -> None:
    """Drop all answers, calls and scopes."""
    from harnpy.builtins.hosts import host_mock_clear

    ctx.services["responses"] = Responses()
    host_mock_clear(ctx)


def is_active(ctx: Context) -> bool:
    """Tell whether fake answers are on."""
    return "responses" in ctx.services
