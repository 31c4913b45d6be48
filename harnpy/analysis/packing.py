"""Turns resolved trees into bytes and back, for the module cache.

The bytes are a marshal dump (format 4, the same on every supported Python) of plain data: a node is
a list of its class's number and its fields; a tuple that holds nodes is a list that begins with
``_TUPLE``; the body of a function is a dump of its own, read when it is needed. Nothing is imported or
executed while reading.
"""

from __future__ import annotations

import gc
import marshal
from sys import intern

from harnpy.analysis import resolved as R

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FORMAT = 4
_TUPLE, _LIST, _DICT = -1, -2, -3

_CLASSES: list[type[R.Node]] = [
    kind for kind in vars(R).values() if isinstance(kind, type) and issubclass(kind, R.Node)
]
_NUMBERS = {kind: number for number, kind in enumerate(_CLASSES)}
# Changes with every change of the tree's shape.
LAYOUT = ";".join([kind.__name__ + ":" + ",".join(kind.FIELDS) for kind in _CLASSES])
_FUNCTION_FIELDS = tuple([name for name in R.Function.FIELDS if name != "body"])


def pack(tree: R.Module | R.Block) -> bytes:
    """Give ``tree`` as bytes."""
    return marshal.dumps(_pack(tree), _FORMAT)


def unpack(data: bytes) -> R.Module:
    """Give the module in ``data``, which must come from ``pack``."""
    module = _load(data)
    if type(module) is not R.Module:
        raise ValueError("not a module")
    return module


def unpack_body(data: bytes) -> R.Block:
    """Give the body of a function that stayed packed."""
    body: R.Block = _load(data)
    return body


def _load(data: bytes) -> Any:
    # As in ``resolve``: many new objects, none of them garbage.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _unpack(marshal.loads(data))  # noqa: S302 (only bytes that carry our own digest get here)
    finally:
        if collecting:
            gc.enable()


def _pack(value: Any) -> Any:
    kind = type(value)
    number = _NUMBERS.get(kind)
    if kind is R.Function:
        fields = [_pack(getattr(value, name)) for name in _FUNCTION_FIELDS]
        return [number, *fields, pack(value.body)]
    if number is not None:
        return [number, *[_pack(getattr(value, name)) for name in kind.FIELDS]]
    if kind is tuple:
        packed = [_pack(item) for item in value]
        return [_TUPLE, *packed] if list in map(type, packed) else tuple(packed)
    if kind is list:
        return [_LIST, *[_pack(item) for item in value]]
    if kind is dict:
        return [_DICT, *[(_pack(key), _pack(item)) for key, item in value.items()]]
    # Python has each text of one character once, and marshal writes whether it is interned: whether some module has
    # done that must not show in the bytes.
    return intern(value) if kind is str and len(value) == 1 else value


def _unpack(data: list[Any]) -> Any:
    number = data[0]
    if number >= 0:
        kind = _CLASSES[number]
        if kind is R.Function:
            return _unpack_function(data)
        return kind(*[_unpack(item) if type(item) is list else item for item in data[1:]])
    items = [_unpack(item) if type(item) is list else item for item in data[1:]]
    if number == _TUPLE:
        return tuple(items)
    if number == _LIST:
        return items
    return {key: _unpack(item) if type(item) is list else item for key, item in items}


def _unpack_function(data: list[Any]) -> R.Function:
    function = R.Function.__new__(R.Function)
    values = iter(data)
    next(values)
    for name in _FUNCTION_FIELDS:
        value = next(values)
        setattr(function, name, _unpack(value) if type(value) is list else value)
    function.packed = next(values)  # type: ignore[attr-defined]
    return function
