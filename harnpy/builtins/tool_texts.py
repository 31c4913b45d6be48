"""Tool registries as texts for people and models (builtins 1.18)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.builtins.json_writing import compact_json
from harnpy.builtins.tools import entries_of, entry_name, input_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _sorted_entries(name: str, tools: Any) -> list[dict[str, Any]]:
    entries = [entry for entry in entries_of(name, tools) if type(entry) is dict]
    return sorted(entries, key=lambda entry: text(entry_name(entry)))


def _type_text(spec: Any) -> str:
    if type(spec) is dict:
        spec = spec.get("type", "any")
        if type(spec) is list:
            return "|".join([text(part) for part in spec])
    return text(spec)


def _parameters(entry: dict[str, Any]) -> list[tuple[str, Any]]:
    specs = entry.get("parameters")
    if type(specs) is dict and specs.get("type") in ("object", "dict"):
        specs = specs.get("properties")
    return [(name, specs[name]) for name in sorted(specs)] if type(specs) is dict else []


def tool_describe(tools: Any = None) -> str:
    """List the tools with their parameters, one a line."""
    lines = ["Available tools:"]
    for entry in _sorted_entries("tool_describe", tools):
        parameters = ", ".join([f"{name}: {_type_text(spec)}" for name, spec in _parameters(entry)])
        lines.append(f"- {text(entry_name(entry))}({parameters}): {text(entry.get('description') or '')}")
        if entry.get("outputSchema") is not None:
            lines.append(f"  returns {_type_text(entry['outputSchema'])}")
    return "\n".join(lines if len(lines) > 1 else [*lines, "(none)"])


def tool_prompt(tools: Any = None) -> str:
    """Give a text that tells a model which tools there are and how to call them."""
    entries = _sorted_entries("tool_prompt", tools)
    if not entries:
        return "No tools are available."
    lines = [
        "These tools can be called:",
        "",
    ]
    for entry in entries:
        lines.append(f"## {text(entry_name(entry))}")
        if entry.get("description"):
            lines.append(text(entry["description"]))
        lines += [f"Arguments (JSON Schema): {compact_json(input_schema(entry.get('parameters')))}", ""]
    lines += [
        "To call a tool, write its name and arguments as one JSON object between these tags:",
        '<tool_call>{"name": "tool name", "arguments": {}}</tool_call>',
    ]
    return "\n".join(lines)
