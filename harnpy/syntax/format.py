"""Syntax trees as canonical source text that parses to an equal tree."""

from __future__ import annotations

from harnpy.syntax import (
    format_blocks,
    format_declarations,
    format_expressions,
    format_statements,
    format_types,
    nodes,
)
from harnpy.syntax.depth import deep_recursion
from harnpy.syntax.printer import Printer

_PRINTER = Printer(
    {
        **format_declarations.SHOWS,
        **format_statements.SHOWS,
        **format_expressions.SHOWS,
        **format_blocks.SHOWS,
        **format_types.SHOWS,
    },
    format_expressions.level,
)


def format_module(module: nodes.Module) -> str:
    """Give a whole file."""
    return format_node(module)


def format_node(node: nodes.Node) -> str:
    """Give the text of any node, without a line break at its end unless it is a file."""
    with deep_recursion():
        return _PRINTER.show(node, 0)
