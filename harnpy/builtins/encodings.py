"""Base64 and its like, hex, and percent encoding (builtins 1.11)."""

from __future__ import annotations

import binascii
from base64 import b32encode, b64encode, urlsafe_b64encode

from harnpy.builtins.arguments import text
from harnpy.builtins.hashes import raw
from harnpy.errors import HarnError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def _as_text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _fault(name: str, detail: str) -> HarnError:
    return runtime_error(f"{name} decode error: {detail}")


def _check_symbols(name: str, source: str, alphabet: str) -> None:
    for at, symbol in enumerate(source):
        if symbol not in alphabet:
            raise _fault(name, f"invalid symbol '{symbol}' at offset {at}")


def base64_bytes(name: str, source: str) -> bytes:
    """Decode standard base64 with its padding."""
    body = source.rstrip("=")
    _check_symbols(name, body, _BASE64)
    if len(source) % 4 or len(source) - len(body) > 2 or len(body) % 4 == 1:
        raise _fault(name, "invalid padding")
    return binascii.a2b_base64(source)


def hex_bytes(source: str) -> bytes:
    """Decode hex digits."""
    _check_symbols("hex", source, "0123456789abcdefABCDEF")
    if len(source) % 2:
        raise _fault("hex", "odd number of digits")
    return bytes.fromhex(source)


def base64_encode(value: Any = "") -> str:
    """Encode the UTF-8 of a text, or bytes, as base64."""
    return b64encode(raw(value)).decode()


def base64_decode(value: Any = "") -> str:
    """Decode base64 to a text. Errors: throws for what is no base64 or no UTF-8."""
    return _as_text(base64_bytes("base64", text(value)))


def base64url_encode(value: Any = "") -> str:
    """Encode the UTF-8 of a text, or bytes, as base64 for URLs, without padding."""
    return urlsafe_b64encode(raw(value)).decode().rstrip("=")


def base64url_decode(value: Any = "") -> str:
    """Decode base64 for URLs to a text. Errors: throws for what is none or no UTF-8."""
    source = text(value)
    _check_symbols("base64url", source, _BASE64[:-2] + "-_")
    if len(source) % 4 == 1:
        raise _fault("base64url", "invalid length")
    padded = source.replace("-", "+").replace("_", "/") + "=" * (-len(source) % 4)
    return _as_text(binascii.a2b_base64(padded))


def base32_encode(value: Any = "") -> str:
    """Encode the UTF-8 of a text, or bytes, as base32."""
    return b32encode(raw(value)).decode()


def base32_decode(value: Any = "") -> str:
    """Decode base32 to a text. Errors: throws for what is none or no UTF-8."""
    from base64 import b32decode

    source = text(value)
    _check_symbols("base32", source.rstrip("="), _BASE32)
    try:
        return _as_text(b32decode(source))
    except binascii.Error:
        raise _fault("base32", "invalid padding") from None


def hex_encode(value: Any = "") -> str:
    """Encode the UTF-8 of a text, or bytes, as hex digits."""
    return raw(value).hex()


def hex_decode(value: Any = "") -> str:
    """Decode hex digits to a text. Errors: throws for what is none or no UTF-8."""
    return _as_text(hex_bytes(text(value)))


def url_encode(value: Any = "") -> str:
    """Percent-encode everything but RFC 3986's unreserved characters."""
    from urllib.parse import quote

    return quote(text(value), safe="", errors="replace")


def url_decode(value: Any = "") -> str:
    """Decode percent escapes and ``+``; a bad escape stays as it is."""
    from urllib.parse import unquote_plus

    return unquote_plus(text(value))
