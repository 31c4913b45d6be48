"""The printer that the modules of ``format`` share: tables from node class to function, and indentation."""

from __future__ import annotations

import re

from harnpy.syntax import nodes as n

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    # Gives the text of a node whose lines after the first are indented by `indent` steps.
    Show = Callable[["Printer", Any, int], str]

INDENT = "  "
_ENDS_IN_CAPITAL = re.compile(r"(?:^|[^.\w])(\w+)$")

# Binding strength of what an expression is made of, as in language 3.1 (loosest first).
PIPE, RANGE, TERNARY, OR, AND, EQUALITY, COMPARISON, SUM, COALESCE, PRODUCT, PREFIX, POWER, POSTFIX = range(1, 14)
LOOSEST = 0


class Printer:
    """Finds the function for each node and puts parentheses where the grammar needs them."""

    def __init__(self, shows: dict[type, Show], levels: Callable[[n.Expr], int]) -> None:
        self._shows = shows
        self._level = levels

    def show(self, node: n.Node, indent: int) -> str:
        """Give the text of any node but without parentheses of its own."""
        return self._shows[type(node)](self, node, indent)

    def expr(self, node: n.Expr, indent: int, level: int = LOOSEST) -> str:
        """Give the text of an expression that stands where ``level`` is the loosest allowed."""
        text = self.show(node, indent)
        return f"({text})" if self._level(node) < level else text

    def subject(self, node: n.Expr, indent: int, level: int = RANGE) -> str:
        """Give the text of an expression with a block behind it.

        A capital name before ``{`` could be read as a struct literal (language 3.4).
        """
        text = self.expr(node, indent, level)
        last = _ENDS_IN_CAPITAL.search(text)
        return f"({text})" if last and last.group(1)[0].isupper() else text

    def commas(self, nodes: Iterable[n.Node], indent: int) -> str:
        """Give the nodes with commas between them."""
        return ", ".join([self.show(node, indent) for node in nodes])

    def block(self, block: n.Block, indent: int, first: tuple[str, ...] = ()) -> str:
        """Give a block with braces; ``first`` are lines before its statements."""
        return self.lines("{", [*first, *[self.show(stmt, indent + 1) for stmt in block.body]], indent)

    def lines(self, opener: str, lines: list[str], indent: int) -> str:
        """Put each of ``lines`` on a line of its own between ``opener`` and ``}``."""
        if not lines:
            return opener + "}"
        pad = "\n" + INDENT * (indent + 1)
        return f"{opener}{pad}{pad.join(lines)}\n{INDENT * indent}}}"
