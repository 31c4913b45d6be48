"""Additions in two nested ``while`` loops."""


def bench(size):
    total = 0
    i = 0
    while i < size:
        j = 0
        while j < size:
            total = total + j
            j = j + 1
        i = i + 1
    return total
