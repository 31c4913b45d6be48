"""The data files of this package, read once; a run may hand in what an earlier one has parsed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]

NAMES = ("capabilities.toml", "catalog.toml")

_read: dict[str, Row] = {}


def data_file(name: str) -> Row:
    """Give the content of a data file; nobody changes it."""
    found = _read.get(name)
    if found is None:
        import tomllib

        found = _read[name] = tomllib.loads(raw(name).decode())
    return found


def raw(name: str) -> bytes:
    """Give the bytes of a data file."""
    from harnpy.resources import package_file

    with open(package_file("llm", name), "rb") as file:
        return file.read()


def is_read() -> bool:
    """Tell whether all data files have been read or handed in."""
    return len(_read) == len(NAMES)


def hand_in(content: dict[str, Row]) -> None:
    """Take the parsed content of the data files."""
    _read.update(content)
