"""How many arguments the functions take that a program calls by their names."""

from __future__ import annotations

from importlib import import_module

from harnpy.analysis import resolved as R
from harnpy.builtins import registry
from harnpy.capabilities.methods import METHODS, NOT_GLOBAL, parse
from harnpy.runtime.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis.modules import LoadedModule
    from harnpy.cli.lint_values import Known

_HARNESS = ("harness", "_harness")


def most(call: R.Call | R.MethodCall, module: LoadedModule, callee: Known | None) -> tuple[str, int] | None:
    """Give the name of what is called and the number of arguments that it uses; ``None`` when that is not certain."""
    if isinstance(call, R.MethodCall):
        space = module.namespaces.get(call.receiver.name) if isinstance(call.receiver, R.Global) else None
        return _of_harness(call) if space is None else _of_export((space.exports or {}).get(call.name), call.name)
    if callee is not None and callee.function is not None and callee.function.kind == "fn":
        return _of_function(callee.function)
    return _of_name(call.callee.name, module) if isinstance(call.callee, R.Global) else None


def _of_name(name: str, module: LoadedModule) -> tuple[str, int] | None:
    if name in module.module.globals:
        return None
    origin = module.scope.get(name)
    if origin is None:
        builtin = registry.function(name)
        return None if builtin is None or builtin.max_args is None else (name, builtin.max_args)
    return _of_export(origin, name)


def _of_export(origin: LoadedModule | None, name: str) -> tuple[str, int] | None:
    for declared in () if origin is None else origin.module.declarations:
        if isinstance(declared, R.DeclareFn) and declared.function.name == name:
            found = _of_function(declared.function)
            # A leading handle given to a function of the library is dropped: it does not count.
            return found if found is None or origin is None or not origin.std else (name, found[1] + 1)
    return None


def _of_function(function: R.Function) -> tuple[str, int] | None:
    return None if any(param.rest for param in function.params) else (function.name, len(function.params))


def _of_harness(call: R.MethodCall) -> tuple[str, int] | None:
    """Give the method of a member of the harness, as in ``harness.stdio.println``."""
    member = call.receiver
    if not isinstance(member, R.Property) or not isinstance(member.receiver, R.Local | R.Global):
        return None
    row = parse(METHODS.get(member.name, "")).get(call.name)
    if member.receiver.name not in _HARNESS or row is None or f"{member.name}.{call.name}" in NOT_GLOBAL:
        return None
    path, _, function = row.partition(":")
    found = Builtin(row, getattr(import_module("harnpy." + path), function)) if function else registry.function(row)
    if found is None or found.max_args is None:
        return None
    return f"harness.{member.name}.{call.name}", found.max_args
