"""The sieve of Eratosthenes."""


def bench(size):
    prime = [True] * (size + 1)
    i = 2
    while i * i <= size:
        if prime[i]:
            j = i * i
            while j <= size:
                prime[j] = False
                j = j + i
        i = i + 1
    count = 0
    for k in range(2, size + 1):
        if prime[k]:
            count = count + 1
    return count
