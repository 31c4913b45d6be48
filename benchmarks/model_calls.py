"""A thousand model calls over loopback HTTP, 100 at once, beside the fastest hand-written Python client.

python -m benchmarks.model_calls (harn | aiohttp | httpx) PORT
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("1,000 HTTP calls of 50 ms, 100 at once",)
CALLS = 1000
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_MOST_ROUNDS = 5


def rows(_names: set[str], rounds: int) -> Iterator[Row]:
    """Measure all clients in turn against one server in a process of its own."""
    clients = [name for name in ("aiohttp", "httpx") if importlib.util.find_spec(name) is not None]
    words = [sys.executable, "-m", "benchmarks.programs.model_server"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = server.stdout.readline().strip()
            found: dict[str, list[float]] = {name: [] for name in ("harn", *clients)}
            for _ in range(min(rounds, _MOST_ROUNDS)):
                for name, seconds in found.items():
                    seconds.append(_in_process(name, port))
        finally:
            server.terminate()
    medians = {name: median(seconds) for name, seconds in found.items()}
    fastest = min(clients, key=lambda name: medians[name])
    own, base = medians["harn"], medians[fastest]
    others = ", ".join([f"{name} {medians[name]:.2f} s" for name in clients])
    yield Row(NAMES[0], own / base, 1.3, 2, f"{own:.2f} s; {others}")


def _in_process(client: str, port: str) -> float:
    words = [sys.executable, "-m", "benchmarks.model_calls", client, port]
    ended = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return float(ended.stdout)


def _harn(port: str) -> tuple[float, int]:
    from benchmarks.harn import inside_a_run, load

    os.environ["LOCAL_LLM_BASE_URL"] = f"http://127.0.0.1:{port}"

    def work(context: Any) -> tuple[float, int]:
        from harnpy.capabilities.llm import close

        bench = load(context, "model_calls")
        bench(1)
        started = time.perf_counter()
        right = bench(CALLS)
        seconds = time.perf_counter() - started
        close(context)
        return seconds, right

    result: tuple[float, int] = inside_a_run(work)
    return result


def main() -> None:
    """Run one client as the command line says and print its seconds."""
    client, port = sys.argv[1:]
    if client == "harn":
        seconds, right = _harn(port)
    else:
        import asyncio

        from benchmarks.programs.model_clients import CLIENTS

        url = f"http://127.0.0.1:{port}/v1/chat/completions"
        seconds, right = asyncio.run(CLIENTS[client](url, CALLS))
    assert right == CALLS, f"{right} of {CALLS} answers are right"
    print(seconds)


if __name__ == "__main__":
    main()
