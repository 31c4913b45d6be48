"""The parser's table in the form in which it is walked, loaded once per process."""

from __future__ import annotations

from harnpy import resources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Builder = Callable[..., Any]

PREBUILT = "harn.table.json"

# What reducing a rule does with its children.
PASS, LIST, CALL, CALL_SPLICED = range(4)


class Rule:
    """One way to reduce: ``plan`` holds offsets from the top of the stack; 0 is a part left out.

    ``plan`` is one offset for PASS, offsets for CALL, and pairs (offset, spliced) for the others.
    """

    __slots__ = ("builder", "count", "mode", "plan", "symbol")

    def __init__(
        self, symbol: str, name: str | None, count: int, kept: list[list[Any]], builders: Mapping[str, Builder]
    ):
        self.symbol = symbol
        self.count = count
        self.builder = builders[name] if name is not None else None
        offsets = [(index - count if index >= 0 else 0, spliced) for index, spliced in kept]
        self.plan: Any = offsets
        if name is None and not symbol.startswith("_"):
            self.mode = PASS
            self.plan = offsets[0][0]
        elif name is None:
            self.mode = LIST
        elif any(spliced for _, spliced in offsets):
            self.mode = CALL_SPLICED
        else:
            self.mode = CALL
            self.plan = [offset for offset, _ in offsets]


class Table:
    """Actions and transitions of the LALR automaton, and the rules with their builders."""

    def __init__(self, data: dict[str, Any], builders: Mapping[str, Builder]) -> None:
        terminals = data["terminals"]
        rows = [{terminals[row[at]]: row[at + 1] for at in range(0, len(row), 2)} for row in data["rows"]]
        self.actions: list[dict[str, int]] = [rows[row] for row, _ in data["states"]]
        self.gotos: list[dict[str, int]] = [gotos for _, gotos in data["states"]]
        self.rules = [Rule(symbol, name, count, kept, builders) for symbol, name, count, kept in data["rules"]]
        self.start: int = data["start"]
        self.end: int = data["end"]
        # Where a finished symbol leads when the next token is known: rules that only pass a value on are
        # skipped. Filled while parsing.
        self.links: dict[tuple[int, str, str], int] = {}

    def link(self, state: int, symbol: str, kind: str) -> int:
        """Find the state behind ``symbol`` in ``state`` from which token ``kind`` is looked at."""
        target = self.gotos[state][symbol]
        while True:
            action = self.actions[target].get(kind, 0)
            if action >= 0:
                break
            rule = self.rules[-action - 1]
            if rule.mode != PASS or rule.count != 1:
                break
            target = self.gotos[state][rule.symbol]
        return target


_loaded: list[Table] = []


def table(builders: Mapping[str, Builder]) -> Table:
    """Give the table; it is read from the prebuilt file, and built from the grammar only when there is none."""
    if not _loaded:
        _loaded.append(Table(_read(), builders))
    return _loaded[0]


def _read() -> dict[str, Any]:
    import json

    try:
        with open(resources.grammar_file(PREBUILT), encoding="utf-8") as file:
            data: dict[str, Any] = json.load(file)
            return data
    except FileNotFoundError:
        from harnpy.syntax import tables

        return tables.build(tables.grammar_text())
