"""Digests and message authentication (builtins 1.11)."""

from __future__ import annotations

import hashlib
import hmac

from harnpy.builtins.arguments import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def raw(value: Any) -> bytes:
    """Give bytes as they are, and anything else as the UTF-8 of its display form."""
    return value if type(value) is bytes else text(value).encode("utf-8", "replace")


def _digest(name: str, value: Any) -> str:
    return hashlib.new(name, raw(value), usedforsecurity=False).hexdigest()


def sha256(value: Any = "") -> str:
    """Give the SHA-256 digest in hex."""
    return _digest("sha256", value)


def sha224(value: Any = "") -> str:
    """Give the SHA-224 digest in hex."""
    return _digest("sha224", value)


def sha384(value: Any = "") -> str:
    """Give the SHA-384 digest in hex."""
    return _digest("sha384", value)


def sha512(value: Any = "") -> str:
    """Give the SHA-512 digest in hex."""
    return _digest("sha512", value)


def sha512_256(value: Any = "") -> str:
    """Give the SHA-512/256 digest in hex."""
    return _digest("sha512_256", value)


def md5(value: Any = "") -> str:
    """Give the MD5 digest in hex."""
    return _digest("md5", value)


def sha3_256(value: Any = "") -> str:
    """Give the SHA3-256 digest in hex."""
    return _digest("sha3_256", value)


def sha3_512(value: Any = "") -> str:
    """Give the SHA3-512 digest in hex."""
    return _digest("sha3_512", value)


def _code(key: Any, message: Any) -> bytes:
    return hmac.digest(raw(key), raw(message), "sha256")


def hmac_sha256(key: Any = "", message: Any = "") -> str:
    """Give the HMAC-SHA-256 of a message in hex."""
    return _code(key, message).hex()


def hmac_sha256_base64(key: Any = "", message: Any = "") -> str:
    """Give the HMAC-SHA-256 of a message in base64."""
    from base64 import b64encode

    return b64encode(_code(key, message)).decode()


def constant_time_eq(first: Any = "", second: Any = "") -> bool:
    """Compare without telling by the time it takes where the difference lies."""
    return hmac.compare_digest(raw(first), raw(second))
