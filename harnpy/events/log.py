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
    """A sink of the event bus that appends to ``path``.

    A line goes to the system in one write as soon as it is there, so a process that is killed loses at most the
    line that it was writing. What an earlier run left unfinished is closed first: it spoils no later line.
    """

    def __init__(self, path: str) -> None:
        import os

        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        size = os.lseek(self._descriptor, 0, os.SEEK_END)
        if size:
            os.lseek(self._descriptor, size - 1, os.SEEK_SET)
            if os.read(self._descriptor, 1) != b"\n":
                os.write(self._descriptor, b"\n")

    def write(self, event: dict[str, Any]) -> None:
        """Append one event as one line, keys sorted."""
        import json
        import os

        line = (json.dumps(plain(event), ensure_ascii=False, sort_keys=True) + "\n").encode("utf-8", "replace")
        while line:
            line = line[os.write(self._descriptor, line) :]

    def close(self) -> None:
        """Close the file."""
        import os

        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def read_log(content: bytes) -> tuple[list[dict[str, Any]], list[int]]:
    """Read a log back: its events, and the numbers of the lines that were never finished."""
    import json

    events: list[dict[str, Any]] = []
    lost: list[int] = []
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        # The last line is whole only with the line break behind it.
        if type(event) is dict and number < len(lines):
            events.append(event)
        else:
            lost.append(number)
    return events, lost
