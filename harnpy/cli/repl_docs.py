"""What the prompt knows of names: their documentation, and the members of live values."""

from __future__ import annotations

import inspect

from harnpy.builtins.method_table import METHODS
from harnpy.runtime.values import Builtin, Closure, Handle, Namespace, StructValue, type_of

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
    """Give the documentation of a name: the doc comment of a Harn function, the summary of a builtin."""
    value = look_up(context, console, name)
    if type(value) is Closure:
        return _of_closure(value)
    if type(value) is Builtin:
        text = inspect.getdoc(value.fn) or ""
        return f"{value.name}: {' '.join(text.split())}" if text else f"{value.name}: a builtin"
    if value is not None:
        return f"{name}: a value of kind {type_of(value)}"
    return None


def _of_closure(closure: Closure) -> str:
    """Give the head of a function and the ``///`` lines above it."""
    function, module = closure.code.function, closure.code.module
    lines = module.source.text.splitlines()
    parameters = ", ".join(param.name for param in function.params)
    head = f"fn {function.name}({parameters})"
    for number, line in enumerate(lines):
        words = line.replace("(", " ").replace("<", " ").split()
        if "fn" in words and words[words.index("fn") + 1 :][:1] == [function.name]:
            above = number
            while above and lines[above - 1].lstrip().startswith("///"):
                above -= 1
            comment = [each.lstrip().removeprefix("///").strip() for each in lines[above:number]]
            return "\n".join([line.strip().rstrip("{").rstrip(), *comment])
    return head
