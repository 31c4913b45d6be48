"""Globs in which only ``*`` is special."""

from __future__ import annotations


def fits(glob: str, text: str) -> bool:
    """Tell whether the whole text fits the glob; linear in practice."""
    parts = glob.split("*")
    if len(parts) == 1:
        return glob == text
    first, *middle, last = parts
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return True
