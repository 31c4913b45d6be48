"""Reads lines of JSON from bytes that may be cut anywhere (llm 8.3)."""

from __future__ import annotations

import codecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class NdjsonReader:
    """Collects bytes and gives each finished line that is not blank."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._pending: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Take bytes and give every line that they finish."""
        first, *others = self._decoder.decode(chunk).split("\n")
        self._pending.append(first)
        for following in others:
            yield from self.finish()
            self._pending = [following]

    def finish(self) -> Iterator[str]:
        """Give the line that the end of the stream left open."""
        line = "".join(self._pending).strip()
        self._pending = []
        if line:
            yield line
