"""Tool registries: finding, choosing, describing for machines (builtins 1.18)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.builtins.json_reading import parse
from harnpy.builtins.json_writing import quoted
from harnpy.builtins.schema_export import schema_to_json_schema
from harnpy.errors import HarnError, thrown_text
from harnpy.llm.tools import PARAMETER_TYPES, is_required

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KIND = "tool_registry"


def registry() -> dict[str, Any]:
    """``tool_registry``: an empty registry ``{_type: "tool_registry", tools: []}``; every function gives a new one."""
    return {"_type": KIND, "tools": []}


def entries_of(name: str, value: Any) -> list[Any]:
    """Give the entries of a registry."""
    if type(value) is not dict or value.get("_type") != KIND or type(value.get("tools")) is not list:
        raise thrown_text(f"{name}: argument must be a tool registry (created with tool_registry())")
    return value["tools"]  # type: ignore[no-any-return]


def entry_name(entry: Any) -> Any:
    """Give the name of an entry."""
    return entry.get("name") if type(entry) is dict else None


def _without_handler(entry: Any) -> Any:
    if type(entry) is not dict or "handler" not in entry:
        return entry
    return {key: value for key, value in entry.items() if key != "handler"}


def tool_list(tools: Any = None) -> list[Any]:
    """Give the entries of a registry without their handlers."""
    if type(tools) is not dict:
        raise thrown_text("tool_list: requires a tool registry")
    return [_without_handler(entry) for entry in entries_of("tool_list", tools)]


def tool_find(tools: Any = ABSENT, name: Any = ABSENT) -> Any:
    """Give the entry of a tool with its handler, or nil when there is none of that name."""
    if name is ABSENT:
        raise thrown_text("tool_find: requires registry and name")
    for entry in entries_of("tool_find", tools):
        if entry_name(entry) == text(name):
            return entry
    return None


def tool_select(tools: Any = ABSENT, names: Any = ABSENT) -> dict[str, Any]:
    """Give a registry with only the tools in the list ``names``, in the order of the registry."""
    if names is ABSENT or type(names) is not list:
        raise thrown_text("tool_select: requires registry and names list")
    wanted = {text(name) for name in names}
    kept = [entry for entry in entries_of("tool_select", tools) if entry_name(entry) in wanted]
    return {**tools, "tools": kept}


def tool_remove(tools: Any = ABSENT, name: Any = ABSENT) -> dict[str, Any]:
    """Give a registry without the tool of that name."""
    if name is ABSENT:
        raise thrown_text("tool_remove: requires registry and name")
    kept = [entry for entry in entries_of("tool_remove", tools) if entry_name(entry) != text(name)]
    return {**tools, "tools": kept}


def tool_count(tools: Any = None) -> int:
    """Count the tools of a registry."""
    return len(entries_of("tool_count", tools))


def _property(spec: Any) -> dict[str, Any]:
    if type(spec) is dict:
        fragment = {key: value for key, value in spec.items() if key != "required" or type(value) is list}
        return schema_to_json_schema(fragment)
    words = spec if type(spec) is str else "string"
    kind = PARAMETER_TYPES.get(words)
    return {"type": kind} if kind else {"type": "string", "description": words}


def input_schema(parameters: Any) -> dict[str, Any]:
    """Give the JSON Schema of a tool's parameters: names with specs, or a schema already."""
    specs: dict[str, Any] = parameters if type(parameters) is dict else {}
    if specs.get("type") in ("object", "dict"):
        return schema_to_json_schema(specs)
    names = sorted(specs)
    return {
        "type": "object",
        "properties": {name: _property(specs[name]) for name in names},
        "required": [name for name in names if is_required(specs[name])],
    }


def _described(entry: dict[str, Any]) -> dict[str, Any]:
    described = {
        "name": entry_name(entry),
        "description": entry.get("description") or "",
        "inputSchema": input_schema(entry.get("parameters")),
    }
    if entry.get("outputSchema") is not None:
        described["outputSchema"] = entry["outputSchema"]
    return described


def tool_schema(tools: Any = None, components: Any = None) -> dict[str, Any]:
    """Give the tools as ``{schema_version, tools: [{name, description, inputSchema, outputSchema?}], components?}``."""
    entries = [entry for entry in entries_of("tool_schema", tools) if type(entry) is dict]
    schema: dict[str, Any] = {"schema_version": "harn-tools/1.0", "tools": [_described(entry) for entry in entries]}
    if components is not None:
        schema["components"] = components
    return schema


def tool_parse_call(source: Any = "") -> list[Any]:
    """Give the parsed JSON of every ``<tool_call>`` of a text; what is no JSON is skipped."""
    calls = []
    for part in text(source).split("<tool_call>")[1:]:
        body, closing, _ = part.partition("</tool_call>")
        if closing:
            try:
                calls.append(parse(body.strip()))
            except HarnError:
                continue
    return calls


def tool_format_result(name: Any = "", result: Any = "") -> str:
    """Write the result of a tool for a model that calls in text."""
    return f'<tool_result>{{"name": {quoted(text(name))}, "result": {quoted(text(result))}}}</tool_result>'
