"""Tells a model in words which tools there are and how it writes a call into its text (llm 5.2)."""

from __future__ import annotations

from harnpy.llm.tools import parameters_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dict = dict[str, Any]

_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_DEPTH = 6

_TEXT_RULES = """\
## How to answer

Write your whole reply as blocks, with nothing but blank space between them:

- `<tool_call>name({ key: "value" })</tool_call>` calls one tool. One call per block; several blocks are fine.
- `<assistant_prose>...</assistant_prose>` holds what you think or explain.
- `<user_response>...</user_response>` holds the answer for the user.

The argument of a call is one object literal: keys bare or quoted, strings in single or double quotes or backticks.
For long text use a heredoc: `text: <<END`, a line break, the lines, and a line that begins with `END`."""

_JSON_RULES = """\
## How to call tools

To call a tool, write a fenced block of this form, one call per block:

```tool
{"name": "tool_name", "args": {"key": "value"}}
```

Everything outside of such blocks is read as your answer."""


def contract(definitions: list[Dict], tool_format: str) -> str:
    """Give the text for the system prompt; ``definitions`` are ``{name, description, parameters, compact?}``."""
    rules = _TEXT_RULES if tool_format == "text" else _JSON_RULES
    declared = "\n\n".join(_declaration(tool) for tool in definitions)
    return f"{rules}\n\n## Tools\n\n```typescript\n{declared}\n```"


def _declaration(tool: Dict) -> str:
    schema = parameters_schema(tool.get("parameters"))
    head = f"declare function {tool['name']}(args: {_object(schema, 0)}): string;"
    description = " ".join(str(tool.get("description") or "").split())
    if not description:
        return head
    return f"{head} // {description}" if tool.get("compact") else f"/** {description} */\n{head}"


def _object(schema: Dict, depth: int) -> str:
    properties = schema.get("properties")
    if type(properties) is not dict or not properties or depth > _DEPTH:
        return "{}" if depth == 0 else "Record<string, unknown>"
    required = schema.get("required")
    needed = [name for name in sorted(properties) if type(required) is list and name in required]
    names = [*needed, *(name for name in sorted(properties) if name not in needed)]
    fields = (f"{name}{'' if name in needed else '?'}: {_type(properties[name], depth + 1)}" for name in names)
    return "{ " + ", ".join(fields) + " }"


def _type(schema: Any, depth: int) -> str:
    if type(schema) is not dict:
        return "unknown"
    words = schema.get("enum")
    if type(words) is list and words:
        import json

        return " | ".join(json.dumps(word, ensure_ascii=False, default=str) for word in words)
    kind = schema.get("type")
    if type(kind) is list:
        return " | ".join(_type({**schema, "type": one}, depth) for one in kind) or "unknown"
    if kind == "array":
        inner = _type(schema.get("items"), depth + 1)
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind == "object":
        return _object(schema, depth)
    return _PLAIN.get(kind, "unknown") if type(kind) is str else "unknown"
