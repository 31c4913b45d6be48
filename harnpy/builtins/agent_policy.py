"""Ceilings of tool calls that lie inside each other: an inner one can only narrow (agent 2.8)."""

from __future__ import annotations

from harnpy.builtins.arguments import is_callable
from harnpy.errors import thrown_text
from harnpy.runtime.calls import call
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

_SCOPES = "execution_policies"
# Stands for "no tool at all" in a policy, where an empty list would mean "no ceiling".
NO_TOOLS = "__harn_tool_surface_no_tools__"
# Ceilings of the language that are not built: one that does not hold must not look as if it did.
UNSUPPORTED = ("tool_arg_constraints", "workspace_roots", "recursion_limit")
LEVELS = ("none", "read_only", "workspace_write", "process_exec", "network")


def with_execution_policy(ctx: Context, policy: Any = None, body: Any = None) -> Any:
    """Run ``body()`` and give its value; tool calls and loops inside have this ceiling too, on top of outer ones.

    Errors: throws a text for a policy of the wrong form; a throw of ``body`` passes through.
    """
    if type(policy) is not dict:
        raise thrown_text(f"with_execution_policy: policy must be a dict; got {type_of(policy)}")
    if not is_callable(body):
        raise thrown_text(f"with_execution_policy: body must be callable; got {type_of(body)}")
    check_policy("with_execution_policy", policy)
    outer = ctx.scheduler.local(_SCOPES, ())
    ctx.scheduler.set_local(_SCOPES, (*outer, policy))
    try:
        return call(ctx, body, [])
    finally:
        ctx.scheduler.set_local(_SCOPES, outer)


def check_policy(function: Any = "", policy: Any = None) -> None:
    """Refuse a policy that would not hold as written: what is misspelt must not mean that there is no ceiling."""
    tools, level, granted = (policy.get(key) for key in ("tools", "side_effect_level", "capabilities"))
    if tools is not None and type(tools) is not list:
        raise thrown_text(f"{function}: `policy.tools` must be a list or nil; got {type_of(tools)}")
    if level is not None and level not in LEVELS:
        shown = level if type(level) is str else type_of(level)
        raise thrown_text(f"{function}: `policy.side_effect_level` must be one of {', '.join(LEVELS)}; got {shown}")
    fits = granted is None or (type(granted) is dict and all(type(each) is list for each in granted.values()))
    if not fits:
        raise thrown_text(f"{function}: `policy.capabilities` must be a dict of lists or nil")
    for key in UNSUPPORTED:
        if policy.get(key) is not None:
            raise thrown_text(f"{function}: `policy.{key}` is not supported in this version")


def effective(ctx: Context, policy: Any) -> Any:
    """Give the ceiling that holds here: that of the loop within those around it."""
    scopes = ctx.scheduler.local(_SCOPES, ())
    if not scopes:
        return policy
    merged: Dict = {}
    for scope in (*scopes, policy):
        if type(scope) is dict:
            merged = _narrowed(merged, scope)
    return merged


def _narrowed(outer: Dict, inner: Dict) -> Dict:
    merged = {**outer, **inner}
    if outer.get("tools") and inner.get("tools"):
        merged["tools"] = [name for name in inner["tools"] if name in outer["tools"]] or [NO_TOOLS]
    elif outer.get("tools"):
        merged["tools"] = outer["tools"]
    levels = [scope["side_effect_level"] for scope in (outer, inner) if scope.get("side_effect_level") in LEVELS]
    if levels:
        merged["side_effect_level"] = min(levels, key=LEVELS.index)
    granted = [scope["capabilities"] for scope in (outer, inner) if scope.get("capabilities")]
    if len(granted) == 2:
        first, second = granted
        merged["capabilities"] = {
            name: [op for op in second[name] if op in first[name]] for name in second if name in first
        }
        merged["capabilities"] = merged["capabilities"] or {"": []}
    elif granted:
        merged["capabilities"] = granted[0]
    known = [scope.get("tool_annotations") for scope in (outer, inner)]
    merged["tool_annotations"] = {name: each[name] for each in known if type(each) is dict for name in each}
    return merged
