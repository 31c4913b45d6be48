"""Statistics over lists of numbers (builtins 1.8)."""

from __future__ import annotations

import math

from harnpy.errors import runtime_error, type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _numbers(name: str, items: Any) -> list[float]:
    if type(items) is not list:
        raise type_error(f"{name}: items must be a list")
    if any(type(item) is not int and type(item) is not float for item in items):
        raise type_error(f"{name} must be numeric")
    return [float(item) for item in items]


def _some_numbers(name: str, items: Any) -> list[float]:
    numbers = _numbers(name, items)
    if not numbers:
        raise runtime_error(f"{name}: items must not be empty")
    return numbers


def _sum(numbers: list[float]) -> float:
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        # Infinities of both signs, or a total beyond the floats: add as the operators do.
        return sum(numbers)


def mean(items: Any = None) -> float:
    """Give the arithmetic mean; 0.0 of nothing. Errors: throws when an item is no number."""
    numbers = _numbers("mean", items)
    return _sum(numbers) / len(numbers) if numbers else 0.0


def median(items: Any = None) -> float:
    """Give the middle value, or the mean of the two in the middle. Errors: throws for an empty list."""
    return _quantile(sorted(_some_numbers("median", items)), 0.5)


def _quantile(ordered: list[float], fraction: float) -> float:
    """Interpolate linearly between the two nearest ranks."""
    rank = fraction * (len(ordered) - 1)
    below = math.floor(rank)
    above = min(below + 1, len(ordered) - 1)
    if ordered[below] == ordered[above]:
        return ordered[below]
    return ordered[below] + (ordered[above] - ordered[below]) * (rank - below)


def _variance(name: str, items: Any, sample: Any) -> float:
    numbers = _some_numbers(name, items)
    if sample and len(numbers) < 2:
        raise runtime_error("sample variance requires at least 2 values")
    centre = _sum(numbers) / len(numbers)
    squares = [(number - centre) * (number - centre) for number in numbers]
    return _sum(squares) / (len(numbers) - 1 if sample else len(numbers))


def variance(items: Any = None, sample: Any = False) -> float:
    """Give the variance of a population, or with ``sample`` of a sample. Errors: throws for too few items."""
    return _variance("variance", items, sample)


def stddev(items: Any = None, sample: Any = False) -> float:
    """Give the standard deviation of a population, or with ``sample`` of a sample. Errors: throws for too few items."""
    return math.sqrt(_variance("stddev", items, sample))


def percentile(items: Any = None, percent: Any = None) -> float:
    """Give the number below which ``percent`` (0 to 100) of the numbers lie, interpolated between the two nearest.

    Errors: throws for an empty list or a percentage out of range.
    """
    numbers = _some_numbers("percentile", items)
    if type(percent) is not int and type(percent) is not float:
        raise type_error("percentile must be numeric")
    if not 0 <= percent <= 100:
        raise runtime_error("percentile must be between 0 and 100")
    return _quantile(sorted(numbers), percent / 100)
