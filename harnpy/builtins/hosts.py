"""Host calls: operations of the program around the interpreter, their mocks and standalone answers (builtins 1.19)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

    Params = dict[str, Any]

_CONFIG = frozenset({"result", "params", "error"})


class Mock:
    """One faked answer: for calls whose params hold all of ``params``."""

    __slots__ = ("error", "key", "params", "result")

    def __init__(self, key: tuple[str, str], result: Any, error: Any, params: Any) -> None:
        self.key = key
        self.result = result
        self.error = error
        self.params: Params = params if type(params) is dict else {}

    def fits(self, key: tuple[str, str], params: Params) -> bool:
        """Tell whether this answers a call."""
        from harnpy.runtime.equality import equal

        if key != self.key:
            return False
        return all(name in params and equal(params[name], wanted) for name, wanted in self.params.items())


class Scope:
    """The mocks of a scope, and the calls that they answered."""

    __slots__ = ("calls", "mocks")

    def __init__(self) -> None:
        self.mocks: list[Mock] = []
        self.calls: list[dict[str, Any]] = []


def _scopes(ctx: Context) -> list[Scope]:
    scopes: list[Scope] | None = ctx.services.get("host_mocks")
    if scopes is None:
        scopes = ctx.services["host_mocks"] = [Scope()]
    return scopes


def host_call(ctx: Context, operation: Any = "", params: Any = None) -> Any:
    """Do an operation ``"capability.operation"`` of the host: a mock answers first, then what a run without a host can
    do.

    Errors: throws ``host_call: unsupported operation <name>``, or what a mock says.
    """
    name = text(operation)
    capability, _, method = name.partition(".")
    given: Params = params if type(params) is dict else {}
    scope = _scopes(ctx)[-1]
    for mock in reversed(scope.mocks):
        if mock.fits((capability, method), given):
            scope.calls.append({"capability": capability, "operation": method, "params": given})
            if mock.error is not None:
                raise HarnError(mock.error, thrown=True)
            return mock.result
    responses = ctx.services.get("responses")
    if responses is not None:
        answered, value = responses.answer(capability, method, (given,))
        if answered:
            return value
    answer = _STANDALONE.get(name)
    if answer is None:
        raise thrown_text(f"host_call: unsupported operation {name}")
    return answer(ctx, given)


def _task(ctx: Context, params: Params) -> str:
    from harnpy.builtins.environment import variables

    return variables(ctx).get("HARN_TASK", "")


def _project_root(ctx: Context, params: Params) -> str | None:
    from harnpy.builtins.locations import project_root

    return project_root(ctx)


def _cwd(ctx: Context, params: Params) -> str:
    from harnpy.builtins.locations import root

    return root(ctx)


def _render(ctx: Context, params: Params) -> str:
    from harnpy.builtins.templates import render_prompt, render_string

    bindings = params.get("bindings")
    if params.get("path") is None:
        return render_string(ctx, params.get("template"), bindings)
    return render_prompt(ctx, params["path"], bindings)


def _ask(ctx: Context, params: Params) -> Any:
    question = next((params[name] for name in ("question", "prompt", "message") if params.get(name) is not None), "")
    return _method(ctx, "stdio", "prompt", question)


def _exec(ctx: Context, params: Params) -> Any:
    command, argv = params.get("command"), params.get("argv")
    what = {"mode": "argv", "argv": argv} if type(argv) is list else {"mode": "shell", "command": command}
    given = {name: params[name] for name in ("cwd", "env", "timeout_ms") if params.get(name) is not None}
    return _method(ctx, "process", "run", {**what, **given})


def _method(ctx: Context, capability: str, name: str, argument: Any) -> Any:
    """Call a method of the harness, so that what guards it guards this way too."""
    from harnpy.runtime.calls import call

    return call(ctx, ctx.harness.members[capability].methods.get(name), [argument])


_STANDALONE = {
    "interaction.ask": _ask,
    "process.exec": _exec,
    "runtime.task": _task,
    "template.render": _render,
    "workspace.cwd": _cwd,
    "workspace.project_root": _project_root,
}


def _operations(ctx: Context) -> dict[str, list[str]]:
    """Give the operations that can be called now, sorted, by capability."""
    names = {(name.partition(".")[0], name.partition(".")[2]) for name in _STANDALONE}
    names.update(mock.key for mock in _scopes(ctx)[-1].mocks)
    found: dict[str, list[str]] = {}
    for capability, operation in sorted(names):
        found.setdefault(capability, []).append(operation)
    return found


def host_has(ctx: Context, capability: Any = "", operation: Any = None) -> bool:
    """Tell whether a capability, or one operation of it, can be called; faked ones count."""
    name = text(capability)
    known = _operations(ctx).get(name)
    if operation is None:
        return known is not None
    responses = ctx.services.get("responses")
    if responses is not None and responses.registered(name, text(operation)):
        return True
    return known is not None and text(operation) in known


def host_capabilities(ctx: Context) -> dict[str, Any]:
    """Give what the host can do: ``{capability: {operations: [name]}}``; faked operations count."""
    return {name: {"operations": operations} for name, operations in _operations(ctx).items()}


def host_tool_list() -> list[Any]:
    """Give the tools of the host: none, since no host is attached."""
    return []


def host_tool_call(name: Any = None, args: Any = None) -> None:
    """Refuse: no host is attached."""
    raise thrown_text("host_tool_call: no host bridge is attached")


def host_mock(
    ctx: Context, capability: Any = None, operation: Any = None, result: Any = None, params: Any = None
) -> None:
    """Fake an operation of the host: a result, or a dict of ``result``, ``params`` and ``error``; the latest that fits
    wins.

    ``params`` must be part of the params of a call. Errors: throws a text without capability or operation.
    """
    if capability is None or operation is None or "" in (capability, operation):
        raise thrown_text("host_mock: capability and operation are required")
    error = None
    if type(result) is dict and result and result.keys() <= _CONFIG:
        error, params, result = result.get("error"), result.get("params", params), result.get("result")
    if params is not None and type(params) is not dict:
        raise thrown_text(f"host_mock: params must be a dict, got {type_of(params)}")
    _scopes(ctx)[-1].mocks.append(Mock((text(capability), text(operation)), result, error, params))


def host_mock_calls(ctx: Context) -> list[dict[str, Any]]:
    """Give the calls that mocks of this scope answered."""
    return list(_scopes(ctx)[-1].calls)


def host_mock_clear(ctx: Context) -> None:
    """Drop all mocks, calls and scopes."""
    ctx.services["host_mocks"] = [Scope()]


def host_mock_push_scope(ctx: Context) -> None:
    """Start an empty scope."""
    _scopes(ctx).append(Scope())


def host_mock_pop_scope(ctx: Context) -> None:
    """Restore the outer scope."""
    scopes = _scopes(ctx)
    if len(scopes) == 1:
        raise thrown_text("host_mock_pop_scope: no scope to pop")
    scopes.pop()
