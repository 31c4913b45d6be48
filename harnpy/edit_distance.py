"""How far apart two spellings are: what every "did you mean" is found with."""

from __future__ import annotations


def edit_distance(first: str, second: str) -> int:
    """Give the number of inserted, deleted and replaced characters between two texts."""
    row = list(range(len(second) + 1))
    for i, x in enumerate(first, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(second, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]
