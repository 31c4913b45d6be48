"""Compiles generated source and keeps the code objects between runs: Python's compiler is the dear part of a start.

What a text compiles to depends on nothing but the text and the Python version, so an entry is never stale.
Small programs neither read nor write the file: it would cost them more than it saves.
"""

from __future__ import annotations

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

NAME = "shapes"
# So many texts are compiled before the file is read, and so many new ones are needed to write it.
FEW = 8
MOST = 4096
# Reading the file must stay cheaper than compiling a program's shapes (about 2 ms a MB).
MOST_BYTES = 1_500_000

_made: dict[str, CodeType] = {}
_kept: dict[str, bytes] | None = None
# What of the file this process has used: all that is kept when the file grows too large.
_used: dict[str, bytes] = {}


def compiled(source: str) -> CodeType:
    """Give the code of ``source``."""
    kept = _kept
    if kept is None:
        if len(_made) < FEW:  # the file is read at the next one
            return _compile(source)
        kept = _read()
    data = kept.get(source)
    if data is not None:
        _used[source] = data
        code: CodeType = marshal.loads(data)  # noqa: S302
        return code
    return _compile(source)


def _compile(source: str) -> CodeType:
    code = compile(source, "<harnpy>", "exec")
    if len(_made) < MOST:
        _made[source] = code
    return code


def _read() -> dict[str, bytes]:
    """Read what earlier runs kept; once a run."""
    global _kept
    from harnpy.analysis.cache import load_data

    data = load_data(NAME)
    try:
        usable = data is not None and len(data) <= 2 * MOST_BYTES
        _kept = marshal.loads(data) if usable else {}  # type: ignore[arg-type]  # noqa: S302
    except (ValueError, EOFError, TypeError):
        _kept = {}
    return _kept


def keep() -> None:
    """Keep for later runs what this one compiled, if it is worth a file."""
    global _kept
    if _kept is None:
        return
    # A list first: runs in other threads compile, too.
    new = {source: code for source, code in list(_made.items()) if source not in _kept}
    if len(new) < FEW:
        return
    from harnpy.analysis.cache import store_data

    _used.update({source: marshal.dumps(code) for source, code in new.items()})
    grown = {**_kept, **_used}
    if _size(grown) > MOST_BYTES:
        grown = dict(_used)
    _made.clear()
    if _size(grown) > MOST_BYTES:
        return
    _kept = grown
    store_data(NAME, marshal.dumps(grown))


def _size(entries: dict[str, bytes]) -> int:
    return sum([len(source) + len(code) for source, code in entries.items()])
