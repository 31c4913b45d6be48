"""Parses a source text to its syntax tree."""

from __future__ import annotations

import gc

from harnpy.errors import RejectedProgram
from harnpy.source import Source
from harnpy.syntax import (
    build_blocks,
    build_declarations,
    build_expressions,
    build_statements,
    build_types,
    expected,
    lalr,
    nodes,
)
from harnpy.syntax.fault import Fault
from harnpy.syntax.layout import lay_out
from harnpy.syntax.scan import scan
from harnpy.syntax.table import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.syntax.table import Builder

# How deep a tree may be, children counted from the module down. Consumers recurse over the tree.
MAX_DEPTH = 2000
# How deep brackets and blocks may be nested.
MAX_NESTING = 256

_BUILDERS: dict[str, Builder] = {
    **build_declarations.BUILDERS,
    **build_statements.BUILDERS,
    **build_expressions.BUILDERS,
    **build_blocks.BUILDERS,
    **build_types.BUILDERS,
}


def parse(source: Source, *, max_nesting: int = MAX_NESTING) -> nodes.Module:
    """Give the tree of ``source``; a text that is no program raises ``RejectedProgram``."""
    try:
        return _parse(source.text, max_nesting)
    except Fault as fault:
        raise RejectedProgram([fault.diagnostic(source)]) from None


def is_incomplete(text: str, *, max_nesting: int = MAX_NESTING) -> bool:
    """Tell whether ``text`` is the beginning of a program rather than a program or wrong."""
    try:
        _parse(text, max_nesting)
    except Fault as fault:
        return fault.incomplete
    return False


def ends_in_text(text: str) -> bool:
    """Tell whether ``text`` ends inside a string or a comment of several lines, where empty lines belong to it."""
    try:
        _parse(text, MAX_NESTING)
    except Fault as fault:
        return fault.incomplete and text.startswith(('"""', "/*"), fault.span[0])
    return False


def _parse(text: str, max_nesting: int) -> nodes.Module:
    # A tree has no cycles, and the collector would walk it again and again while it grows.
    collecting = gc.isenabled()
    gc.disable()
    try:
        tokens = lay_out(scan(text), max_nesting)
        grammar = table(_BUILDERS)
        try:
            module: nodes.Module = lalr.run(grammar, tokens, MAX_DEPTH)
        except lalr.UnexpectedToken as stop:
            raise expected.fault(grammar, tokens, text, stop) from None
        return module
    finally:
        if collecting:
            gc.enable()
