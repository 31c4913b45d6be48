"""Random numbers, choices and own generators (builtins 1.8)."""

from __future__ import annotations

from harnpy.errors import type_error
from harnpy.runtime.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any

    from harnpy.runtime.context import Context


class Rng(Value):
    """A generator of its own, made by ``rng_seed``; equal to nothing."""

    __slots__ = ("source",)
    type_name = "rng"

    def __init__(self, seed: int) -> None:
        from random import Random

        self.source = Random(seed)

    def equals(self, other: Rng) -> bool:
        """A generator equals nothing, not even itself."""
        return False


def rng_seed(seed: Any = None) -> Rng:
    """Make a generator that gives the same numbers for the same seed."""
    if type(seed) is not int:
        raise type_error("rng_seed(seed): seed must be an integer")
    return Rng(seed)


def _source(ctx: Context, args: tuple[Any, ...]) -> tuple[Random, tuple[Any, ...]]:
    """Take a leading generator off the arguments."""
    if args and type(args[0]) is Rng:
        return args[0].source, args[1:]
    return ctx.random, args


def draw(ctx: Context, *args: Any) -> float:
    """``random``: a float from 0 up to, but without, 1; of the run's generator, or of one that ``rng_seed`` made."""
    return _source(ctx, args)[0].random()


def random_int(ctx: Context, *args: Any) -> int | None:
    """Draw an int from ``min`` to ``max``, both included; nil when ``min`` is greater."""
    source, bounds = _source(ctx, args)
    if len(bounds) < 2:
        return None
    for bound, word in zip(bounds[:2], ("min", "max"), strict=True):
        if type(bound) is not int:
            raise type_error(f"random_int: {word} must be an integer")
    return source.randint(bounds[0], bounds[1]) if bounds[0] <= bounds[1] else None


def random_choice(ctx: Context, *args: Any) -> Any:
    """Draw an item of a list; nil of an empty one."""
    source, rest = _source(ctx, args)
    if not rest or type(rest[0]) is not list or not rest[0]:
        return None
    return rest[0][source.randrange(len(rest[0]))]


def random_shuffle(ctx: Context, *args: Any) -> list[Any] | None:
    """Give a list with the items in a random order; nil for what is no list."""
    source, rest = _source(ctx, args)
    if not rest or type(rest[0]) is not list:
        return None
    items = list(rest[0])
    source.shuffle(items)
    return items
