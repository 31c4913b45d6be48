"""Room for recursion over a syntax tree of the greatest depth."""

from __future__ import annotations

from contextlib import contextmanager

from harnpy.recursion import hold_frames, release_frames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Trees are at most parser.MAX_DEPTH deep; a visitor may need several Python frames for each level.
_FRAMES = 20_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise Python's recursion limit while a tree is walked."""
    hold_frames(_FRAMES)
    try:
        yield
    finally:
        release_frames()
