"""Methods of dicts (builtins 2.3); everything is seen in the order of the keys."""

from __future__ import annotations

from harnpy.builtins import collections
from harnpy.builtins.arguments import is_callable
from harnpy.runtime.calls import call
from harnpy.runtime.convert import key_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def keys(fields: dict[str, Any]) -> list[Any]:
    """Give the keys, sorted."""
    return sorted(fields)


def values(fields: dict[str, Any]) -> list[Any]:
    """Give the values in the order of their keys."""
    return collections.values(fields)


def entries(fields: dict[str, Any]) -> list[Any]:
    """Give ``{key, value}`` for every entry, sorted by key."""
    return collections.entries(fields)


def length(fields: dict[str, Any]) -> int:
    """Count the entries."""
    return len(fields)


def has(fields: dict[str, Any], key: Any = "") -> bool:
    """Tell whether there is a key, even if its value is nil."""
    return key_text(key) in fields


def get(fields: dict[str, Any], key: Any = "", default: Any = None) -> Any:
    """Give the value of a key, or the default when there is no such key."""
    return fields.get(key_text(key), default)


def merging(fields: dict[str, Any], other: Any = None) -> dict[str, Any]:
    """Give a dict with the entries of both; those of ``other`` win."""
    return {**fields, **other} if type(other) is dict else fields


def removing(fields: dict[str, Any], key: Any = "") -> dict[str, Any]:
    """Give a dict without a key."""
    name = key_text(key)
    if name not in fields:
        return fields
    rest = fields.copy()
    del rest[name]
    return rest


def map_values(ctx: Context, fields: dict[str, Any], function: Any = None) -> dict[str, Any] | None:
    """Give a dict with ``function(value)`` in the place of every value; nil when it is no function."""
    if not is_callable(function):
        return None
    return {key: call(ctx, function, [fields[key]]) for key in sorted(fields)}


def filtered(ctx: Context, fields: dict[str, Any], test: Any = None) -> dict[str, Any] | None:
    """``filter``: the entries for whose value ``test(value)`` is truthy; nil when it is no function."""
    if not is_callable(test):
        return None
    return {key: fields[key] for key in sorted(fields) if call(ctx, test, [fields[key]])}


def rekeyed(ctx: Context, fields: dict[str, Any], function: Any = None) -> dict[str, Any] | None:
    """Give a dict with ``function(key)`` in the place of every key; of equal results the last one wins."""
    if not is_callable(function):
        return None
    return {key_text(call(ctx, function, [key])): fields[key] for key in sorted(fields)}


def to_dict(fields: dict[str, Any]) -> dict[str, Any]:
    """Give the dict itself."""
    return fields
