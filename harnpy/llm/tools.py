"""Tool declarations of a call in the form that OpenAI-compatible servers and the mock take (llm 5.1)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.kinds import kind_of, quoted
from harnpy.llm.spelling import close_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dict = dict[str, Any]

# The types of JSON Schema by the words that a parameter may have for them.
PARAMETER_TYPES = {
    "int": "integer", "integer": "integer", "float": "number", "number": "number", "bool": "boolean",
    "boolean": "boolean", "list": "array", "array": "array", "dict": "object", "object": "object",
    "string": "string",
}  # fmt: skip


# Fields of a definition that a call reads, and those that look like one of them without being a slip.
_CHECKED = ("defer_loading", "description", "namespace", "parameters")
_PARAMETERS = ("parameters", "inputSchema", "input_schema")
_FIELDS = (*_CHECKED, "name", "returns", "handler", "compact", "outputSchema")


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
    native = [_native(index, tool) for index, tool in enumerate(tools)]
    names: set[str] = set()
    for tool in native:
        name = tool["function"]["name"]
        if name in names:
            raise thrown_text(f'tools: two tools are named "{name}"')
        names.add(name)
    return native or None


def definitions(tools: Any) -> list[Dict]:
    """Give ``{name, description, parameters, compact?}`` of each tool, for a contract in words."""
    listed = tools["tools"] if type(tools) is dict else tools
    return [
        {**native["function"], **({"compact": True} if tool.get("compact") else {})}
        for tool, native in zip(listed, native_tools(listed) or [], strict=True)
    ]


def _native(index: int, tool: Any) -> Dict:
    if type(tool) is str:
        raise thrown_text("tools must be declared as tool definition dicts or a tool_registry")
    if type(tool) is dict and tool.get("name") is None and type(tool.get("function")) is dict:
        tool = tool["function"]  # the shape of the OpenAI wire, which registries may hold too (agent 2.2)
    if type(tool) is not dict or type(tool.get("name")) is not str:
        raise thrown_text("tools must contain only tool definition dicts")
    _check_definition(index, tool)
    function = {
        "name": tool["name"],
        "description": tool.get("description") or "",
        "parameters": parameters_schema(_parameters(tool)),
    }
    return {"type": "function", "function": function}


def _parameters(tool: Dict) -> Any:
    """Give the parameters of a tool, which others write as a schema of its input."""
    return next((tool[key] for key in _PARAMETERS if tool.get(key) is not None), None)


def _check_definition(index: int, tool: Dict) -> None:
    name, place = tool["name"], f"tools[{index}]"
    if not name.strip():
        raise thrown_text(f"{place}: `name` must not be empty")
    # Registries carry further fields of their own: only what looks like a slip is refused.
    for key in sorted(tool):
        hint = "" if key in _FIELDS else close_to(key, _CHECKED)
        if hint:
            raise thrown_text(f'{place} ("{name}"): unknown field `{key}`{hint}')
    for key, kind, words in (("description", str, "a string"), *((key, dict, "a dict") for key in _PARAMETERS)):
        if tool.get(key) is not None and type(tool[key]) is not kind:
            raise thrown_text(f'{place} ("{name}"): `{key}` must be {words}, got {kind_of(tool[key])}')
    parameters = tool.get("parameters") or {}
    if parameters.get("type") == "object":
        _check_schema(f'{place} ("{name}"): `parameters', parameters)


def _check_schema(place: str, schema: Dict) -> None:
    properties, required = schema.get("properties"), schema.get("required")
    if properties is not None and type(properties) is not dict:
        raise thrown_text(f"{place}.properties` must be a dict, got {kind_of(properties)}")
    if required is not None and (type(required) is not list or any(type(key) is not str for key in required)):
        raise thrown_text(f"{place}.required` must be a list of strings")


def parameters_schema(parameters: Any) -> Dict:
    """Give the JSON Schema object of a tool's parameters."""
    specs: Dict = parameters if type(parameters) is dict else {}
    if specs.get("type") == "object":
        return specs
    names = sorted(specs)
    return {
        "type": "object",
        "properties": {name: _property(specs[name]) for name in names},
        "required": [name for name in names if is_required(specs[name])],
        "additionalProperties": False,
    }


def _property(spec: Any) -> Dict:
    if type(spec) is dict:
        return {key: value for key, value in sorted(spec.items()) if key != "required" or type(value) is list}
    text = spec if type(spec) is str else "string"
    known = PARAMETER_TYPES.get(text)
    return {"type": known} if known else {"type": "string", "description": text}


def is_required(spec: Any) -> bool:
    """Tell whether a call must give the parameter of ``spec``: unless it says otherwise or has a default."""
    if type(spec) is not dict:
        return True
    required = spec.get("required")
    return required if type(required) is bool else "default" not in spec


def tool_choice_of(choice: Any, tools: list[Dict] | None, provider_tools: Any) -> Any:
    """Give the wire form of ``tool_choice``; a tool that it names must be there."""
    if choice is None or choice in ("auto", "none"):
        return choice
    if choice in ("required", "any"):
        if not tools and not provider_tools:
            raise thrown_text(f'tool_choice: "{choice}" needs `tools`')
        return "required"
    if type(choice) is not dict or type(choice.get("name")) is not str or len(choice) != 1:
        hint = close_to(choice, ("auto", "none", "required", "any"))
        form = 'expected "auto", "none", "required", "any" or {name}'
        raise thrown_text(f"tool_choice: {form}, got {quoted(choice)}{hint}")
    name = choice["name"]
    names = [tool["function"]["name"] for tool in tools or []]
    if name not in names and not any(type(t) is dict and t.get("name") == name for t in provider_tools or []):
        known = ", ".join(sorted(names)) or "none"
        raise thrown_text(f'tool_choice: there is no tool "{name}" in `tools` (tools: {known}){close_to(name, names)}')
    return {"type": "function", "function": {"name": name}}
