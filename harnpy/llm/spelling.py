"""Finds the name that a misspelt one was meant to be (llm 2.5)."""

from __future__ import annotations

from harnpy.edit_distance import edit_distance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """Give the nearest known name that is close enough; of equal ones the first in the alphabet."""
    limit = 3 if len(name) > 8 else 2
    near = (other for other in known if abs(len(other) - len(name)) <= limit)
    distance, found = min(((edit_distance(name, other), other) for other in near), default=(limit + 1, ""))
    return found if distance <= limit else None


def close_to(name: object, known: Iterable[str]) -> str:
    """Give `` — did you mean `X`?`` when a known name is close, else nothing."""
    found = closest(name, known) if type(name) is str else None
    return "" if found is None else f" — did you mean `{found}`?"


def slip(given: Iterable[str], known: Iterable[str]) -> str | None:
    """Tell the first name that nobody knows and that is close to a known one: where other names may stand beside."""
    names = tuple(known)
    found = next((name for name in sorted(given) if name not in names and closest(name, names) is not None), None)
    return None if found is None else f"unknown option `{found}`{close_to(found, names)}"


def near_miss(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that ``name`` is surely a slip of: where any name may stand, few are close by chance."""
    names = sorted(known)
    if len(name) < 5 or name[0] == "_" or name in names:
        return None
    most = 2 if len(name) >= 8 else 1 if len(name) >= 6 else 0
    for other in names:
        near = abs(len(other) - len(name)) <= most and edit_distance(name, other) <= most
        if near or (len(other) == len(name) and sorted(other) == sorted(name)):
            return other
    return None
