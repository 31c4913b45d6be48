"""Tool declarations of a call in the form that OpenAI-compatible servers and the mock take (llm 5.1)."""

from __future__ import annotations

from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dict = dict[str, Any]

_TYPES = {
    "int": "integer", "integer": "integer", "float": "number", "number": "number", "bool": "boolean",
    "boolean": "boolean", "list": "array", "array": "array", "dict": "object", "object": "object",
    "string": "string",
}  # fmt: skip


def native_tools(tools: Any) -> list[Dict] | None:
    """Give ``[{type: "function", function: {name, description, parameters}}]``, or ``None`` without tools."""
    if tools is None:
        return None
    if type(tools) is dict:
        if type(tools.get("tools")) is not list:
            raise thrown_text("tools must be a tool_registry or a list of tool definition dicts")
        tools = tools["tools"]
    if type(tools) is not list:
        raise thrown_text("tools must be a tool_registry or a list of tool definition dicts")
    return [_native(tool) for tool in tools] or None


def definitions(tools: Any) -> list[Dict]:
    """Give ``{name, description, parameters, compact?}`` of each tool, for a contract in words."""
    listed = tools["tools"] if type(tools) is dict else tools
    return [
        {**native["function"], **({"compact": True} if tool.get("compact") else {})}
        for tool, native in zip(listed, native_tools(listed) or [], strict=True)
    ]


def _native(tool: Any) -> Dict:
    if type(tool) is str:
        raise thrown_text("tools must be declared as tool definition dicts or a tool_registry")
    if type(tool) is dict and tool.get("name") is None and type(tool.get("function")) is dict:
        tool = tool["function"]  # the shape of the OpenAI wire, which registries may hold too (agent 2.2)
    if type(tool) is not dict or type(tool.get("name")) is not str:
        raise thrown_text("tools must contain only tool definition dicts")
    function = {
        "name": tool["name"],
        "description": tool.get("description") or "",
        "parameters": parameters_schema(tool.get("parameters")),
    }
    return {"type": "function", "function": function}


def parameters_schema(parameters: Any) -> Dict:
    """Give the JSON Schema object of a tool's parameters."""
    specs: Dict = parameters if type(parameters) is dict else {}
    if specs.get("type") == "object":
        return specs
    names = sorted(specs)
    return {
        "type": "object",
        "properties": {name: _property(specs[name]) for name in names},
        "required": [name for name in names if _is_required(specs[name])],
        "additionalProperties": False,
    }


def _property(spec: Any) -> Dict:
    if type(spec) is dict:
        return {key: value for key, value in sorted(spec.items()) if key != "required" or type(value) is list}
    text = spec if type(spec) is str else "string"
    known = _TYPES.get(text)
    return {"type": known} if known else {"type": "string", "description": text}


def _is_required(spec: Any) -> bool:
    if type(spec) is not dict:
        return True
    required = spec.get("required")
    return required if type(required) is bool else "default" not in spec


def tool_choice_of(choice: Any) -> Any:
    """Give the wire form of ``tool_choice``."""
    if choice is None or choice in ("auto", "none", "required"):
        return choice
    if choice == "any":
        return "required"
    if type(choice) is dict and type(choice.get("name")) is str:
        return {"type": "function", "function": {"name": choice["name"]}}
    raise thrown_text('tool_choice: expected "auto", "none", "required", "any" or {name}')
