"""A chain of list operations with small functions."""


def bench(size):
    items = list(range(size))
    tripled = [x * 3 for x in items]
    even = [x for x in tripled if x % 2 == 0]
    rows = [{"id": x, "half": x // 2} for x in even]
    halves = [row["half"] for row in rows]
    total = 0
    for x in halves:
        total = total + x
    return total
