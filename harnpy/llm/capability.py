"""What a route can do: the capability row of a provider and a model id (llm 11.3)."""

from __future__ import annotations

from harnpy.llm.data_files import data_file
from harnpy.llm.glob import fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.catalog import Catalog

    Row = dict[str, Any]

_OFF: Row = {
    "native_tools": False, "preferred_tool_format": None, "tool_search": [], "defer_loading": False,
    "max_tools": None, "prompt_caching": False, "prompt_cache_ttls": [], "vision_supported": False,
    "audio_supported": False, "pdf_supported": False, "files_api_supported": False, "structured_output": None,
    "thinking_modes": [], "reasoning_effort_supported": False, "reasoning_none_supported": False,
    "reasoning_effort_levels": [], "reasoning_disable_supported": False, "interleaved_thinking_supported": False,
    "temperature_supported": True, "requires_completion_tokens": False, "supports_assistant_prefill": False,
    "thinking_disable_directive": None, "emits_inline_reasoning": False, "auto_reasoning_overrides": {},
}  # fmt: skip
_SELECTORS = ("match", "model_match", "version_min", "extends", "by_model")
# The fields that a row states: a row of the user what stands in it, a built-in row all but those in its ``by_model``.
_STATED = "_stated"
_CACHE_LIMIT = 1000
_NOT_KEPT: Row = {}
_NO_RULES: dict[str, list[Row]] = {}


def version_of(model: str) -> list[int]:
    """Give ``[major, minor]`` of the version in a model id: ``claude-opus-4-7`` is ``[4, 7]``; dates are none."""
    import re

    found = re.search(r"(?<![\d.])(\d{1,2})(?:[-.](\d{1,2}))?(?![\d])", model)
    return [int(found[1]), int(found[2] or 0)] if found else [0, 0]


def capability_row(provider: str, model: str, rules: dict[str, list[Row]] = _NO_RULES) -> Row | None:
    """Give the capabilities of a route, or ``None`` when no row fits; ``rules`` of the user come first."""
    name = model.lower()
    own_rule = _first(provider, name, rules.get(provider, []))
    if own_rule is not None:
        return own_rule
    if provider == "mock":
        return _first("anthropic", name) or _first("openai", name)
    if provider == "openrouter":
        vendor, slash, rest = name.partition("/")
        row = _first(vendor, rest) if slash and vendor in ("anthropic", "openai") else None
        return None if row is None else {**row, "structured_output": "native", "files_api_supported": False}
    own = _first(provider, name)
    family = data_file("capabilities.toml")["provider_family"].get(provider)
    return own if own is not None or family is None else _first(family, name)


def kept_row(provider: str, model: str, catalog: Catalog) -> Row | None:
    """Give the capabilities of a route under a catalog; every call asks, so the answers are kept."""
    kept, key = catalog.capability_rows, (provider, model)
    row = kept.get(key, _NOT_KEPT)  # one look: runs in other threads may clear the rows at any moment
    if row is _NOT_KEPT:
        if len(kept) >= _CACHE_LIMIT:
            kept.clear()
        row = kept[key] = capability_row(provider, model, catalog.capability_rules)
    return row


def _first(provider: str, name: str, rules: list[Row] | None = None) -> Row | None:
    data = data_file("capabilities.toml")
    for row in data["provider"].get(provider, []) if rules is None else rules:
        if not any(fits(glob.lower(), name) for glob in _globs(row)):
            continue
        if version_of(name) < row.get("version_min", [0, 0]):
            continue
        base = data["base"].get(row.get("extends"), {})
        own = {**base, **{key: value for key, value in row.items() if key not in _SELECTORS}}
        stated = frozenset(own) if rules is not None else frozenset(_OFF).difference(row.get("by_model", ()))
        return {**_OFF, **own, _STATED: stated}
    return None


def is_stated(row: Row, field: str) -> bool:
    """Tell whether a row says anything about ``field``: what it leaves out is not known."""
    return field in row[_STATED]


def overridden(row: Row | None, fields: Row) -> Row:
    """Give a row with the fields that one call sets itself."""
    stated = frozenset(fields) | (frozenset() if row is None else row.get(_STATED, frozenset(_OFF)))
    return {**(row or _OFF), **fields, _STATED: stated}


def _globs(row: Row) -> list[str]:
    globs: Any = row.get("model_match") or row.get("match") or "*"
    return [globs] if type(globs) is str else list(globs)


def capability_fault(key: str, value: Any) -> str | None:
    """Tell what is wrong with one field of a capability row."""
    if key in ("match", "model_match", "extends"):
        globs = type(value) is list and key != "extends" and all(type(glob) is str for glob in value)
        good = type(value) is str or globs
        if key == "extends" and good and value not in data_file("capabilities.toml")["base"]:
            return f'unknown base "{value}"'
        return None if good else "expected a glob or a list of globs"
    if key == "version_min":
        good = type(value) is list and len(value) == 2 and all(type(part) is int for part in value)
        return None if good else "expected [major, minor]"
    if key == "sampling_needs_no_effort":
        return None if type(value) is bool else "expected a bool"
    if key not in _OFF:
        return "unknown capability"
    usual = _OFF[key]
    if usual is None or type(value) is type(usual):
        return None
    return f"expected a {'bool' if usual is False or usual is True else 'list' if usual == [] else 'table'}"


def capabilities_of(provider: str, model: str, rules: dict[str, list[Row]] = _NO_RULES) -> Row:
    """Give the capabilities of a route; without a row everything is off."""
    row = capability_row(provider, model, rules) or _OFF
    return {key: row[key] for key in _OFF}
