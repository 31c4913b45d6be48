"""Undoes the content encoding of a body in small pieces, so that no body grows large before it is measured."""

from __future__ import annotations

import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 256 * 1024
_GZIP_BITS, _ZLIB_BITS, _RAW_BITS = 31, 15, -15
_GZIP_MAGIC = b"\x1f\x8b"


class UndecodableData(Exception):
    """The data is not what its content encoding says."""


class Decoder:
    """Decodes one body; an encoding that nobody asked for is passed on as it is."""

    def __init__(self, encoding: str) -> None:
        """Make a decoder for the value of a ``content-encoding`` header.

        Raises:
            UndecodableData: there is more than one encoding. A bomb inside a bomb takes long before its size shows.
        """
        names = [
            name for name in (part.strip() for part in encoding.lower().split(",")) if name not in ("", "identity")
        ]
        if len(names) > 1:
            raise UndecodableData("it has more than one content encoding")
        self._gzip = names in (["gzip"], ["x-gzip"])
        self._deflate = names == ["deflate"]
        self._start = b""
        self._inflater = zlib.decompressobj(_GZIP_BITS) if self._gzip else None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Take bytes as they arrived and give what they decode to.

        Raises:
            UndecodableData: they do not decode.
        """
        if self._deflate and self._inflater is None:
            # "deflate" is zlib, but some servers send it bare: the first two bytes tell.
            data = self._start = self._start + data
            if len(data) < 2:
                return
            bare = data[0] & 15 != 8 or (data[0] * 256 + data[1]) % 31
            self._inflater = zlib.decompressobj(_RAW_BITS if bare else _ZLIB_BITS)
        inflater = self._inflater
        if inflater is None:
            yield data
            return
        while data:
            try:
                piece = inflater.decompress(data, _PIECE)
            except zlib.error as error:
                raise UndecodableData(str(error)) from None
            if piece:
                yield piece
            data = inflater.unconsumed_tail
            if inflater.eof and self._gzip and inflater.unused_data.startswith(_GZIP_MAGIC):
                # A gzip body may have several members.
                data = inflater.unused_data
                inflater = self._inflater = zlib.decompressobj(_GZIP_BITS)

    def rest(self) -> bytes:
        """Give what is left when the body has ended. An end that came early is seen in what was decoded."""
        return b"" if self._inflater is None else self._inflater.flush()
