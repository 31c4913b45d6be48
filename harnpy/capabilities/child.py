"""Runs one child process on the event loop: closed input, bounded output, and an end in every case."""

from __future__ import annotations

import asyncio
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

# A grandchild may hold the pipes open after its parent ended; its output is waited for that long.
_LINGER_SECONDS = 0.5
_OUT, _ERR = 1, 2


def _input(given: bytes) -> IO[bytes]:
    """Open what the process reads: an unnamed file, which unlike a pipe needs nobody who feeds it."""
    if not given:
        return open(os.devnull, "rb")
    import tempfile

    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    file.write(given)
    file.seek(0)
    return file


_running: set[Child] = set()


def kill_all() -> None:
    """Kill every child process; called when this process ends at once."""
    for child in list(_running):
        child.kill()


class Child(asyncio.SubprocessProtocol):
    """A child process and what it printed. ``overflow``: it printed more than it may and was killed."""

    def __init__(self, limit: int) -> None:
        self.pid = 0
        self.code: int | None = None
        self.timed_out = False
        self.overflow = False
        self._limit = limit
        self._size = 0
        self._pieces: list[tuple[int, bytes]] = []
        self._transport: asyncio.SubprocessTransport | None = None
        self._exited = asyncio.Event()
        self._silent = asyncio.Event()
        self._open = {_OUT, _ERR}

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Keep a piece of output."""
        if self.overflow or not isinstance(data, bytes):
            return
        self._size += len(data)
        if self._size > self._limit:
            self.overflow = True
            self.kill()
        else:
            self._pieces.append((fd, data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note the end of one output."""
        self._open.discard(fd)
        if not self._open:
            self._silent.set()

    def process_exited(self) -> None:
        """Note the end of the process."""
        self._exited.set()

    def kill(self) -> None:
        """Kill the process and everything that it started in its group."""
        if self._transport is None or self._transport.get_returncode() is not None:
            return
        try:
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._transport.kill()
        except (ProcessLookupError, PermissionError):
            pass

    def printed(self, *wanted: int) -> str:
        """Give what came out of the outputs ``wanted``, in the order in which it came."""
        return b"".join(data for fd, data in self._pieces if fd in wanted).decode("utf-8", "replace")

    @property
    def stdout(self) -> str:
        """What the process printed to standard output."""
        return self.printed(_OUT)

    @property
    def stderr(self) -> str:
        """What the process printed to standard error."""
        return self.printed(_ERR)

    @property
    def combined(self) -> str:
        """What the process printed to either, as it came."""
        return self.printed(_OUT, _ERR)

    async def run(
        self, argv: list[str], cwd: str, env: Mapping[str, str], seconds: float | None, given: bytes = b""
    ) -> None:
        """Start the process with ``given`` as its input and wait for its end, or kill it after ``seconds``.

        Raises:
            OSError, ValueError: The process cannot be started.
        """
        loop = asyncio.get_running_loop()
        with _input(given) as source:
            self._transport, _ = await loop.subprocess_exec(
                lambda: self,
                *argv,
                stdin=source,
                cwd=cwd,
                env=dict(env),
                start_new_session=True,
            )
        self.pid = self._transport.get_pid()
        _running.add(self)
        try:
            async with asyncio.timeout(seconds):
                await self._exited.wait()
        except TimeoutError:
            self.timed_out = True
        finally:
            await self._end()

    async def _end(self) -> None:
        self.kill()
        await self._exited.wait()
        _running.discard(self)
        if self._transport is None:
            return
        self.code = self._transport.get_returncode()
        try:
            async with asyncio.timeout(0 if self.timed_out else _LINGER_SECONDS):
                await self._silent.wait()
        except TimeoutError:
            pass
        self._transport.close()
