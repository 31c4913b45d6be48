"""What the prompt knows of names: their documentation, and the members of live values."""

from __future__ import annotations

from harnpy.builtins.method_table import METHODS
from harnpy.runtime.values import Closure, Handle, Namespace, StructValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.console import Console
    from harnpy.runtime.context import Context


def look_up(context: Context, console: Console, path: str) -> Any:
    """Give the value of a dotted name such as ``harness.fs`` without running anything; ``None`` when unknown."""
    first, *rest = path.split(".")
    value = context.harness if first == "harness" else console.value(first)
    if value is None:
        value = context.predefined.get(first) or (context.find_builtin(first) if not rest else None)
    for name in rest:
        value = _member(value, name)
    return value


def _member(value: Any, name: str) -> Any:
    if type(value) is Handle:
        found = value.members.get(name)
        return found if found is not None else value.methods.get(name)
    if type(value) is dict:
        return value.get(name)
    if type(value) is StructValue:
        return value.fields.get(name)
    if type(value) is Namespace:
        cell = value.cells.get(name)
        return None if cell is None else cell[0]
    return None


def members(value: Any) -> list[str]:
    """Give the names that may stand behind a dot after ``value``, sorted."""
    names = set(METHODS.get(type_of(value), ()))
    if type(value) is Handle:
        names |= {*value.members, *value.methods.keys()}
    elif type(value) is dict:
        names |= {key for key in value if key.isidentifier()}
    elif type(value) is StructValue:
        names |= {*value.fields, *value.type.methods}
    elif type(value) is Namespace:
        names |= {*value.cells}
    return sorted(name for name in names if not name.startswith("__"))


def documentation(context: Context, console: Console, name: str) -> str | None:
    """Give what the reference says of a name; of a function of this session what stands above it."""
    from harnpy.reference.lookup import find
    from harnpy.reference.modules import declared

    value = look_up(context, console, name)
    if type(value) is Closure:
        entry = declared(value.code.module.source, value.code.function.name)
        if entry is not None:
            return entry.plain()
        return f"fn {value.code.function.name}({', '.join(param.name for param in value.code.function.params)})"
    found = find(name)
    if found:
        return "\n\n".join(entry.plain() for entry in found)
    return None if value is None else f"{name}: a value of kind {type_of(value)}"
