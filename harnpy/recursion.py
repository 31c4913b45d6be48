"""Python's recursion limit, raised for as long as somebody needs more: several threads may, at the same time.

The limit is that of the whole process. Whoever put back what it had found would take the room from under the others.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock

_lock = allocate_lock()
_holders = 0
_usual = 0
_raised = 0


def hold_frames(frames: int) -> None:
    """Let Python nest at least ``frames`` deep until ``release_frames`` is called as often as this."""
    global _holders, _usual, _raised
    with _lock:
        if _holders == 0:
            _usual = sys.getrecursionlimit()
        _holders += 1
        allow_frames(frames)
        _raised = sys.getrecursionlimit()


def release_frames() -> None:
    """End what ``hold_frames`` began; a limit that somebody else has set meanwhile stays."""
    global _holders
    with _lock:
        _holders -= 1
        if _holders == 0 and sys.getrecursionlimit() == _raised:
            sys.setrecursionlimit(_usual)


def allow_frames(frames: int) -> None:
    """Let Python nest at least ``frames`` deep from now on."""
    if sys.getrecursionlimit() < frames:
        sys.setrecursionlimit(frames)
