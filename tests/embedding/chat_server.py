"""A loopback server that speaks the OpenAI wire, keeps its connections open and counts them."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from typing import Any

CALL = 'harness.llm.call("x", nil, {provider: "openai", model: "gpt-4o-mini", stream: false}).text'

_MESSAGE = {"role": "assistant", "content": "pong"}
_REPLY = json.dumps(
    {
        "id": "1",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": _MESSAGE, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
).encode()


class ChatServer:
    """Answers every request with ``pong``; a context manager."""

    def __init__(self) -> None:
        self.connections = 0
        self.requests = 0
        self._closed = 0
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = False
        self.env = {"OPENAI_API_KEY": "k-1", "OPENAI_BASE_URL": f"http://127.0.0.1:{self._server.server_address[1]}/v1"}
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def __enter__(self) -> ChatServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def gone(self, count: int) -> bool:
        """Tell whether so many connections have ended; wait for it for a while."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed >= count, 20)

    def drop(self) -> None:
        """Close all connections, as a server does with idle ones."""
        for connection in tuple(self._open):
            connection.shutdown(socket.SHUT_RDWR)

    def _handler(self) -> Any:
        counts = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                counts.connections += 1
                counts._open.add(self.connection)
                try:
                    while self._answer():
                        pass
                except ConnectionError:
                    pass
                counts._open.discard(self.connection)
                with counts._changed:
                    counts._closed += 1
                    counts._changed.notify_all()

            def _answer(self) -> bool:
                length = 0
                while (line := self.rfile.readline()) not in (b"\r\n", b""):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                if not line:
                    return False
                self.rfile.read(length)
                head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(_REPLY)}\r\n\r\n"
                counts.requests += 1
                self.wfile.write(head.encode() + _REPLY)
                return True

        return Handler
