"""Bytes (builtins 1.11)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.builtins.encodings import base64_bytes, hex_bytes
from harnpy.errors import runtime_error
from harnpy.runtime.convert import int_option
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _bytes(name: str, position: int, value: Any) -> bytes:
    if value is ABSENT:
        raise runtime_error(f"{name}: missing argument {position}")
    if type(value) is not bytes:
        raise runtime_error(f"{name}: expected bytes at argument {position}, got {type_of(value)}")
    return value


def _given(name: str, value: Any) -> str:
    if value is ABSENT:
        raise runtime_error(f"{name}: missing argument 1")
    return text(value)


def bytes_from_string(value: Any = ABSENT) -> bytes:
    """Give the UTF-8 of a text as bytes."""
    return _given("bytes_from_string", value).encode("utf-8", "replace")


def bytes_from_hex(value: Any = ABSENT) -> bytes:
    """Give the bytes that hex digits stand for. Errors: throws for what is no hex."""
    return hex_bytes(_given("bytes_from_hex", value))


def bytes_from_base64(value: Any = ABSENT) -> bytes:
    """Give the bytes that standard base64 stands for. Errors: throws for what is no base64."""
    return base64_bytes("base64", _given("bytes_from_base64", value))


def bytes_to_string(value: Any = ABSENT) -> str:
    """Read bytes as UTF-8. Errors: throws when they are none."""
    data = _bytes("bytes_to_string", 1, value)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise runtime_error(f"bytes_to_string: invalid UTF-8 at offset {error.start}") from None


def bytes_to_string_lossy(value: Any = ABSENT) -> str:
    """Read UTF-8; what is not valid becomes U+FFFD."""
    return _bytes("bytes_to_string_lossy", 1, value).decode("utf-8", "replace")


def bytes_to_hex(value: Any = ABSENT) -> str:
    """Write bytes as lower-case hex digits."""
    return _bytes("bytes_to_hex", 1, value).hex()


def bytes_to_base64(value: Any = ABSENT) -> str:
    """Write bytes as standard base64, with padding."""
    from base64 import b64encode

    return b64encode(_bytes("bytes_to_base64", 1, value)).decode()


def bytes_len(value: Any = ABSENT) -> int:
    """Count the bytes."""
    return len(_bytes("bytes_len", 1, value))


def bytes_concat(*values: Any) -> bytes:
    """Join any number of bytes values to one."""
    return b"".join([_bytes("bytes_concat", position, value) for position, value in enumerate(values, 1)])


def bytes_slice(value: Any = ABSENT, start: Any = 0, end: Any = None) -> bytes:
    """Give the bytes from ``start`` up to, but without, ``end``; both are clamped."""
    data = _bytes("bytes_slice", 1, value)
    first = max(int_option(start, 0), 0)
    return data[first : max(int_option(end, len(data)), first)]


def bytes_eq(first: Any = ABSENT, second: Any = ABSENT) -> bool:
    """Tell whether two bytes values are equal."""
    return _bytes("bytes_eq", 1, first) == _bytes("bytes_eq", 2, second)
