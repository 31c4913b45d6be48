"""What a Python user would write for many model calls at once: aiohttp, and httpx with a client per slot."""

import asyncio
import json
import ssl
import time

AT_ONCE = 100


def request(number):
    messages = [
        {"role": "system", "content": "Answer briefly."},
        {"role": "user", "content": f"question {number}"},
    ]
    return {"model": "m", "messages": messages, "max_tokens": 50}


def is_right(number, reply):
    return reply["choices"][0]["message"]["content"] == f"answer to question {number}"


async def in_slots(size, make_asker):
    """Answer ``size`` requests in slots that each take the next one when they are free; time all but the first."""
    numbers = iter(range(size))
    right = 0

    async def slot(ask):
        nonlocal right
        for number in numbers:
            reply = await ask(request(number))
            right += is_right(number, reply)

    askers = [make_asker() for _ in range(AT_ONCE)]
    await askers[0](request(0))
    started = time.perf_counter()
    await asyncio.gather(*[slot(ask) for ask in askers])
    return time.perf_counter() - started, right


async def with_aiohttp(url, size):
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=AT_ONCE)) as session:

        async def ask(body):
            async with session.post(url, json=body) as response:
                response.raise_for_status()
                return json.loads(await response.read())

        return await in_slots(size, lambda: ask)


async def with_httpx(url, size):
    import httpx

    context = ssl.create_default_context()
    clients = [httpx.AsyncClient(verify=context) for _ in range(AT_ONCE)]
    free = iter(clients)

    def make_asker():
        client = next(free)

        async def ask(body):
            response = await client.post(url, json=body)
            response.raise_for_status()
            return response.json()

        return ask

    try:
        return await in_slots(size, make_asker)
    finally:
        for client in clients:
            await client.aclose()


CLIENTS = {"aiohttp": with_aiohttp, "httpx": with_httpx}
