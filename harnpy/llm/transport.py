"""The one owner of sockets: sends a request under its deadlines and limits, and gives what came back."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager

import h11
import httpx

from harnpy.llm.connection import Connection, Connections, StaleConnection
from harnpy.llm.content_encoding import Decoder, UndecodableData
from harnpy.llm.deadlines import Deadlines
from harnpy.llm.proxies import proxy_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from harnpy.llm.connection import Headers, Origin
    from harnpy.llm.deadlines import RunClock

BODY_LIMIT = 32 * 1024 * 1024
ERROR_BODY_LIMIT = 1024 * 1024
# Of a body that was cut, the start is kept for the error.
_CUT_PIECES = 16
_DRAIN_SECONDS = 0.05
_MAX_URLS = 64
_LAST_PORT = 65535
_DEFAULT_HEADERS = (("accept", "*/*"), ("accept-encoding", "gzip, deflate"))
# Deadlines are those of ``exchange``; what is below has none of its own.
_NO_DEADLINES = {"connect": None, "read": None, "write": None, "pool": None}


class Outgoing:
    """An HTTP request with its deadlines in ms; ``None`` is no deadline.

    ``decompress``: undo the content encoding. ``began``: the tick from which the total deadline counts, if not from
    the sending.
    """

    __slots__ = (
        "began", "body", "connect_ms", "decompress", "first_chunk_ms", "headers", "idle_ms", "method", "total_ms", "url"
    )  # fmt: skip

    def __init__(
        self,
        url: str,
        headers: dict[str, str],
        body: bytes,
        total_ms: int,
        first_chunk_ms: int | None = None,
        idle_ms: int | None = None,
        *,
        method: str = "POST",
        connect_ms: int | None = None,
        decompress: bool = True,
        began: int | None = None,
    ) -> None:
        self.method = method
        self.began = began
        self.connect_ms = connect_ms
        self.decompress = decompress
        self.url = url
        self.headers = headers
        self.body = body
        self.total_ms = total_ms
        self.first_chunk_ms = first_chunk_ms
        self.idle_ms = idle_ms


class Incoming:
    """An HTTP response; ``body`` is empty when the consumer took it, ``cut`` when it passed the limit."""

    __slots__ = ("body", "content_type", "cut", "headers", "status", "streamed")

    def __init__(self, status: int, headers: Mapping[str, str]) -> None:
        self.status = status
        self.headers = headers
        self.content_type = headers.get("content-type", "")
        self.body = b""
        self.cut = False
        self.streamed = False


class TransportFailure(Exception):
    """No usable response: the connection failed, or a deadline passed (then ``deadline`` says which)."""

    def __init__(self, detail: str, *, deadline: str | None = None, limit_ms: int = 0, started: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.deadline = deadline
        self.limit_ms = limit_ms
        self.started = started


class UndecodableBody(Exception):
    """The body does not decode as its content encoding says; ``head`` is the response it belongs to."""

    def __init__(self, detail: str, head: Incoming | None = None) -> None:
        super().__init__(detail)
        self.head = head


class UnsendableRequest(Exception):
    """The request is wrong in itself: trying again cannot help."""


_tls_contexts: dict[tuple[str | None, str | None], ssl.SSLContext] = {}


def _usual_tls() -> ssl.SSLContext:
    """Give the context that trusts what the environment of the process says: it takes 50 ms to make."""
    key = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if key not in _tls_contexts:
        _tls_contexts[key] = httpx.create_ssl_context()
    return _tls_contexts[key]


class _Trust:
    """Which certificates are trusted: it makes the TLS context when that is first needed."""

    def __init__(self, ca_file: str | None, verify: bool) -> None:
        self._ca_file = ca_file
        self._verify = verify
        self._context: ssl.SSLContext | None = None

    def __call__(self) -> ssl.SSLContext:
        if self._verify and self._ca_file is None:
            return _usual_tls()
        if self._context is None:
            self._context = httpx.create_ssl_context(verify=self._verify)
            if self._ca_file is not None:
                self._context.load_verify_locations(self._ca_file)
        return self._context


class Transport:
    """Sends requests. Made inside the event loop that uses it, and closed by ``close``, with that loop or when dropped.

    ``clock`` is the clock of the run: when it is moved on, deadlines pass. ``proxy`` takes the place of those that the
    environment names. ``ca_file`` holds the certificates to trust, and ``verify=False`` trusts any.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        clock: RunClock | None = None,
        *,
        proxy: str | None = None,
        ca_file: str | None = None,
        verify: bool = True,
    ) -> None:
        self.deadlines = Deadlines(clock)
        self.loop = asyncio.get_running_loop()
        self._guard: AsyncGenerator[None] | None = None
        self._env = env
        self._proxy = proxy
        self._tls = _Trust(ca_file, verify)
        self._direct = _DirectTransport(Connections(self._tls), self.deadlines)
        self._proxied: dict[str, httpx.AsyncBaseTransport] = {}
        self._urls: dict[str, httpx.URL] = {}

    def _way_to(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        """Give what carries requests to a URL.

        There is no client of httpx above it: that one keeps cookies and follows redirects, and takes half of the
        time of a call for it.
        """
        proxy = self._proxy or proxy_for(url.scheme, url.host, _port(url), self._env)
        if proxy is None:
            return self._direct
        if proxy not in self._proxied:
            self._proxied[proxy] = self._through(proxy)
        return self._proxied[proxy]

    def _url(self, text: str) -> httpx.URL:
        url = self._urls.get(text)
        if url is None:
            if len(self._urls) >= _MAX_URLS:
                self._urls.clear()
            url = self._urls[text] = httpx.URL(text)
        return url

    def _through(self, proxy: str) -> httpx.AsyncBaseTransport:
        """Give the transport for a proxy: httpx's own; it keeps no idle connections, so none is left at the end."""
        scheme = proxy.partition("://")[0].lower()
        if scheme not in ("http", "https"):
            raise UnsendableRequest(f"its proxy is of the kind `{scheme}`; only http and https proxies are supported")
        try:
            if not 0 < _port(httpx.URL(proxy)) <= _LAST_PORT:
                raise ValueError
            return httpx.AsyncHTTPTransport(
                verify=self._tls(), proxy=proxy, limits=httpx.Limits(max_keepalive_connections=0)
            )
        except (httpx.InvalidURL, ValueError):
            # The address may hold a password: it is not shown.
            raise UnsendableRequest("the address of its proxy is not valid") from None

    async def exchange(
        self, outgoing: Outgoing, accept: Callable[[Incoming], Callable[[bytes], bool] | None]
    ) -> Incoming:
        """Send and receive.

        ``accept(head)`` gives a consumer that takes the body piece by piece and tells when it has enough, or
        ``None`` to collect the body.

        Raises:
            TransportFailure: the connection failed or a deadline passed.
            UndecodableBody: the content encoding is broken.
            UnsendableRequest: URL or headers are not valid.
        """
        if self._guard is None:
            self._guard = _until_dropped(self._direct.connections)
            await anext(self._guard)
        progress = _Progress(outgoing, self.deadlines)
        try:
            async with self.deadlines.limit(outgoing.total_ms, outgoing.began):
                return await self._exchange(outgoing, accept, progress)
        except TimeoutError:
            raise progress.timeout("total", outgoing.total_ms) from None
        except UndecodableData as error:
            raise UndecodableBody(str(error), progress.head) from None
        except httpx.UnsupportedProtocol as error:
            raise UnsendableRequest(str(error)) from None
        except httpx.ConnectTimeout:
            raise progress.timeout("connect", outgoing.connect_ms or 0) from None
        except (OSError, httpx.TransportError, h11.RemoteProtocolError, StaleConnection) as error:
            raise TransportFailure(_detail(error), started=progress.started) from None
        except httpx.InvalidURL:
            raise UnsendableRequest("its URL is not valid") from None
        except OverflowError:
            raise UnsendableRequest(f"its port is not one of 1 to {_LAST_PORT}") from None
        except (h11.LocalProtocolError, ValueError):
            # The text of these errors may show a header, and so the key.
            raise UnsendableRequest("a header or the URL has characters that HTTP does not allow") from None

    async def _exchange(
        self,
        outgoing: Outgoing,
        accept: Callable[[Incoming], Callable[[bytes], bool] | None],
        progress: _Progress,
    ) -> Incoming:
        url = self._url(outgoing.url)
        headers = _with_defaults(outgoing.headers, url)
        extensions: dict[str, Any] = {"timeout": _NO_DEADLINES}
        if outgoing.connect_ms is not None:
            extensions["connect_ms"] = outgoing.connect_ms
        request = httpx.Request(outgoing.method, url, headers=headers, content=outgoing.body, extensions=extensions)
        async with progress.first_chunk():
            response = await self._way_to(url).handle_async_request(request)
        response.request = request
        try:
            incoming = progress.head = Incoming(response.status_code, dict(response.headers))
            encoding = incoming.headers.get("content-encoding", "") if outgoing.decompress else ""
            pieces = _decoded(response.aiter_raw(), Decoder(encoding)) if encoding else response.aiter_raw()
            consume = accept(incoming)
            if consume is None:
                await _collect(incoming, pieces, progress)
            else:
                incoming.streamed = True
                await _stream(incoming, pieces, consume, progress)
            return incoming
        finally:
            await response.aclose()

    def close(self) -> None:
        """Close the idle connections, from any thread."""
        close = self._direct.connections.close
        if _runs_here(self.loop) or not self.loop.is_running():
            if not self.loop.is_closed():
                close()
        else:
            self.loop.call_soon_threadsafe(close)


def _runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


async def _until_dropped(connections: Connections) -> AsyncGenerator[None]:
    """Close the connections when nobody holds this generator any more, or when the loop ends its generators."""
    try:
        yield
    finally:
        connections.close()


def _with_defaults(headers: dict[str, str], url: httpx.URL) -> dict[str, str]:
    """Add what every request says unless it says something else itself."""
    given = {name.lower() for name in headers}
    added = {name: value for name, value in _DEFAULT_HEADERS if name not in given}
    if url.userinfo and "authorization" not in given:
        from base64 import b64encode

        userinfo = f"{url.username}:{url.password}".encode()
        added["authorization"] = "Basic " + b64encode(userinfo).decode("ascii")
    return {**added, **headers}


async def _decoded(arrived: AsyncIterator[bytes], decoder: Decoder) -> AsyncIterator[bytes]:
    async for data in arrived:
        for piece in decoder.pieces(data):
            yield piece
    rest = decoder.rest()
    if rest:
        yield rest


async def _collect(incoming: Incoming, pieces: AsyncIterator[bytes], progress: _Progress) -> None:
    limit = BODY_LIMIT if incoming.status < 400 else ERROR_BODY_LIMIT
    collected: list[bytes] = []
    size = 0
    async for piece in pieces:
        progress.started = True
        collected.append(piece)
        size += len(piece)
        if size > limit:
            incoming.cut = True
            del collected[_CUT_PIECES:]
            break
    incoming.body = b"".join(collected)[:limit]


async def _stream(
    incoming: Incoming, pieces: AsyncIterator[bytes], consume: Callable[[bytes], bool], progress: _Progress
) -> None:
    size = 0
    while not incoming.cut:
        try:
            async with progress.next_chunk():
                piece = await anext(pieces)
        except StopAsyncIteration:
            return
        progress.started = True
        size += len(piece)
        incoming.cut = size > BODY_LIMIT
        if consume(piece):
            incoming.cut = False
            await _drain(pieces)
            return


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Read the end of a body whose content is complete, so that the connection can be kept; do not wait for it."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in pieces:
                pass
    except (TimeoutError, OSError, httpx.TransportError, UndecodableData, h11.RemoteProtocolError):
        pass


class _Progress:
    """How far an exchange is, and the deadlines of its parts."""

    def __init__(self, outgoing: Outgoing, deadlines: Deadlines) -> None:
        self._outgoing = outgoing
        self._deadlines = deadlines
        self.head: Incoming | None = None
        self.started = False

    def timeout(self, deadline: str, limit_ms: int) -> TransportFailure:
        return TransportFailure("deadline passed", deadline=deadline, limit_ms=limit_ms, started=self.started)

    def first_chunk(self) -> AbstractAsyncContextManager[None]:
        return self._limited("first_chunk", self._outgoing.first_chunk_ms)

    def next_chunk(self) -> AbstractAsyncContextManager[None]:
        if self.started:
            return self._limited("idle", self._outgoing.idle_ms)
        return self.first_chunk()

    @asynccontextmanager
    async def _limited(self, deadline: str, limit_ms: int | None) -> AsyncIterator[None]:
        limit = self._deadlines.limit(limit_ms)
        try:
            async with limit:
                yield
        except TimeoutError:
            if limit.passed():
                raise self.timeout(deadline, limit_ms or 0) from None
            raise


def _port(url: httpx.URL) -> int:
    if url.port is not None:
        return url.port
    return 443 if url.scheme == "https" else 80


def _detail(error: Exception) -> str:
    if isinstance(error, StaleConnection):
        return "the server closed the connection"
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _DirectTransport(httpx.AsyncBaseTransport):
    """The transport under httpx for connections without a proxy."""

    def __init__(self, connections: Connections, deadlines: Deadlines) -> None:
        self.connections = connections
        self._deadlines = deadlines

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if url.scheme not in ("http", "https") or not url.host:
            raise httpx.UnsupportedProtocol(f"not an http(s) URL: {url.scheme}://{url.host}")
        origin = (url.scheme, url.host, _port(url))
        body = await request.aread()
        connection = await self._take(origin, request)
        try:
            try:
                head = await self._send(connection, request, body)
            except StaleConnection:
                connection.close()
                connection = await self.connections.take(origin, fresh=True)
                head = await self._send(connection, request, body)
        except BaseException:
            connection.close()
            raise
        status, headers = head
        return httpx.Response(status, headers=headers, stream=_Body(self.connections, origin, connection))

    async def _take(self, origin: Origin, request: httpx.Request) -> Connection:
        limit = self._deadlines.limit(request.extensions.get("connect_ms"))
        try:
            async with limit:
                return await self.connections.take(origin)
        except TimeoutError:
            if limit.passed():
                raise httpx.ConnectTimeout("the connection was not made in time") from None
            raise

    @staticmethod
    async def _send(connection: Connection, request: httpx.Request, body: bytes) -> tuple[int, Headers]:
        method = request.method.encode("ascii")
        return await connection.send(method, request.url.raw_path, request.headers.raw, body)


class _Body(httpx.AsyncByteStream):
    """The body of a response; gives its connection back when read to the end, else closes it."""

    def __init__(self, connections: Connections, origin: Origin, connection: Connection) -> None:
        self._connections = connections
        self._origin = origin
        self._connection = connection
        self._finished = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._connection.body():
            yield piece
        self._finished = True

    async def aclose(self) -> None:
        if self._finished:
            self._connections.give_back(self._origin, self._connection)
        else:
            self._connection.close()
