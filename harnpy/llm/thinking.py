"""The reasoning mode of a call, from the options ``thinking`` and ``effort`` (llm 4.1)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.kinds import kind_of, quoted
from harnpy.llm.spelling import close_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LEVELS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_MODES = ("disabled", "enabled", "adaptive", "effort")
_FIELDS = ("budget_tokens", "level", "mode")
# Beside a ``thinking`` that was worked out from a reasoning policy: for which route, and how.
POLICY_APPLIED = "_agent_reasoning_policy_applied"
_FORM = ' (expected {mode?, budget_tokens?} or {mode: "effort", level})'
_LEVEL_WORDS = " | ".join(f'"{level}"' for level in LEVELS)


def thinking_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the internal form ``{mode, budget_tokens?, level?}``; ``effort`` beats ``thinking``."""
    thinking = _thinking(options.get("thinking"))
    effort = options.get("effort")
    if effort is None:
        return thinking
    if effort not in LEVELS or type(effort) is not str:
        raise thrown_text(f"effort: expected {_LEVEL_WORDS}, got {quoted(effort)}")
    if thinking["mode"] not in ("disabled", "effort"):
        raise thrown_text("effort cannot be combined with a non-disabled thinking option")
    return {"mode": "effort", "level": effort}


def _thinking(value: Any) -> dict[str, Any]:
    if value is None or value is False:
        return {"mode": "disabled"}
    if value is True:
        return {"mode": "enabled"}
    if value == "adaptive":
        return {"mode": "adaptive"}
    if type(value) is str:
        raise thrown_text(
            f'thinking: string value "{value}" is not accepted — use `thinking: true`/`false`, '
            '`thinking: "adaptive"`, or `thinking: {budget_tokens: N}`; for a reasoning-effort level use the '
            '`effort` option (e.g. `effort: "high"`)'
        )
    if type(value) is dict:
        return _thinking_dict(value)
    raise thrown_text(f'thinking: expected a bool, "adaptive" or a dict, got {kind_of(value)}')


def _thinking_dict(value: dict[str, Any]) -> dict[str, Any]:
    for key in sorted(value):
        if key not in _FIELDS:
            raise thrown_text(f"thinking: unknown field `{key}`{close_to(key, _FIELDS) or _FORM}")
    mode, budget, level = value.get("mode"), value.get("budget_tokens"), value.get("level")
    if mode is None:
        if level is not None:
            raise thrown_text(
                'thinking.level: goes with mode "effort" — use the `effort` option (e.g. `effort: "high"`)'
            )
        mode = "enabled"
    if mode not in _MODES or type(mode) is not str:
        hint = close_to(mode, _MODES)
        raise thrown_text(
            f'thinking.mode: expected "disabled", "enabled", "adaptive" or "effort", got {quoted(mode)}{hint}'
        )
    result: dict[str, Any] = {"mode": mode}
    if budget is not None:
        if mode != "enabled":
            raise thrown_text(f'thinking.budget_tokens: goes with mode "enabled", not with "{mode}"')
        if type(budget) is not int or budget < 1:
            raise thrown_text("thinking.budget_tokens: must be positive")
        result["budget_tokens"] = budget
    if mode == "effort":
        if level not in LEVELS or type(level) is not str:
            raise thrown_text(f"thinking.level: expected {_LEVEL_WORDS}, got {quoted(level)}")
        result["level"] = level
    elif level is not None:
        raise thrown_text(f'thinking.level: goes with mode "effort", not with "{mode}"')
    return result
