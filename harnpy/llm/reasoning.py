"""Lowers a provider-neutral reasoning policy to the mode that a route has (llm 4.3)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.capability import capability_row
from harnpy.llm.kinds import quoted
from harnpy.llm.models import resolved_options
from harnpy.llm.thinking import POLICY_APPLIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.llm.catalog import Catalog

    Dict = dict[str, Any]

_ORDER = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_POLICIES = ("auto", "off", "minimal", "low", "medium", "high", "xhigh")
_POLICY_ALIASES = {
    **dict.fromkeys(("none", "disabled", "disable", "false", "no", "nothink", "no_think"), "off"),
    **dict.fromkeys(("default", "inherit", "enabled", "on", "true", ""), "auto"),
}
_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 4096, "high": 12000, "xhigh": 12000}
# Tasks of the packs stand for those of the policy.
_TASKS = {
    "chat": "chat", "agent": "agent", "code": "code", "verify": "verify", "summarize": "summarize",
    "judge": "verify", "refine": "chat", "json": "chat",
}  # fmt: skip
_SCALES = ("small", "medium", "large")


def apply_reasoning_policy(options: Any, env: Mapping[str, str], catalog: Catalog) -> Dict:
    """Give the options with the ``thinking`` that their reasoning policy means on their route."""
    if type(options) is not dict:
        raise thrown_text("llm_apply_reasoning_policy: opts must be a dict")
    if options.get("thinking") is not None or options.get("effort") is not None or not options.get("model"):
        return options
    policy = _policy(options.get("reasoning_policy"))
    scale = _scale(options.get("reasoning_scale"))
    task = _task(options)
    route = resolved_options(options, env, catalog)
    row = capability_row(route["provider"], route["model"], catalog.capability_rules)
    if row is None:
        return options
    level = policy if policy != "auto" else _automatic(row, _TASKS[task], scale)
    thinking = _lowered(row, level)
    if thinking is None:
        return options
    place = {"provider": route["provider"], "model": route["model"]}
    applied = {"policy": policy, "task": task, "scale": scale, "level": level, **place}
    return {**options, "thinking": thinking, POLICY_APPLIED: applied}


def check_policy(options: Mapping[str, Any]) -> None:
    """Refuse a wrong policy, scale or task, also where another option decides."""
    _policy(options.get("reasoning_policy"))
    _scale(options.get("reasoning_scale"))
    _task(options)


def _policy(value: Any) -> str:
    if value is None or value is True:
        return "auto"
    if value is False:
        return "off"
    word = value.strip().lower() if type(value) is str else None
    word = _POLICY_ALIASES.get(word or "", word) if word is not None else None
    if word not in _POLICIES or word is None:
        expected = "auto, off, minimal, low, medium, high, or xhigh"
        raise thrown_text(f"reasoning_policy: expected {expected}; got {quoted(value)}")
    return word


def _scale(value: Any) -> str:
    if value in (None, "", "auto"):
        return "medium"
    if type(value) is not str or value not in _SCALES:
        raise thrown_text(f"reasoning_scale: expected small, medium, large, or auto; got {quoted(value)}")
    return str(value)


def _task(options: Mapping[str, Any]) -> str:
    task = options.get("reasoning_task")
    if task is not None:
        if type(task) is not str or task not in _TASKS:
            expected = "chat, agent, code, verify, or summarize"
            raise thrown_text(f"reasoning_task: expected {expected}; got {quoted(task)}")
        return task
    profile = {"verifier": "verify", "completer": "summarize"}.get(str(options.get("profile")))
    return profile or ("agent" if options.get("tools") else "chat")


def _automatic(row: Dict, task: str, scale: str) -> str:
    override = row["auto_reasoning_overrides"].get(task)
    if override is not None:
        return str(override)
    if task == "summarize":
        return "off"
    if task == "verify":
        return "low"
    if task == "chat" and scale != "large":
        return "off"
    return {"small": "low", "medium": "medium", "large": "high"}[scale]


def _lowered(row: Dict, level: str) -> Dict | None:
    modes = row["thinking_modes"]
    if row["reasoning_effort_supported"]:
        return {"mode": "effort", "level": _nearest(row, level)}
    if not modes:
        return None
    if level == "off":
        return {"mode": "disabled"}
    if "enabled" in modes:
        return {"mode": "enabled", "budget_tokens": _BUDGETS[level]}
    return {"mode": "adaptive"}


def _nearest(row: Dict, level: str) -> str:
    """Give the level itself, the nearest listed lower one, or else the nearest higher one."""
    listed = row["reasoning_effort_levels"]
    if level == "off":
        level = "none" if row["reasoning_none_supported"] else (listed[0] if listed else "minimal")
    if not listed or level in listed:
        return level
    rank = _ORDER.index(level)
    lower = [known for known in listed if _ORDER.index(known) < rank and known != "none"]
    return str(lower[-1] if lower else next(known for known in listed if known != "none"))
