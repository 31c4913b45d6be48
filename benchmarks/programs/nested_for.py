"""Additions in two nested ``for`` loops."""


def bench(size):
    total = 0
    for _ in range(size):
        for j in range(size):
            total = total + j
    return total
