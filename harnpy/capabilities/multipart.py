"""Encodes the parts of a form with files (builtins 1.16, option ``multipart``)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import type_error
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def encoded(name: str, parts: Any) -> tuple[str, bytes]:
    """Give content type and body of ``parts``.

    ``{field: value}`` or a list of dicts with ``name``; a value or part with ``content`` is a file.
    """
    from secrets import token_hex

    boundary = token_hex(16)
    pieces = []
    for part in _listed(name, parts):
        content = part.get("content", part.get("value"))
        head = f'Content-Disposition: form-data; name="{_quoted(part.get("name"))}"'
        if part.get("filename") is not None:
            head += f'; filename="{_quoted(part["filename"])}"'
        if part.get("content_type") is not None:
            head += "\r\nContent-Type: " + text(part["content_type"]).replace("\r", " ").replace("\n", " ")
        pieces.append(f"--{boundary}\r\n{head}\r\n\r\n".encode("utf-8", "replace") + _data(content) + b"\r\n")
    pieces.append(f"--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", b"".join(pieces)


def _listed(name: str, parts: Any) -> list[dict[str, Any]]:
    if type(parts) is dict:
        return [{**value, "name": key} if type(value) is dict else {"name": key, "value": value}
                for key, value in sorted(parts.items())]  # fmt: skip
    if type(parts) is list and all(type(part) is dict for part in parts):
        return parts
    raise type_error(f"{name}: option `multipart` must be a dict or a list of dicts, got {type_of(parts)}")


def _data(content: Any) -> bytes:
    if type(content) is bytes:
        return content
    return text("" if content is None else content).encode("utf-8", "replace")


def _quoted(value: Any) -> str:
    """Give a name for a header: what would end it is percent-encoded, as browsers do."""
    shown = "" if value is None else text(value)
    return shown.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
