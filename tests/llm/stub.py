"""A real HTTP server on loopback that answers from a list and records what it was asked."""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

_PIECE = 1 << 18
PATIENCE = 20  # seconds for what happens in ms on a machine that is not busy


class Answer:
    """One reply: status, headers, body, and the ways in which it may go wrong.

    A ``script`` answers by itself, and gives ``True`` to keep the connection. ``silent`` says nothing; as a number it
    lets so many ms of the run's clock pass. ``late_ms`` pass before the reply.
    """

    def __init__(
        self,
        status: int = 200,
        body: Any = "",
        headers: dict[str, str] | None = None,
        *,
        delay_ms: int = 0,
        late_ms: int = 0,
        drip: tuple[int, int] | None = None,
        cut_after: int | None = None,
        chunked: int = 0,
        reset: bool = False,
        silent: bool | int = False,
        script: Callable[[Talk], object] | None = None,
    ) -> None:
        self.status = status
        self.headers = dict(headers or {})
        if isinstance(body, bytes):
            self.body = body
        elif isinstance(body, str):
            self.body = body.encode()
        else:
            self.body = json.dumps(body).encode()
            self.headers.setdefault("content-type", "application/json")
        self.delay_ms = delay_ms
        self.late_ms = late_ms
        self.drip = drip
        self.cut_after = cut_after
        self.chunked = chunked
        self.reset = reset
        self.silent = silent
        self.script = script


class Asked:
    """One recorded request."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.at = time.monotonic()
        self.method = method
        self.path = path
        self.headers = headers
        self.raw = body
        self.json = json.loads(body) if body else None


class Talk:
    """One exchange in the hands of a script: what was asked, and the socket to answer on."""

    def __init__(self, stub: Stub, client: socket.socket, asked: Asked | None) -> None:
        self.stub = stub
        self.client = client
        self.asked = asked

    def send(self, data: bytes | str) -> None:
        """Send bytes as they are."""
        self.client.sendall(data.encode() if isinstance(data, str) else data)

    def head(self, status: int = 200, **headers: object) -> None:
        """Send a status line and headers."""
        self.send(head_of(status, {name.replace("_", "-"): str(value) for name, value in headers.items()}))

    def closed(self) -> bool:
        """Wait until the client closes its end; false when it does not."""
        return wait_closed(self.client, 1000 * PATIENCE)

    def advance(self, ms: int) -> None:
        """Move the clock of the run on while nothing is sent."""
        self.stub.advances.append(time.monotonic())
        self.stub.advance(ms)

    def silent_for(self, ms: int) -> None:
        """Let ``ms`` pass until the client goes: it may not have begun to wait for what never comes."""
        for _ in range(100 * PATIENCE):
            self.advance(ms)
            if wait_closed(self.client, 10):
                return

    def drip(self, data: bytes) -> None:
        """Send one byte a second, all but the last one.

        The client may read many at once, behind the seconds that have passed: what were whole would be an answer.
        """
        for at in range(len(data) - 1):
            self.send(data[at : at + 1])
            self.advance(1000)
        self.closed()

    def reset(self) -> None:
        """Have the connection end with a reset."""
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Stub:
    """Serves the answers in order and repeats the last one; a context manager.

    ``tls`` makes it a server for https. A ``greeting`` takes each new connection before anything is read from it.
    """

    def __init__(
        self, *answers: Answer, tls: ssl.SSLContext | None = None, greeting: Callable[[Talk], None] | None = None
    ) -> None:
        self.answers = list(answers)
        self.requests: list[Asked] = []
        self.connections = 0
        self.sent = 0
        self.closings: list[float] = []
        self.advances: list[float] = []
        # Moves the clock of the run that asks this server.
        self.advance: Callable[[int], None] = lambda ms: None
        self._tls = tls
        self._greeting = greeting
        self._lock = threading.Condition()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._open: set[socket.socket] = set()
        self.port = self._socket.getsockname()[1]
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{self.port}"
        self._done = threading.Event()
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def __enter__(self) -> Stub:
        return self

    def __exit__(self, *_: object) -> None:
        """Close everything and wait for all threads: none lives on into another test."""
        self._done.set()
        shut_down(self._socket)
        self._threads[0].join(PATIENCE)
        self._socket.close()
        with self._lock:
            for client in self._open:
                shut_down(client)
        for thread in self._threads:
            thread.join(PATIENCE)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self._open.add(client)
            self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        served = client
        try:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._greeting is not None:
                self._greeting(Talk(self, client, None))
                return
            if self._tls is not None:
                served = self._tls.wrap_socket(client, server_side=True)
            with served.makefile("rb") as stream:
                while self._one(served, stream):
                    pass
        except OSError:
            pass
        finally:
            served.close()
            client.close()
            with self._lock:
                self.closings.append(time.monotonic())
                self._open.discard(client)
                self._lock.notify_all()

    def all_closed(self) -> bool:
        """Wait until no connection is open; false when some stay."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._open, PATIENCE)

    def _one(self, client: socket.socket, stream: Any) -> bool:
        asked = _read(stream)
        if asked is None:
            return False
        with self._lock:
            self.requests.append(asked)
            answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        talk = Talk(self, client, asked)
        if answer.script is not None:
            return answer.script(talk) is True
        if answer.reset:
            talk.reset()
            return False
        if answer.silent or (answer.delay_ms and wait_closed(client, answer.delay_ms)):
            if answer.silent:
                if answer.silent is not True:
                    talk.advance(answer.silent)
                talk.closed()
            return False
        if answer.late_ms:
            talk.advance(answer.late_ms)
        return self._write(client, answer)

    def _write(self, client: socket.socket, answer: Answer) -> bool:
        length = {"transfer-encoding": "chunked"} if answer.chunked else {"content-length": str(len(answer.body))}
        headers = {**length, **answer.headers}
        body = answer.body if answer.cut_after is None else answer.body[: answer.cut_after]
        head = head_of(answer.status, headers)
        every_ms = answer.drip[1] if answer.drip else 0
        for piece in _pieces(answer, body):
            client.sendall(head + piece)
            head = b""
            self.sent += len(piece)
            if every_ms and self._done.wait(every_ms / 1000):
                return False
        client.sendall(head)
        if answer.cut_after is not None:
            return False
        return headers.get("connection", "").lower() != "close"


def _pieces(answer: Answer, body: bytes) -> Iterator[bytes]:
    """Give the body as it is sent; a large one is never copied whole."""
    view = memoryview(body)
    size = answer.drip[0] if answer.drip else answer.chunked or _PIECE
    for at in range(0, len(body), size):
        piece = bytes(view[at : at + size])
        yield b"%x\r\n%b\r\n" % (len(piece), piece) if answer.chunked else piece
    if answer.chunked and answer.cut_after is None:
        yield b"0\r\n\r\n"


def wait_closed(client: socket.socket, ms: float) -> bool:
    """Wait, and tell whether the client closed meanwhile."""
    client.settimeout(ms / 1000)
    try:
        return client.recv(1, 0 if isinstance(client, ssl.SSLSocket) else socket.MSG_PEEK) == b""
    except TimeoutError:
        return False
    except OSError:
        return True
    finally:
        with suppress(OSError):
            client.settimeout(None)


def head_of(status: int, headers: dict[str, str]) -> bytes:
    """Give a status line with headers as they go over the wire."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode("latin-1")


def shut_down(served: socket.socket) -> None:
    """Wake a thread that waits at a socket; closing alone would not."""
    with suppress(OSError):
        served.shutdown(socket.SHUT_RDWR)


def _read(stream: Any) -> Asked | None:
    line = stream.readline()
    if not line:
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    for raw in iter(stream.readline, b"\r\n"):
        if not raw:
            return None
        name, _, value = raw.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)


@contextmanager
def deaf_server() -> Iterator[str]:
    """A listener whose queue is full: a connection is never made. Gives its URL."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf, ExitStack() as waiting:
        for _ in range(4):
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(deaf.getsockname())
        yield f"http://127.0.0.1:{deaf.getsockname()[1]}"


def oa(text: str | None, incoming: int = 3, outgoing: int = 2, finish: str = "stop", **message: Any) -> Answer:
    """A one-choice chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    body = {
        "id": "cmpl-1",
        "model": "stub-model",
        "choices": [choice],
        "usage": {"prompt_tokens": incoming, "completion_tokens": outgoing, "total_tokens": incoming + outgoing},
    }
    return Answer(200, body)


def sse(*chunks: Any, done: bool = True, **options: Any) -> Answer:
    """A streamed reply: dicts become events, strings go out as they are."""
    text = "".join(c if isinstance(c, str) else f"data: {json.dumps(c, ensure_ascii=False)}\n\n" for c in chunks)
    if done:
        text += "data: [DONE]\n\n"
    return Answer(200, text, {"content-type": "text/event-stream"}, **options)


def delta(text: str | None = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One chunk of a streamed reply."""
    content = {} if text is None else {"content": text}
    return {"id": "c", "model": "stub-model", "choices": [{"delta": {**content, **fields}, "finish_reason": finish}]}
