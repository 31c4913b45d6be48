"""Calls of a closure that counts in a captured variable."""


def make_counter():
    n = 0

    def count():
        nonlocal n
        n = n + 1
        return n

    return count


def bench(size):
    count = make_counter()
    last = 0
    for _ in range(size):
        last = count()
    return last
