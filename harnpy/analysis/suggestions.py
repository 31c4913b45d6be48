"""Finds the visible name that was probably meant (language 4.2)."""

from __future__ import annotations

from harnpy.edit_distance import edit_distance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def closest(name: str, names: Iterable[str]) -> str | None:
    """Give the one of ``names`` with the smallest edit distance to ``name``, if it is near enough.

    Among equals the first in alphabetical order. Names that start with ``__`` are never given.
    """
    limit = 1 if len(name) <= 2 else 2 if len(name) <= 5 else 3
    best: tuple[int, str] | None = None
    for candidate in names:
        if candidate == name or candidate.startswith("__") or abs(len(candidate) - len(name)) > limit:
            continue
        distance = edit_distance(name, candidate)
        if distance <= limit and (best is None or (distance, candidate) < best):
            best = (distance, candidate)
    return None if best is None else best[1]


def hint_text(name: str, names: Iterable[str]) -> str:
    """Give `` (did you mean `y`?)`` or nothing, to be appended to a message about ``name``."""
    near = closest(name, names)
    return "" if near is None else f" (did you mean `{near}`?)"
