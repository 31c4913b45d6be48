"""Tells whether a container has one owner, by its reference count, so that an assignment may change it in place.

The code of an assignment holds the container in one Python local. Counted with that local, a
container that only one place owns (a frame slot, a cell, another container) shows ``OWNED_BY_PLACE``; one
that was taken out of its place shows ``OWNED_BY_LOCAL``. Both are measured when this module is
imported, by code of the very form that assignments have. Where the measurement does not come
out as it must, both are 0, which no count ever equals: then every assignment copies. ``HARNPY_COPY_ALWAYS=1`` asks
for that: tests show so that only the speed differs.

From 3.14 on Python leaves out the reference of an argument that is a local (it borrows it), but not behind a ``try``.
Compiled code may have a ``try`` anywhere, so ``PROLOGUE`` puts one in front of each function that counts; what it
counts is measured apart (``WRITTEN_...``).
"""

from __future__ import annotations

from os import environ
from sys import getrefcount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Count = Callable[[list[Any]], int]

PROLOGUE = "        try: pass\n        except FAULTS: raise\n"


def _count_in_place(f: list[Any]) -> int:
    container = f[0]
    return getrefcount(container)


def _count_taken_out(f: list[Any]) -> int:
    container = f[0]
    f[0] = None
    return getrefcount(container)


def _count_in_place_behind(f: list[Any]) -> int:
    try:  # as PROLOGUE does
        pass
    except MemoryError:
        raise
    container = f[0]
    return getrefcount(container)


def _count_taken_out_behind(f: list[Any]) -> int:
    try:
        pass
    except MemoryError:
        raise
    container = f[0]
    f[0] = None
    return getrefcount(container)


def _fresh(kind: type) -> Any:
    return kind([("k", 1)]) if kind is dict else kind([1])


def _calibrate(count_in_place: Count, count_taken_out: Count) -> tuple[int, int]:
    """Measure both counts; the second owner must show as exactly one more."""
    in_place = set()
    taken_out = set()
    for kind in (list, dict):
        in_place.add(count_in_place([_fresh(kind)]))
        taken_out.add(count_taken_out([_fresh(kind)]))
        shared = _fresh(kind)
        in_place.add(count_in_place([shared]) - 1)
        taken_out.add(count_taken_out([shared]) - 1)
    if len(in_place) == 1 and len(taken_out) == 1 and environ.get("HARNPY_COPY_ALWAYS") != "1":
        return in_place.pop(), taken_out.pop()
    return 0, 0


OWNED_BY_PLACE, OWNED_BY_LOCAL = _calibrate(_count_in_place, _count_taken_out)
WRITTEN_BY_PLACE, WRITTEN_BY_LOCAL = _calibrate(_count_in_place_behind, _count_taken_out_behind)
