"""``hash_value``: a stable 64-bit hash over the structure of a value (builtins 1.2)."""

from __future__ import annotations

from harnpy.errors import runtime_error
from harnpy.runtime.convert import wrap
from harnpy.runtime.display import display
from harnpy.runtime.equality import STEPS
from harnpy.runtime.values import Duration, SetValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OFFSET = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_MASK = 0xFFFFFFFFFFFFFFFF


def hash_value(value: Any = None) -> int:
    """Give a hash of the contents of a value, FNV-1a with 64 bits, as a signed int: equal values have equal ones."""
    digest = _OFFSET
    for byte in _encoding(value).encode("utf-8", "replace"):
        digest = ((digest ^ byte) * _PRIME) & _MASK
    return wrap(digest)


class _Text:
    """A finished piece of the encoding among values that wait."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


_COMMA, _LIST_END, _DICT_END = _Text(","), _Text("]"), _Text("}")


def _encoding(value: Any) -> str:
    parts: list[str] = []
    pending: list[Any] = [value]
    for _ in STEPS:
        if not pending:
            return "".join(parts)
        item = pending.pop()
        if type(item) is _Text:
            parts.append(item.text)
        elif type(item) is list:
            parts.append("L")
            pending.append(_LIST_END)
            for member in reversed(item):
                pending += (_COMMA, member)
        elif type(item) is dict:
            parts.append("D")
            pending.append(_DICT_END)
            for key in sorted(item, reverse=True):
                pending += (_COMMA, item[key], _Text(f"{len(key.encode())}:{key}="))
        else:
            parts.append(_flat(item))
    raise runtime_error("the value is too large to be hashed")


def _flat(value: Any) -> str:
    kind = type(value)
    if value is None:
        return "N"
    if kind is bool:
        return "T" if value else "F"
    if kind is int:
        return f"i{value};"
    if kind is float:
        return _float(value)
    if kind is str:
        return f"s{len(value.encode('utf-8', 'replace'))}:{value}"
    if kind is bytes:
        return f"b{value.hex()};"
    if kind is Duration:
        return f"d{value.ms};"
    if kind is SetValue:
        members = sorted([_encoding(member) for member in value.members.values()])
        return "S" + "".join([member + "," for member in members]) + "}"
    name, shown = type_of(value), display(value)
    return f"o{len(name)}:{name}{len(shown.encode('utf-8', 'replace'))}:{shown}"


def _float(value: float) -> str:
    # 1 and 1.0 are one set member, so they have one encoding.
    if value.is_integer() and abs(value) < 2**63:
        return f"i{int(value)};"
    import struct

    return f"f{struct.unpack('<Q', struct.pack('<d', value))[0]};"
