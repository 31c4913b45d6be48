"""Reads server-sent events from bytes that may be cut anywhere (llm 8.3)."""

from __future__ import annotations

import codecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class SseReader:
    """Collects lines and gives the data of each finished event."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending: list[str] = []
        self._data: list[str] = []
        self._after_cr = False
        self._started = False

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Take bytes and give the data of every event that they finish."""
        text = self._decoder.decode(chunk)
        if not self._started and text:
            self._started = True
            text = text.removeprefix("\ufeff")
        if self._after_cr and text:
            text = text.removeprefix("\n")
            self._after_cr = False
        if text.endswith("\r"):
            self._after_cr = True
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._pending.append(lines[0])
        for following in lines[1:]:
            yield from self._line("".join(self._pending))
            self._pending = [following]

    def finish(self) -> Iterator[str]:
        """Give the data of an event that the end of the stream left open."""
        yield from self._line("".join(self._pending))
        self._pending = []
        yield from self._line("")

    def _line(self, line: str) -> Iterator[str]:
        if line == "":
            if self._data:
                data, self._data = "\n".join(self._data), []
                yield data
        elif line.startswith("data:"):
            value = line[5:]
            self._data.append(value.removeprefix(" "))
        elif line == "data":
            self._data.append("")
