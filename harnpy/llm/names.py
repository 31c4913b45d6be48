"""Connects to hosts by name; names are looked up in threads that nothing waits for."""

from __future__ import annotations

import asyncio
import socket
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def is_address(host: str) -> bool:
    """Tell whether a host is a numeric address, which needs no look-up."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
        except (OSError, ValueError):
            continue
        return True
    return False


async def connected(host: str, port: int) -> socket.socket:
    """Give a socket that is connected to the first address of a host that takes it.

    Raises:
        OSError: the name has no address, or none takes the connection.
    """
    failure = OSError(f"no address for {host}")
    for family, address in await _look_up(host, port):
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, address)
        except OSError as error:
            sock.close()
            failure = error
        except BaseException:
            sock.close()
            raise
        else:
            return sock
    raise failure


async def _look_up(host: str, port: int) -> list[tuple[int, Any]]:
    """Give family and address of each place that a name stands for.

    asyncio's own look-up runs in a pool, and a loop cannot end before the threads of its pool have: a resolver that
    hangs would hold up the end of the program.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[Any]] = loop.create_future()

    def settle(give: Callable[[Any], None], value: Any) -> None:
        if not answer.done():
            give(value)

    def work() -> None:
        try:
            found: Any = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            give: Callable[[Any], None] = answer.set_result
        except Exception as error:  # noqa: BLE001 (whoever waits raises it)
            found, give = error, answer.set_exception
        try:
            loop.call_soon_threadsafe(settle, give, found)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    threading.Thread(target=work, name="harnpy-names", daemon=True).start()
    return [(family, address) for family, _, _, _, address in await answer]
