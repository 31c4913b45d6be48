"""UUIDs (builtins 1.11); random ones come from the run's generator."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

NAMESPACES = {
    name: f"6ba7b81{digit}-9dad-11d1-80b4-00c04fd430c8"
    for name, digit in (("dns", 0), ("url", 1), ("oid", 2), ("x500", 4))
}

_VARIANT = 0b10 << 62


def _hyphenated(number: int) -> str:
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def uuid(ctx: Context) -> str:
    """Make a random UUID (version 4)."""
    return from_bits(ctx.random.getrandbits(128))


def from_bits(bits: int) -> str:
    """Make a version 4 UUID of 128 random bits."""
    cleared = bits & ~(0xF << 76) & ~(0b11 << 62)
    return _hyphenated(cleared | 4 << 76 | _VARIANT)


def uuid_v7(ctx: Context) -> str:
    """Make a UUID that sorts by time (version 7)."""
    bits = ctx.random.getrandbits(74)
    high, low = bits >> 62, bits & (2**62 - 1)
    ms = ctx.clock.now_ms() & (2**48 - 1)
    return _hyphenated(ms << 80 | 7 << 76 | high << 64 | _VARIANT | low)


def uuid_nil() -> str:
    """Give the UUID of all zeros."""
    return _hyphenated(0)


def _parsed(value: Any) -> str | None:
    if type(value) is not str:
        return None
    digits = value.strip().lower().removeprefix("urn:uuid:")
    if digits.startswith("{") and digits.endswith("}"):
        digits = digits[1:-1]
    plain = digits.replace("-", "")
    if len(plain) != 32 or any(digit not in "0123456789abcdef" for digit in plain):
        return None
    canonical = _hyphenated(int(plain, 16))
    return canonical if digits in (plain, canonical) else None


def uuid_parse(value: Any = None) -> str | None:
    """Give a UUID in lower case with its hyphens, or nil for what is none."""
    return _parsed(value)


def uuid_v5(namespace: Any = ABSENT, name: Any = ABSENT) -> str:
    """Make the UUID (version 5) of a name in the namespace that another UUID, or ``dns``, ``url``, ``oid`` or
    ``x500``, names.
    """
    if name is ABSENT:
        raise runtime_error("uuid_v5(namespace, name): requires namespace and name")
    known = NAMESPACES.get(text(namespace)) or _parsed(namespace)
    if known is None:
        raise runtime_error("uuid_v5: namespace must be a UUID or one of dns/url/oid/x500")
    from uuid import UUID, uuid5

    return str(uuid5(UUID(known), text(name)))
