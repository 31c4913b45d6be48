"""Writes events to a file, one JSON object a line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def plain(value: Any) -> Any:
    """Give ``value`` as JSON data: what JSON has no form for becomes null."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if value - value == 0.0 else None
    if kind is list:
        return [plain(item) for item in value]
    if kind is dict:
        return {key: plain(item) for key, item in value.items()}
    return None


class JsonlWriter:
    """A sink of the event bus that appends to ``path``; each line is written at once."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "w", encoding="utf-8")  # noqa: SIM115 (closed by ``close``)

    def write(self, event: dict[str, Any]) -> None:
        """Write one event as one line, keys sorted."""
        import json

        self._file.write(json.dumps(plain(event), ensure_ascii=False, sort_keys=True) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
