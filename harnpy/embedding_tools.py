"""Makes tools of Python functions: their names, descriptions and parameters, and the registry of a session."""

from __future__ import annotations

import functools
import inspect
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from harnpy.embedding_functions import signature_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harnpy.embedding_functions import HostFunctions

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    tuple: "array",
    dict: "object",
}


def described(
    function: Callable[..., Any], name: str | None, description: str | None, parameters: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Give name, description and parameters of a tool; what is not given is that of the function.

    Raises:
        TypeError: It cannot be called, or does not tell what it is called or takes.
    """
    if not callable(function):
        raise TypeError(f"a tool is to be a function, not a {type(function).__name__}")
    own_name = name or getattr(_plain(function), "__name__", None)
    if own_name is None:
        raise TypeError(f"a {type(function).__name__} has no name of its own: define_tool(..., name=...) gives it one")
    text = description if description is not None else _documented(function)
    return {
        "name": own_name,
        "description": " ".join(text.split()),
        "parameters": _parameters_of(function) if parameters is None else dict(parameters),
        "function": function,
    }


def _plain(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _documented(function: Any) -> str:
    """Give the first paragraph of what the function, or the call of an object, says about itself."""
    plain = _plain(function)
    text = plain.__doc__ if inspect.isroutine(plain) else type(plain).__call__.__doc__
    return (text or "").strip().partition("\n\n")[0]


def _parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    signature = signature_of(function)
    if signature is None:
        raise TypeError("this function does not tell its parameters: give them as `parameters`")
    hints = _hints(function)
    found: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind in _NAMED:
            required = parameter.default is inspect.Parameter.empty
            found[name] = {**_schema(hints.get(name)), "required": required}
    return found


def _hints(function: Any) -> dict[str, Any]:
    """Give the type hints; a function whose hints only a type checker can read has none."""
    plain = _plain(function)
    try:
        return get_type_hints(plain if inspect.isroutine(plain) else type(plain).__call__, include_extras=True)
    except (NameError, TypeError):
        return {}


def _schema(hint: Any) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        words = [each for each in arguments[1:] if isinstance(each, str)]
        return {**_schema(arguments[0]), **({"description": words[0]} if words else {})}
    if origin is Literal:
        kinds = {_TYPES.get(type(each)) for each in arguments}
        return {"type": kinds.pop(), "enum": list(arguments)} if len(kinds) == 1 and None not in kinds else {}
    if origin is Union or type(hint).__name__ == "UnionType":
        known = [each for each in arguments if each is not type(None)]
        return _schema(known[0]) if len(known) == 1 else {}
    kind = _TYPES.get(origin or hint)
    if kind is None:
        return {}
    if kind == "array" and arguments and _schema(arguments[0]):
        return {"type": kind, "items": _schema(arguments[0])}
    return {"type": kind}


def tool_registry(functions: HostFunctions, tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Give the registry of the tools of a session."""
    from harnpy.builtins.tool_define import tool_define
    from harnpy.builtins.tools import registry

    made = registry()
    for tool in tools:
        config = {"parameters": tool["parameters"], "handler": functions.handler(tool["name"], tool["function"])}
        made = tool_define(made, tool["name"], tool["description"], config)
    return made
