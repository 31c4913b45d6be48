"""Names of value kinds for error texts; values of the language are told by their ``type_name``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLAIN = {
    type(None): "nil", bool: "bool", int: "int", float: "float", str: "string", bytes: "bytes", list: "list",
    dict: "dict",
}  # fmt: skip


def kind_of(value: Any) -> str:
    """Give the name that the language has for the kind of ``value``."""
    name: str = _PLAIN.get(type(value)) or getattr(value, "type_name", None) or type(value).__name__
    return name


def quoted(value: Any) -> str:
    """Show a wrong value: a string in quotes, anything else by its kind."""
    return f'"{value}"' if type(value) is str else kind_of(value)
