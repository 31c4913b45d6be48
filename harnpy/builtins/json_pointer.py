"""JSON pointers into values (builtins 1.9, RFC 6901)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text, too_few
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def pointer_steps(name: str, pointer: str) -> list[str]:
    """Give the unescaped steps of a pointer."""
    if not pointer:
        return []
    if pointer[0] != "/":
        raise thrown_text(f"{name}: pointer must be empty or start with '/'")
    return [_unescaped(name, step) for step in pointer[1:].split("/")]


def _unescaped(name: str, step: str) -> str:
    if "~" not in step:
        return step
    for part in step.split("~")[1:]:
        if not part:
            at_end = step.endswith("~")
            raise thrown_text(f"{name}: " + ("dangling '~' in pointer" if at_end else "invalid escape '~~' in pointer"))
        if part[0] not in "01":
            raise thrown_text(f"{name}: invalid escape '~{part[0]}' in pointer")
    return step.replace("~1", "/").replace("~0", "~")


def _index(items: list[Any], step: str) -> int | None:
    """Read a plain index into a list: no sign, no leading zero, within the list."""
    if not (step.isascii() and step.isdigit()) or (step[0] == "0" and len(step) > 1) or len(step) > 18:
        return None
    index = int(step)
    return index if index < len(items) else None


_MISSING: Any = object()


def _child(value: Any, step: str) -> Any:
    if type(value) is dict:
        return value.get(step, _MISSING)
    if type(value) is list:
        index = _index(value, step)
        return _MISSING if index is None else value[index]
    return _MISSING


def lookup(value: Any, steps: list[str], default: Any = None) -> Any:
    """Follow steps into ``value``."""
    for step in steps:
        value = _child(value, step)
        if value is _MISSING:
            return default
    return value


def get(value: Any = None, pointer: Any = ABSENT) -> Any:
    """``json_pointer``: the value that a pointer such as ``/items/0/name`` names, or nil."""
    if pointer is ABSENT:
        raise too_few("json_pointer", 2)
    return lookup(value, pointer_steps("json_pointer", text(pointer)))


def put(value: Any = None, pointer: Any = ABSENT, new: Any = ABSENT) -> Any:
    """``json_pointer_set``: a copy with a value put in where a pointer says; a missing parent leaves it unchanged."""
    if new is ABSENT:
        raise too_few("json_pointer_set", 3)
    steps = pointer_steps("json_pointer_set", text(pointer))
    return _changed(value, steps, lambda parent, step: _with_child(parent, step, new)) if steps else new


def delete(value: Any = None, pointer: Any = ABSENT) -> Any:
    """``json_pointer_delete``: a copy without what a pointer names."""
    if pointer is ABSENT:
        raise too_few("json_pointer_delete", 2)
    steps = pointer_steps("json_pointer_delete", text(pointer))
    return _changed(value, steps, _without_child) if steps else None


def _changed(value: Any, steps: list[str], change: Callable[[Any, str], Any]) -> Any:
    """Change the parent of the last step and rebuild the containers above it."""
    above = []
    node = value
    for step in steps[:-1]:
        above.append((node, step))
        node = _child(node, step)
        if node is _MISSING:
            return value
    node = change(node, steps[-1])
    for parent, step in reversed(above):
        node = _with_child(parent, step, node)
    return node


def _with_child(parent: Any, step: str, child: Any) -> Any:
    if type(parent) is dict:
        return {**parent, step: child}
    if type(parent) is not list:
        return parent
    index = _index(parent, step)
    if index is not None:
        return [*parent[:index], child, *parent[index + 1 :]]
    return [*parent, child] if step in ("-", str(len(parent))) else parent


def _without_child(parent: Any, step: str) -> Any:
    if type(parent) is dict:
        return {key: item for key, item in parent.items() if key != step}
    if type(parent) is list:
        index = _index(parent, step)
        if index is not None:
            return parent[:index] + parent[index + 1 :]
    return parent
