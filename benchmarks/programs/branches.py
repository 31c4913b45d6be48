"""Branches that wait 50 ms, as bare asyncio tasks."""

import asyncio
import time


def bench(size):
    finished = 0

    async def branch(i):
        nonlocal finished
        await asyncio.sleep(0.05)
        finished += 1
        return i

    async def main():
        started = time.monotonic()
        results = await asyncio.gather(*[branch(i) for i in range(size)])
        assert time.monotonic() - started >= 0.05
        total = 0
        for result in results:
            total = total + result
        return [len(results), finished, results[0], results[size - 1], total]

    return asyncio.run(main())
