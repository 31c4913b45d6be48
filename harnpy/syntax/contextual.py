"""Words that mean something in one place only (language 1.2): when each of them does."""

from __future__ import annotations

from harnpy.syntax import tokens as t
from harnpy.syntax.kinds import OPERAND_ENDS, WITH_PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.syntax.layout import Layout


def _after_parallel_subject(layout: Layout) -> bool:
    return layout.following() == "{" and layout.last in OPERAND_ENDS and layout.frame.head == "parallel"


def _is_as(layout: Layout) -> bool:
    if layout.last == "*":
        return layout.following(-2) == "import"
    return layout.last == "}" and layout.frame.after_parallel and layout.raw.values[layout.index + 1] == "stream"


def _begins_block(layout: Layout) -> bool:
    return layout.following() == "{" and layout.at_statement_start()


def _in_header(layout: Layout) -> bool:
    return layout.frame.head in WITH_PARAMETERS and layout.last in OPERAND_ENDS


# When a contextual word is a terminal of its own; else it is an identifier.
TESTS: dict[str, Callable[[Layout], bool]] = {
    "gen": lambda layout: (
        layout.following() == "fn" and (layout.at_statement_start() or layout.last == "pub" or layout.after_attribute())
    ),
    "each": lambda layout: layout.last == "parallel",
    "settle": lambda layout: layout.last == "parallel",
    "with": _after_parallel_subject,
    "as": _is_as,
    "stream": lambda layout: layout.last == "as" and layout.frame.after_parallel,
    "not": lambda layout: layout.following() == "in" and layout.last in OPERAND_ENDS,
    "where": _in_header,
    "throws": _in_header,
    "out": lambda layout: layout.frame.kind == "types" and layout.following() in (t.IDENT, t.CONTEXTUAL),
    "timeout": lambda layout: (
        layout.frame.kind == "select" and layout.last in (t.BLOCK, "}") and layout.following() != "from"
    ),
    "default": lambda layout: (
        layout.frame.kind == "select" and layout.last in (t.BLOCK, "}") and layout.following() == "{"
    ),
    "description": lambda layout: (
        layout.frame.kind == "tool"
        and layout.last == t.BLOCK
        and layout.following() in (t.STRING, t.RAW_STRING, t.TRIPLE_STRING, t.INTERP_START)
    ),
    "block": _begins_block,
    "scope": _begins_block,
    "cost_route": _begins_block,
}
