"""Standard input of this process, read as it comes, so that a program that waits for a line stops nothing else."""

from __future__ import annotations

import os
from errno import EIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PIECE = 65536
# A signal that comes just before a wait begins does not end it: handlers run between two waits of so many seconds.
_LOOK_SECONDS = 0.1


class ProcessInput:
    """Lines from a file descriptor. Calling it gives the next one, ``None`` at the end.

    A scheduler asks ``poll`` first and awaits ``readable`` while there is no line yet.
    """

    def __init__(self, descriptor: int, before_wait: Callable[[], None]) -> None:
        self._descriptor = _without_blocking(descriptor)
        self._before_wait = before_wait
        self._lines: list[bytes] = []  # the next one last
        self._begun: list[bytes] = []  # pieces of a line that has not ended
        self._ended = False

    def __call__(self) -> str | None:
        """Give the next line with its end, waiting for it."""
        if not self._lines and not self._ended:
            self._before_wait()
        while not self._lines and not self._ended:
            if self._has_input(_LOOK_SECONDS):
                self._take()
        if self._lines:
            return self._lines.pop().decode("utf-8", "replace")
        self._ended = not os.isatty(self._descriptor)  # Ctrl-D ends one reading of a terminal, not all
        return None

    def poll(self) -> bool:
        """Take what is there, and tell whether the next line or the end is."""
        while not self._lines and not self._ended:
            if not self._has_input():
                self._before_wait()
                return False
            self._take()
        return True

    async def readable(self) -> None:
        """Wait until there is something to take."""
        from asyncio import Event, get_running_loop

        loop = get_running_loop()
        arrived = Event()
        loop.add_reader(self._descriptor, arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_reader(self._descriptor)

    def rest(self) -> bytes:
        """Give all that is still to come."""
        pieces: list[bytes] = []
        while not self._ended:
            if self._has_input(_LOOK_SECONDS):
                self._take()
            pieces += reversed(self._lines)
            self._lines = []
        return b"".join(pieces)

    def _has_input(self, seconds: float = 0) -> bool:
        from select import select

        return bool(select([self._descriptor], [], [], seconds)[0])

    def _take(self) -> None:
        try:
            data = os.read(self._descriptor, _PIECE)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != EIO:
                raise
            data = b""  # a terminal that was closed
        if not data:
            self._ended = True
            if self._begun:
                self._lines = [b"".join(self._begun)]
                self._begun = []
            return
        *whole, rest = data.split(b"\n")
        if whole:
            whole[0] = b"".join([*self._begun, whole[0]])
            self._begun = []
            self._lines = [line + b"\n" for line in reversed(whole)]
        if rest:
            self._begun.append(rest)


def _without_blocking(descriptor: int) -> int:
    """Give a descriptor of the same terminal, if it is one, on which reading never waits.

    Ctrl-C throws away what was typed. A reader that has just seen that there is something would wait for the next line.
    """
    try:
        return os.open(os.ttyname(descriptor), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return descriptor
