"""Lists and dicts that grow and change in place."""


def bench(size):
    items = []
    counts = {}
    for i in range(size):
        items.append(i)
        key = f"k{i % 100}"
        counts[key] = counts.get(key, 0) + 1
    i = 0
    while i < size:
        items[i] = items[i] * 2
        i = i + 1
    total = 0
    for item in items:
        total = total + item
    return [total, counts["k7"], len(counts)]
