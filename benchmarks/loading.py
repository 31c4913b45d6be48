"""Parsing: its growth with the length of a text, and a load from the module cache beside it."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from benchmarks.row import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHED, GROWTH = "parsing / cached load", "parse time per line, 20,000 / 5,000 lines"
NAMES = (CACHED, GROWTH)

_PIECE = """
/// Calls a model until it answers or the attempts are used up.
pub fn attempt_NUMBER(next, call, opts = {}) -> dict {
  let tries = 1
  const limit: int = opts?.max_attempts ?? 3
  while tries < limit && !call.done {
    const result = next({...call, opts: opts + {attempt: tries}}) ?? {ok: false, status: "none"}
    if result.ok { return result }
    match result.status {
      "rate_limited" | "timeout" -> { sleep(250ms) }
      _ -> { tries += 1 }
    }
  }
  for item in call.items.filter({ x -> x > NUMBER }) {
    println("item ${item.name}: ${item.size * 2 + NUMBER}")
  }
  return {ok: false, status: "exhausted", tries: tries, rest: [1, 2.5, "three", nil, true]}
}

"""


def program(lines: int) -> str:
    """Make a program of about so many lines."""
    size = _PIECE.count("\n")
    return "".join([_PIECE.replace("NUMBER", str(number)) for number in range(lines // size)])


def rows(names: set[str], rounds: int) -> Iterator[Row]:
    """Measure the named rows."""
    from harnpy.source import Source
    from harnpy.syntax.parser import parse

    if GROWTH in names:
        short, long = Source("short.harn", program(5000)), Source("long.harn", program(20_000))
        parse(short)
        few, many = interleaved(min(rounds, 5), lambda: parse(short), lambda: parse(long))
        each_few, each_many = few / short.text.count("\n"), many / long.text.count("\n")
        detail = f"{each_many * 1e6:.0f} us a line against {each_few * 1e6:.0f}"
        yield Row(GROWTH, each_many / each_few, 1.1, 1.25, detail)
    if CACHED in names:
        yield _cached(rounds)


def _cached(rounds: int) -> Row:
    from harnpy.analysis.modules import load_source
    from harnpy.source import Source

    source = Source("cached.harn", program(2000))
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("HARNPY_CACHE_DIR")
        os.environ["HARNPY_CACHE_DIR"] = os.path.join(folder, "cache")
        load_source(source)
        fresh, cached = interleaved(rounds, lambda: load_source(source, use_cache=False), lambda: load_source(source))
        if before is None:
            del os.environ["HARNPY_CACHE_DIR"]
        else:
            os.environ["HARNPY_CACHE_DIR"] = before
    detail = f"2,000 lines: {cached * 1000:.1f} ms from the cache, {fresh * 1000:.0f} parsed"
    return Row(CACHED, fresh / cached, 20, 8, detail, more=True)
