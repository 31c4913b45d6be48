"""Skill registries: what a ``skill`` declaration enters (language 14)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, is_callable, text
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KIND = "skill_registry"

_FIELDS = {
    **dict.fromkeys(("description", "when_to_use", "prompt", "invocation", "model", "effort"), "string"),
    **dict.fromkeys(("paths", "allowed_tools", "mcp"), "list"),
}
_HOOKS = ("on_activate", "on_deactivate")


def _fault(message: str) -> HarnError:
    return thrown_text(f"skill_define: {message}")


def skill_registry() -> dict[str, Any]:
    """Give an empty registry."""
    return {"_type": KIND, "skills": []}


def skill_define(registry: Any = ABSENT, name: Any = ABSENT, config: Any = ABSENT) -> dict[str, Any]:
    """Give a registry with a skill appended; an older one of the same name goes."""
    if config is ABSENT:
        raise _fault("requires registry, name, and config dict")
    if type(registry) is not dict or registry.get("_type") != KIND or type(registry.get("skills")) is not list:
        raise _fault("first argument must be a skill registry (created with skill_registry())")
    if type(config) is not dict:
        raise _fault("config must be a dict")
    for field, wanted in _FIELDS.items():
        value = config.get(field)
        if value is not None and type_of(value) != wanted:
            raise _fault(f"`{field}` must be a {wanted}, got {type_of(value)}")
    for hook in _HOOKS:
        value = config.get(hook)
        if value is not None and not is_callable(value):
            raise _fault(f"`{hook}` must be a closure, got {type_of(value)}")
    entry = {**config, "name": text(name)}
    kept = [other for other in registry["skills"] if type(other) is not dict or other.get("name") != entry["name"]]
    return {**registry, "skills": [*kept, entry]}
