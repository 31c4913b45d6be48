"""Keeps the parsed data files of the LLM package between runs: importing a TOML parser is most of a first call."""

from __future__ import annotations

import marshal

from harnpy.analysis.cache import load_data, store_data
from harnpy.llm.data_files import NAMES, data_file, hand_in, is_read, raw

_NAME = "llm_data"


def warm_up() -> None:
    """Hand in what an earlier run kept, or keep what this one parses."""
    if is_read():
        return
    texts = tuple(raw(name) for name in NAMES)
    kept = load_data(_NAME)
    try:
        known, content = marshal.loads(kept) if kept is not None else (None, {})  # noqa: S302 (checked by load_data)
    except (ValueError, EOFError, TypeError):
        known, content = None, {}
    if known == texts:
        hand_in(content)
        return
    content = {name: data_file(name) for name in NAMES}
    store_data(_NAME, marshal.dumps((texts, content)))
