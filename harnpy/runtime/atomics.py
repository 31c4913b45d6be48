"""Atomics: 64-bit integer cells shared by reference (language 11.6; builtins 1.13)."""

from __future__ import annotations

from harnpy.runtime.values import Value


class Atomic(Value):
    """One cell. Tasks switch only where they wait, so reading and writing it needs no lock."""

    __slots__ = ("value",)
    type_name = "atomic"

    def __init__(self, value: int) -> None:
        self.value = value

    def display_text(self) -> str:
        """Give the display form."""
        return f"<atomic:{self.value}>"

    def equals(self, other: Atomic) -> bool:
        """Two atomics are equal while their values are."""
        return self.value == other.value
