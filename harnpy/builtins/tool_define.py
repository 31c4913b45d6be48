"""``tool_define``: checks one tool and puts it into a registry (builtins 1.18)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.builtins.tools import entries_of, entry_name
from harnpy.errors import HarnError, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_EXECUTORS = {
    "harn": "harn",
    "harn_builtin": "harn",
    "host_bridge": "host_bridge",
    "mcp_server": "mcp_server",
    "provider_native": "provider_native",
}
# What an executor needs to know beside the name of the tool.
_NEEDS = {"host_bridge": "host_capability", "mcp_server": "mcp_server"}


def _fault(message: str) -> HarnError:
    return thrown_text(f"tool_define: {message}")


def tool_define(
    registry: Any = ABSENT, name: Any = ABSENT, description: Any = ABSENT, config: Any = ABSENT
) -> dict[str, Any]:
    """Give a registry with a tool appended; an older one of the same name goes.

    ``config``: ``parameters`` (name to type text or schema), ``handler`` (``fn(args)``), ``returns``,
    ``annotations``, ``executor`` (``harn``, ``host_bridge``, ``mcp_server``, ``provider_native``), and further keys
    as they are.
    Errors: throws a text that names the tool and what is wrong.
    """
    if config is ABSENT:
        raise _fault("requires registry, name, description, and config dict")
    if type(registry) is not dict:
        raise _fault("first argument must be a tool registry")
    entries = entries_of("tool_define", registry)
    if type(config) is not dict:
        raise _fault("config must be a dict with parameters and handler")
    if "params" in config:
        raise _fault("use 'parameters', not 'params'")
    entry = _entry(text(name), text(description), config)
    kept = [other for other in entries if entry_name(other) != entry["name"]]
    return {**registry, "tools": [*kept, entry]}


def _entry(name: str, description: str, config: dict[str, Any]) -> dict[str, Any]:
    if type(config.get("defer_loading")) not in (bool, type(None)):
        raise _fault("`defer_loading` must be a bool")
    namespace = config.get("namespace")
    if namespace is not None and (type(namespace) is not str or not namespace):
        raise _fault("`namespace` must be a non-empty string")
    entry = {key: value for key, value in config.items() if key != "returns"}
    entry |= {"name": name, "description": description, "executor": _executor(name, config)}
    if entry.get("parameters") is None:
        entry["parameters"] = {}
    if config.get("returns") is not None:
        entry["outputSchema"] = config["returns"]
    return entry


def _executor(name: str, config: dict[str, Any]) -> str:
    """Find out who runs the tool, and check that it can."""
    given, has_handler = config.get("executor"), config.get("handler") is not None
    if given is None:
        if has_handler:
            return "harn"
        raise _fault(
            f'tool "{name}" has no `handler` and no `executor`. '
            "Give it a handler closure, or say with `executor` who runs it."
        )
    executor = _EXECUTORS.get(given) if type(given) is str else None
    if executor is None:
        raise _fault(
            f'unknown executor "{text(given)}" for tool "{name}". '
            "Expected harn, host_bridge, mcp_server, or provider_native."
        )
    declared = f'tool "{name}" declares executor: "{executor}"'
    if executor == "harn":
        if not has_handler:
            raise _fault(f"{declared} but has no `handler`. Tools of this executor run a handler closure.")
        return executor
    if has_handler:
        raise _fault(f'{declared} but also has a `handler`. Only the executor "harn" runs handlers.')
    need = _NEEDS.get(executor)
    if need is not None and not config.get(need):
        raise _fault(f"{declared} but is missing `{need}`.")
    return executor
