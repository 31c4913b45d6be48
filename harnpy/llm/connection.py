"""HTTP/1.1 connections over asyncio streams, and the idle ones kept per origin.

httpx's own pool looks at all its connections for every request and release, which costs 10 ms a call at
100 in flight; here an idle connection is the last of a list.
"""

from __future__ import annotations

import asyncio
import time

import h11

from harnpy.llm.names import connected, is_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Callable, Iterable
    from typing import Any, SupportsIndex

    Origin = tuple[str, str, int]
    Headers = list[tuple[bytes, bytes]]

_READ_SIZE = 65536
_IDLE_SECONDS = 30.0
_MAX_IDLE = 128
# Files that a process may open: what is left for others, and what counts where there is no limit.
_FILES_LEFT = 64
_MANY_FILES = 8192


class StaleConnection(Exception):
    """A kept connection turned out to be closed by the server before any byte of a response came."""


class _Reader(asyncio.StreamReader):
    """A reader that counts what has arrived, so that bytes that nobody asked for are noticed."""

    arrived = 0

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        """Take bytes from the socket."""
        self.arrived += len(bytes(data))
        super().feed_data(data)


class Connection:
    """One connection: one request at a time, and as many as the server keeps it open for."""

    def __init__(self, reader: _Reader, writer: asyncio.StreamWriter) -> None:
        # Called once, when the socket is closed.
        self.on_close: Callable[[], None] | None = None
        self._reader = reader
        self._read = 0
        self._writer = writer
        self._protocol = h11.Connection(h11.CLIENT)
        self._received = False
        self._used = False
        self.idle_since = 0.0

    async def send(self, method: bytes, target: bytes, headers: Headers, body: bytes) -> tuple[int, Headers]:
        """Send a request and give status and headers of the response.

        Raises:
            StaleConnection: the server had closed this kept connection.
            OSError, h11.RemoteProtocolError: the connection broke.
        """
        self._received = False
        try:
            self._write(method, target, headers, body)
            await self._writer.drain()
        except OSError:
            # The server may have answered before it closed; what it said is read below.
            pass
        try:
            event = await self._next_event()
            while isinstance(event, h11.InformationalResponse):
                event = await self._next_event()
        except (OSError, h11.RemoteProtocolError) as error:
            if self._used and not self._received:
                raise StaleConnection from error
            raise
        if not isinstance(event, h11.Response):
            raise h11.RemoteProtocolError("the server closed the connection without a response")
        return event.status_code, list(event.headers.raw_items())

    def _write(self, method: bytes, target: bytes, headers: Headers, body: bytes) -> None:
        request = h11.Request(method=method, target=target, headers=headers)
        data = [self._protocol.send(request)]
        if body:
            data.append(self._protocol.send(h11.Data(data=body)))
        data.append(self._protocol.send(h11.EndOfMessage()))
        self._writer.write(b"".join(part for part in data if part))

    async def _next_event(self) -> object:
        while True:
            event = self._protocol.next_event()
            if event is not h11.NEED_DATA:
                return event
            data = await self._reader.read(_READ_SIZE)
            self._read += len(data)
            self._received = self._received or bool(data)
            self._protocol.receive_data(data)

    async def body(self) -> AsyncIterator[bytes]:
        """Give the pieces of the body of the current response."""
        while True:
            event = await self._next_event()
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return
            elif isinstance(event, h11.ConnectionClosed):
                raise h11.RemoteProtocolError("the server closed the connection inside the body")

    def reusable(self) -> bool:
        """Make ready for another request; false when the connection cannot take one.

        Bytes behind a response are no answer to the next request.
        """
        if self._protocol.trailing_data[0] or self._reader.arrived != self._read:
            return False
        if self._protocol.our_state is not h11.DONE or self._protocol.their_state is not h11.DONE:
            return False
        self._protocol.start_next_cycle()
        self._used = True
        self.idle_since = time.monotonic()
        return True

    def alive(self) -> bool:
        """Tell whether an idle connection may be used again."""
        fresh = time.monotonic() - self.idle_since < _IDLE_SECONDS
        silent = self._reader.arrived == self._read
        return fresh and silent and not self._reader.at_eof() and not self._writer.is_closing()

    def close(self) -> None:
        """Close the socket at once; nothing is waited for."""
        self._writer.transport.abort()
        closed, self.on_close = self.on_close, None
        if closed is not None:
            closed()


async def _connect(host: str, port: int, tls: ssl.SSLContext | None) -> Connection:
    loop = asyncio.get_running_loop()
    reader = _Reader(loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    name = host if tls is not None else None
    place: dict[str, Any] = {"host": host, "port": port} if is_address(host) else {"sock": await connected(host, port)}
    transport, _ = await loop.create_connection(lambda: protocol, **place, ssl=tls, server_hostname=name)
    return Connection(reader, asyncio.StreamWriter(transport, protocol, reader, loop))


def most_sockets() -> int:
    """Give how many connections may be open at once: three quarters of the files that the process may open."""
    try:
        import resource
    except ImportError:  # not a Unix
        return _MANY_FILES
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY or files > _MANY_FILES * 2:
        return _MANY_FILES
    return max(4, files - max(_FILES_LEFT, files // 4))


class Connections:
    """Opens connections and keeps the idle ones for a while, newest first. Belongs to one event loop.

    When ``most`` are open, the next one waits until another is closed: more would be errors of the system.
    """

    def __init__(self, tls: Callable[[], ssl.SSLContext], most: int | None = None) -> None:
        self._tls = tls
        self._room = asyncio.Semaphore(most_sockets() if most is None else most)
        self._idle: dict[Origin, list[Connection]] = {}
        self._sweep: asyncio.TimerHandle | None = None

    async def take(self, origin: Origin, *, fresh: bool = False) -> Connection:
        """Give an idle connection of the origin, or a new one."""
        idle = self._idle.get(origin, [])
        while idle and not fresh:
            connection = idle.pop()
            if connection.alive():
                return connection
            connection.close()
        return await self._open(origin)

    async def _open(self, origin: Origin) -> Connection:
        if self._room.locked():
            self._close_oldest()
        await self._room.acquire()
        scheme, host, port = origin
        try:
            connection = await _connect(host, port, self._tls() if scheme == "https" else None)
        except BaseException:
            self._room.release()
            raise
        connection.on_close = self._room.release
        return connection

    def _close_oldest(self) -> None:
        kept = [idle for idle in self._idle.values() if idle]
        if kept:
            min(kept, key=lambda idle: idle[0].idle_since).pop(0).close()

    def give_back(self, origin: Origin, connection: Connection) -> None:
        """Keep a connection whose response was read to its end, or close it."""
        idle = self._idle.setdefault(origin, [])
        if connection.reusable() and len(idle) < _MAX_IDLE and not self._room.locked():
            idle.append(connection)
            self._sweep_later()
        else:
            connection.close()

    def _sweep_later(self) -> None:
        if self._sweep is None:
            # So the loop holds the connections, and they are closed rather than collected.
            self._sweep = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._close_old)

    def _close_old(self) -> None:
        """Close what nobody has used for long, or what the server has closed."""
        self._sweep = None
        for origin, idle in list(self._idle.items()):
            self._idle[origin] = kept = [connection for connection in idle if connection.alive()]
            for connection in idle:
                if connection not in kept:
                    connection.close()
            if kept:
                self._sweep_later()

    def close(self) -> None:
        """Close all idle connections."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for idle in self._idle.values():
            for connection in idle:
                connection.close()
        self._idle.clear()
