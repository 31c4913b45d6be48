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

_made: dict[str, CodeType] = {}
_kept: dict[str, bytes] | None = None


def compiled(source: str) -> CodeType:
    """Give the code of ``source``."""
    kept = _kept
    if kept is None:
        if len(_made) < FEW:  # the file is read at the next one
            return _compile(source)
        kept = _read()
    data = kept.get(source)
    if data is not None:
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
        _kept = marshal.loads(data) if data is not None else {}  # noqa: S302
    except (ValueError, EOFError, TypeError):
        _kept = {}
    return _kept


def keep() -> None:
    """Keep for later runs what this one compiled, if it is worth a file."""
    if _kept is None:
        return
    new = {source: code for source, code in _made.items() if source not in _kept}
    if len(new) < FEW or len(_kept) + len(new) > MOST:
        return
    from harnpy.analysis.cache import store_data

    _kept.update({source: marshal.dumps(code) for source, code in new.items()})
    _made.clear()
    store_data(NAME, marshal.dumps(_kept))
